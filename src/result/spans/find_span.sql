-- SPDX-License-Identifier: Apache-2.0
-- What find_span.c asks of the store.

-- name: run_roots
-- All roots, and whether they answer to the name of a run: its id or the beginning of it, or its
-- directory.
SELECT id,
  key = ?1
    OR (length(?1) >= 3 AND substr(key, 1, length(?1)) = ?1)
    OR substr(key, -length(?1) - 1) = '/' || ?1
    OR key IN (
      SELECT value
      FROM sl_shared
      WHERE scope = ?1 OR substr(scope, -length(?1) - 1) = '/' || ?1)
FROM sl_span
WHERE parent IS NULL;

-- name: roots_of
-- Of a workflow, and of other views of it.
SELECT id, 1
FROM sl_span
WHERE parent IS NULL
  AND id IN (
    SELECT ?1
    UNION
    SELECT right_span
    FROM sl_link
    WHERE left_span = ?1 AND kind = SL_FACET
    UNION
    SELECT left_span
    FROM sl_link
    WHERE right_span = ?1 AND kind = SL_FACET);

-- name: root_of
-- Subqueries, not joins: SQLite makes a Bloom filter of all spans for a join, though one is looked
-- up.
WITH RECURSIVE
  up(id) AS (
    SELECT ?1
    UNION
    SELECT (SELECT parent FROM sl_span WHERE id = up.id)
    FROM up)
SELECT id
FROM up
WHERE EXISTS (SELECT 1 FROM sl_span s WHERE s.id = up.id AND s.parent IS NULL);

-- name: are_facets
SELECT 1
FROM sl_link
WHERE kind = SL_FACET AND left_span IN (?1, ?2) AND right_span IN (?1, ?2);

-- name: find_all
-- A subquery as in root_of.
WITH
  f(id, name, parent) AS MATERIALIZED (
    SELECT s.id, (SELECT name FROM sl_name WHERE id = s.type), s.parent
    FROM sl_span s
    WHERE s.type IN (
      SELECT id
      FROM sl_name n
      WHERE ifnull(n.name IN (%s), n.name = ?1 OR substr(n.name, -length(?1) - 1) = '.' || ?1))
      AND %s)
SELECT id, name, parent
FROM f
ORDER BY name <> ?1, name, id;

-- name: resembling
SELECT s.key
FROM sl_name n CROSS JOIN sl_span s ON s.type = n.id AND instr(s.key, ?2) > 0
WHERE length(?2) > 2 AND (n.name = ?1 OR substr(n.name, -length(?1) - 1) = '.' || ?1)
ORDER BY s.key
LIMIT 3;

-- name: runs
-- Roots that answer to the name of a run, exactly if any do, workflows first; not what lies in
-- another of them.
WITH
  c AS (
    SELECT s.id, s.key,
      s.type IN (
        SELECT n.id
        FROM sl_role JOIN sl_name n ON n.name = sl_role.type
        WHERE role = 'workflow') AS flow,
      s.key = ?1 OR s.key IN (SELECT value FROM sl_shared WHERE scope = ?1) AS exact
    FROM sl_span s
    WHERE s.parent IS NULL
      AND (s.key = ?1
        OR (length(?1) >= 3 AND substr(s.key, 1, length(?1)) = ?1)
        OR substr(s.key, -length(?1) - 1) = '/' || ?1
        OR s.key IN (
          SELECT value
          FROM sl_shared
          WHERE scope = ?1 OR substr(scope, -length(?1) - 1) = '/' || ?1)))
SELECT id, flow
FROM c
WHERE exact = (SELECT max(exact) FROM c)
  AND NOT EXISTS (
    SELECT 1
    FROM c AS d
    WHERE d.flow AND substr(c.key, 1, length(d.key) + 1) = d.key || '/')
ORDER BY flow DESC, id;

-- name: numbered
-- The spans of the type, those with numbers as keys by these, others with NULL before them.
SELECT s.id, s.parent,
  iif(s.key GLOB '[0-9]*' AND s.key NOT GLOB '*[^0-9]*' AND length(s.key) < 19,
    CAST(s.key AS INTEGER),
    NULL) AS k
FROM sl_span s
WHERE s.type IN (
  SELECT id
  FROM sl_name n
  WHERE ifnull(n.name IN (%s), n.name = ?1 OR substr(n.name, -length(?1) - 1) = '.' || ?1))
ORDER BY k%s;

-- name: types
SELECT name
FROM sl_name n
WHERE EXISTS (SELECT 1 FROM sl_span WHERE type = n.id);

-- name: type_of
SELECT n.name
FROM sl_span s JOIN sl_name n ON n.id = s.type
WHERE s.id = ?1;
