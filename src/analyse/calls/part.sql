-- SPDX-License-Identifier: Apache-2.0
-- What part.c asks of the store. ?2 is the list of the spans so far; few: so many are, as graph.sql
-- has it.

-- name: closure
SELECT sl_query_each(?1, d.span, m.few)
FROM (SELECT min(40000, 100 + max(id) / 128) AS few FROM sl_span) m CROSS JOIN descendants(%lld) d;

-- name: above
-- All that they lie in.
WITH RECURSIVE
  up(id) AS (
    SELECT value
    FROM json_each(?2)
    UNION
    SELECT (SELECT parent FROM sl_span WHERE id = up.id)
    FROM up
    UNION
    SELECT l.left_span
    FROM up CROSS JOIN sl_link l ON l.right_span = up.id AND l.kind = SL_IN)
SELECT sl_query_each(?1, id, m.few)
FROM (SELECT min(40000, 100 + max(id) / 128) AS few FROM sl_span) m CROSS JOIN up
WHERE id IS NOT NULL;

-- name: beside
-- All of the processes of the calls among them, which are their roots: an open call lasted as long
-- as these. +: by the id, as roots are many. Subqueries, not joins: see find_span.sql.
WITH RECURSIVE
  up(id) AS (
    SELECT value
    FROM json_each(?2)
    WHERE (
      SELECT type
      FROM sl_span
      WHERE id = value) = (SELECT id FROM sl_name WHERE name = 'trace.call')
    UNION
    SELECT (SELECT parent FROM sl_span WHERE id = up.id)
    FROM up),
  down(id) AS (
    SELECT id
    FROM up
    WHERE EXISTS (SELECT 1 FROM sl_span s WHERE s.id = up.id AND +s.parent IS NULL)
    UNION
    SELECT s.id
    FROM down CROSS JOIN sl_span s ON s.parent = down.id)
SELECT sl_query_each(?1, id, m.few)
FROM (SELECT min(40000, 100 + max(id) / 128) AS few FROM sl_span) m CROSS JOIN down;
