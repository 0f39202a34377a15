-- SPDX-License-Identifier: Apache-2.0
-- What lens.c asks of the store.

-- name: add_types
SELECT name
FROM sl_name n
WHERE EXISTS (SELECT 1 FROM sl_span WHERE type = n.id)
ORDER BY name;

-- name: near
SELECT n.name, m.name
FROM sl_seen JOIN sl_name n ON n.id = type JOIN sl_name m ON m.id = what
WHERE kind = 1;

-- name: near_within
SELECT n.name, m.name
FROM (
    SELECT DISTINCT s.type AS type, e.type AS what
    FROM descendants(?1) d
      CROSS JOIN sl_span s ON s.id = d.span
      CROSS JOIN sl_event e ON e.span = s.id)
  JOIN sl_name n ON n.id = type
  JOIN sl_name m ON m.id = what;

-- name: near_2
SELECT n.name, m.name
FROM (
    SELECT DISTINCT s.type AS type, e.type AS what
    FROM sl_event e JOIN sl_span s ON s.id = e.span)
  JOIN sl_name n ON n.id = type
  JOIN sl_name m ON m.id = what;

-- name: of_projects
SELECT id, project, kind
FROM sl_lens
WHERE project IS NOT NULL
ORDER BY id;

-- name: make_table
PRAGMA query_only = 0;
CREATE TEMP TABLE IF NOT EXISTS sl_lens (id INTEGER PRIMARY KEY, kind TEXT, what TEXT,
  becomes TEXT, within_ns INTEGER, project TEXT);

-- name: is_task
SELECT count(*)
FROM sl_role
WHERE role = 'task' AND type = %Q;

-- name: own_rules
SELECT count(*)
FROM main.sl_lens
WHERE kind IN ('rename', 'merge');
