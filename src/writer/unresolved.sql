-- SPDX-License-Identifier: Apache-2.0
-- What unresolved.c asks of the store.

-- name: beside
SELECT 1
FROM sl_span
WHERE parent = ?1 AND type = ?2
LIMIT 1;

-- name: linked
SELECT 1
FROM sl_link k
JOIN sl_span a ON a.id = k.left_span AND a.type = ?3
JOIN sl_span b ON b.id = k.right_span AND b.type = ?4
WHERE k.rule = ?1 AND k.kind = ?2
LIMIT 1;
