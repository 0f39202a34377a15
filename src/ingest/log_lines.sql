-- SPDX-License-Identifier: Apache-2.0
-- What log_lines.c asks of the store.

-- name: load
SELECT s.id, n.name, s.key, ifnull(s.parent, 0)
FROM sl_span s JOIN sl_name n ON n.id = s.type
ORDER BY s.id;

-- name: path
-- From the root down to span ?1.
WITH RECURSIVE
  up(id, depth) AS (
    SELECT ?1, 0
    UNION ALL
    SELECT (SELECT parent FROM sl_span WHERE id = up.id), depth + 1
    FROM up
    WHERE id IS NOT NULL AND depth < 1000)
SELECT s.id, (SELECT name FROM sl_name WHERE id = s.type), s.key
FROM up CROSS JOIN sl_span s ON s.id = up.id
ORDER BY depth DESC;

-- name: child
SELECT id
FROM sl_span
WHERE type = (SELECT id FROM sl_name WHERE name = ?1) AND key = ?2 AND parent IS ?3;

-- name: lines
SELECT id, path, recipe
FROM sl_source
WHERE part IS NULL AND replaced_by IS NULL AND id IN (%s)
ORDER BY path;
