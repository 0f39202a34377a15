-- SPDX-License-Identifier: Apache-2.0
-- What span_tables.c asks of the store.

-- name: seen
SELECT m.name, m.id
FROM sl_name t JOIN sl_seen s ON s.type = t.id AND s.kind = 1 JOIN sl_name m ON m.id = s.what
WHERE t.name = ?1
ORDER BY m.name;

-- name: seen_2
SELECT DISTINCT f.name, 0
FROM sl_name t JOIN sl_seen s ON s.type = t.id AND s.kind = 2 JOIN sl_shape f ON f.id = s.what
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

-- name: number_index
-- The keys of a type as the numbers that its table shows, in the words of the view sl_key: else
-- SQLite does not take it.
CREATE INDEX IF NOT EXISTS sl_number_%lld ON sl_span (type,
  iif(key NOT GLOB '*[^0-9]*' AND key GLOB '[1-9]*' AND length(key) < 19,
    CAST(key AS INTEGER),
    iif(key GLOB '[-0-9]*' AND key NOT GLOB '*[^-0-9.]*' AND length(key) < 19 AND json_valid(key),
      json_extract(key, '$'),
      key)),
  parent, key)
WHERE type = %lld;

-- name: task_types
-- In a store so large that to look at all tasks takes time.
SELECT n.id
FROM sl_role r JOIN sl_name n ON n.name = r.type
WHERE r.role = 'task'
  AND EXISTS (SELECT 1 FROM sl_span s WHERE s.type = n.id)
  AND (SELECT max(id) FROM sl_span) > 100000;
