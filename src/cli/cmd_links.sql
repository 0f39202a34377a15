-- SPDX-License-Identifier: Apache-2.0
-- What cmd_links.c asks of the store.

-- name: rules
SELECT name
FROM sl_bind
UNION
SELECT name
FROM sl_name
WHERE id IN (SELECT rule FROM sl_link UNION SELECT rule FROM sl_doubt UNION SELECT rule FROM sl_weak);
