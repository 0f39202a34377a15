-- SPDX-License-Identifier: Apache-2.0
-- What cmd_why.c asks of the store.

-- name: is_below
-- When the span ?2 last happened, where a file of the path ?1, or below it, tells of it.
SELECT (SELECT max(time_ns) FROM sl_event e WHERE e.span = s.id)
FROM sl_span s
WHERE s.id = ?2
  AND EXISTS (
    SELECT 1
    FROM sources o
    WHERE (o.path = ?1 OR substr(o.path, 1, length(?1) + 1) = ?1 || '/')
      AND (o.id = s.source OR o.id IN (SELECT source FROM sl_event e WHERE e.span = s.id)));

-- name: any_below
SELECT 1
FROM sources o
WHERE o.path = ?1 OR substr(o.path, 1, length(?1) + 1) = ?1 || '/'
LIMIT 1;

-- name: lasts
-- Whether there are two moments in the span ?1: looked for near it first, as there may be much in
-- it.
SELECT CASE
    WHEN (
        SELECT count(*)
        FROM (
            SELECT DISTINCT e.time_ns
            FROM (SELECT ?1 AS id UNION ALL SELECT id FROM sl_span WHERE parent = ?1) s
              CROSS JOIN sl_event e ON e.span = s.id
            LIMIT 2)) > 1
      THEN 1
    ELSE (
        SELECT count(*)
        FROM (
            SELECT DISTINCT e.time_ns
            FROM descendants(?1) d CROSS JOIN sl_event e ON e.span = d.span
            LIMIT 2)) > 1
  END;

-- name: is_told
-- A condition on a span s: it is a process of the programs that are told of.
s.id IN (SELECT span FROM temp.process)
