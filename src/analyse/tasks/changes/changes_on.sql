-- SPDX-License-Identifier: Apache-2.0
-- What changes_on.c asks of the store.

-- name: above
-- What a worker lies in, from the outermost to itself.
WITH RECURSIVE
  up(id, depth) AS (
    SELECT ?1, 0
    UNION ALL
    SELECT s.parent, depth + 1
    FROM up JOIN sl_span s ON s.id = up.id
    WHERE s.parent NOTNULL AND depth < 100)
SELECT s.key, s.type,
  (
    SELECT max(value)
    FROM attributes a
    WHERE a.span = up.id AND a.name = 'hostname')
FROM up JOIN sl_span s ON s.id = up.id
ORDER BY depth DESC;

-- name: type_name
SELECT name FROM sl_name WHERE id = ?1;
