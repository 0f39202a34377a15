-- SPDX-License-Identifier: Apache-2.0
-- What links.c asks of the store.

-- name: doubts
-- By rule, with left and right as overview() has them.
SELECT kind, a.type, b.type, rule, count(DISTINCT a.id)
FROM (
    SELECT kind,
      iif(kind = SL_IN, right_span, left_span) AS x,
      iif(kind = SL_IN, left_span, right_span) AS y,
      rule
    FROM sl_doubt)
  JOIN sl_span a ON a.id = x
  JOIN sl_span b ON b.id = y
WHERE ?1 IS NULL
  OR x IN (SELECT span FROM descendants(?1))
  OR y IN (SELECT span FROM descendants(?1))
GROUP BY 1, 2, 3, 4;

-- name: path
-- The span %s by its type and the keys below its root.
(SELECT type FROM spans WHERE id = %s) || ' ' || (
  WITH RECURSIVE
    up(id, n) AS (
      SELECT %s, 0
      UNION ALL
      SELECT s.parent, n + 1
      FROM up JOIN spans s ON s.id = up.id
      WHERE s.parent IS NOT NULL AND n < 50)
  SELECT group_concat(key, '/')
  FROM (
      SELECT s.key
      FROM up JOIN spans s ON s.id = up.id
      WHERE s.parent IS NOT NULL OR n = 0
      ORDER BY n DESC))
-- name: links
SELECT %s AS "left", kind, %s AS "right", rule, confidence, x AS left_span, y AS right_span
FROM (
    SELECT kind, rule, confidence,
      iif(kind = 'in', right_span, left_span) AS x,
      iif(kind = 'in', left_span, right_span) AS y
    FROM links
    WHERE rule = ?1)
WHERE ?2 IS NULL
  OR x IN (SELECT span FROM descendants(?2))
  OR y IN (SELECT span FROM descendants(?2))
ORDER BY 6, 7;

-- name: doubtful
-- One row a candidate; those of one span stand together.
SELECT %s AS "left", kind, %s AS candidate,
  count(*) OVER (PARTITION BY rule, x) AS candidates,
  rule, x AS span_id, y AS candidate_id
FROM (
    SELECT kind, rule,
      iif(kind = 'in', right_span, left_span) AS x,
      iif(kind = 'in', left_span, right_span) AS y
    FROM doubts)
WHERE (?1 IS NULL OR rule = ?1)
  AND (?2 IS NULL
    OR x IN (SELECT span FROM descendants(?2))
    OR y IN (SELECT span FROM descendants(?2)))
ORDER BY rule, x, y;

-- name: waiting
s AS (
  SELECT id, type, 1 AS known
  FROM sl_span
  UNION ALL
  SELECT id, type, 0
  FROM sl_ghost), w AS (
  SELECT a.type AS x, w.kind, b.type AS y, w.rule, count(*) AS n,
    iif(max(a.known), b.type, a.type) AS unknown
  FROM sl_weak w JOIN s a ON a.id = w.left_span JOIN s b ON b.id = w.right_span
  WHERE NOT (a.known AND b.known)
    AND (?2 IS NULL
      OR a.id IN (SELECT span FROM descendants(?2))
      OR b.id IN (SELECT span FROM descendants(?2)))
  GROUP BY 1, 2, 3, 4)
-- name: unresolved
-- By rule; sl_weak is small beside sl_link, which is only looked into for rules that wait.
WITH
  %s
SELECT (SELECT name FROM sl_name WHERE id = iif(kind = SL_IN, y, x)) AS left_type,
  CASE kind
    WHEN SL_IN THEN 'in'
    WHEN SL_FACET THEN 'facet'
    WHEN SL_AFTER THEN 'after'
    ELSE 'flow'
  END AS kind,
  (SELECT name FROM sl_name WHERE id = iif(kind = SL_IN, x, y)) AS right_type,
  (SELECT name FROM sl_name WHERE id = rule) AS rule,
  n AS unresolved,
  (
    SELECT count(*)
    FROM sl_link k
      JOIN sl_span a ON a.id = k.left_span AND a.type = w.x
      JOIN sl_span b ON b.id = k.right_span AND b.type = w.y
    WHERE k.kind = w.kind AND k.rule = w.rule) AS links,
  (SELECT name FROM sl_name WHERE id = unknown) AS unknown_type,
  (SELECT count(*) FROM sl_span WHERE type = unknown) AS spans_of_it
FROM w
WHERE ?1 IS NULL OR rule = (SELECT id FROM sl_name WHERE name = ?1)
ORDER BY rule, left_type, right_type;
