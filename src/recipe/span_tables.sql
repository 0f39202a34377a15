-- SPDX-License-Identifier: Apache-2.0
-- What span_tables.c asks of the store.

-- name: seen
SELECT m.name, m.id
FROM sl_name t
JOIN sl_seen s ON s.type = t.id AND s.kind = 1
JOIN sl_name m ON m.id = s.what
WHERE t.name = ?1
ORDER BY m.name;

-- name: seen_2
SELECT DISTINCT f.name, 0
FROM sl_name t
JOIN sl_seen s ON s.type = t.id AND s.kind = 2
JOIN sl_shape f ON f.id = s.what
WHERE t.name = ?1
ORDER BY f.name;

-- name: tables_make
SELECT name, id
FROM sl_name n
WHERE EXISTS (SELECT 1 FROM sl_span s WHERE s.type = n.id)
ORDER BY name;

-- name: name
SELECT id FROM sl_name WHERE name = ?1;

-- name: attrs
SELECT DISTINCT name FROM sl_shape;

-- name: have
SELECT sql FROM sqlite_schema WHERE name = ?1 COLLATE NOCASE;
