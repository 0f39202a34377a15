-- SPDX-License-Identifier: Apache-2.0
-- What log_lines.c asks of the store.

-- name: load
SELECT s.id, n.name, s.key, ifnull(s.parent, 0)
FROM sl_span s
JOIN sl_name n ON n.id = s.type
ORDER BY s.id;

-- name: lines
SELECT id, path, recipe
FROM sl_source
WHERE part IS NULL AND replaced_by IS NULL AND id IN (%s)
ORDER BY path;
