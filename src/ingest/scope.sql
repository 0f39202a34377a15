-- SPDX-License-Identifier: Apache-2.0
-- What scope.c asks of the store.

-- name: shared_value
SELECT value
FROM sl_shared
WHERE field = ?1 AND scope = ?2;

-- name: of_scope
SELECT field, value
FROM sl_shared
WHERE scope = ?1;
