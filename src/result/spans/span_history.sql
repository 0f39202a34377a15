-- SPDX-License-Identifier: Apache-2.0
-- What span_history.c asks of the store.

-- name: span
SELECT n.name, s.key
FROM sl_span s JOIN sl_name n ON n.id = s.type
WHERE s.id = ?;

-- name: contained_in
SELECT s.id, t.name, s.key, n.name, l.confidence
FROM sl_link l
  JOIN sl_span s ON s.id = l.left_span
  JOIN sl_name t ON t.id = s.type
  LEFT JOIN sl_name n ON n.id = l.rule
WHERE l.kind = SL_IN AND l.right_span = ?1
ORDER BY 1;

-- name: waited_for
SELECT s.id, t.name, s.key, n.name, l.confidence
FROM sl_link l
  JOIN sl_span s ON s.id = l.right_span
  JOIN sl_name t ON t.id = s.type
  LEFT JOIN sl_name n ON n.id = l.rule
WHERE l.kind = SL_AFTER AND l.left_span = ?1
ORDER BY 1;

-- name: attributes
-- Materialized: into a query with DISTINCT SQLite does not take the parts of a view, and would read
-- all attributes.
WITH
  a AS MATERIALIZED (
    SELECT name, value
    FROM attributes
    WHERE span IN (
      SELECT ?1
      UNION
      SELECT right_uuid
      FROM facet
      WHERE left_uuid = ?1
      UNION
      SELECT left_uuid
      FROM facet
      WHERE right_uuid = ?1))
SELECT DISTINCT name, value
FROM a
ORDER BY name;

-- name: exceptions
-- Of tries, by the number that several sources give them.
WITH
  v AS MATERIALIZED (
    SELECT ?1 AS id
    UNION
    SELECT right_span
    FROM sl_link
    WHERE left_span = ?1 AND kind = SL_FACET
    UNION
    SELECT left_span
    FROM sl_link
    WHERE right_span = ?1 AND kind = SL_FACET),
  y AS MATERIALIZED (
    SELECT s.id, s.key
    FROM v JOIN sl_span s ON s.parent = v.id
    WHERE s.type IN (
      SELECT n.id
      FROM sl_role r JOIN sl_name n ON n.name = r.type
      WHERE r.role = 'attempt'))
SELECT y.key AS "try",
  coalesce(max(json_extract(a.vals, f.path)) FILTER (WHERE f.name = 'task_fail_history'),
    max(json_extract(a.vals, f.path))) AS exception
FROM y CROSS JOIN sl_attr a ON a.span = y.id JOIN sl_shape f ON f.id = a.shape
WHERE f.name IN ('task_fail_history', 'exception') AND json_extract(a.vals, f.path) <> ''
GROUP BY 1
ORDER BY CAST(y.key AS INTEGER);

-- name: context
SELECT n.name, s.key,
  (
    SELECT group_concat(m.name || ' ' || p.key, ', ')
    FROM sl_span p JOIN sl_name m ON m.id = p.type
    WHERE p.id = s.parent AND m.name NOT LIKE '%.task' AND m.name NOT LIKE '%.workflow'),
  s.parent
FROM sl_span s JOIN sl_name n ON n.id = s.type
WHERE s.id = ?;

-- name: below
SELECT c
FROM (
    SELECT id AS c
    FROM sl_span
    WHERE parent = ?1
    UNION
    SELECT right_span
    FROM sl_link
    WHERE left_span = ?1 AND kind = SL_IN)
  JOIN sl_span s ON s.id = c
  JOIN sl_name n ON n.id = s.type
ORDER BY n.name, s.id;

-- name: beside
SELECT right_span
FROM sl_link
WHERE left_span = ?1 AND kind = SL_FACET
UNION
SELECT left_span
FROM sl_link
WHERE right_span = ?1 AND kind = SL_FACET;

-- name: inferred
SELECT n.name, l.confidence
FROM sl_link l JOIN sl_name n ON n.id = l.rule
WHERE l.confidence < 1
  AND ((l.left_span = ?1 AND l.right_span = ?2) OR (l.left_span = ?2 AND l.right_span = ?1))
LIMIT 1;

-- name: doubts
WITH
  c AS (SELECT span FROM descendants(?1))
SELECT DISTINCT o.type, d.rule
FROM doubts d
  JOIN spans o ON o.id = iif(d.left_span IN (SELECT span FROM c), d.right_span, d.left_span)
WHERE (d.left_span IN (SELECT span FROM c)) + (d.right_span IN (SELECT span FROM c)) = 1
ORDER BY 2, 1;

-- name: reach
-- Recipes say what tasks are, and spans that events of work on a worker belong to; a try has those
-- events in a database.
SELECT n.name IN (
    SELECT type
    FROM sl_role
    WHERE role IN ('task', 'attempt')
    UNION ALL
    SELECT span_type
    FROM sl_state
    WHERE kind <> 'end'),
  (
    SELECT count(*)
    FROM descendants(?1) d JOIN sl_span t ON t.id = d.span JOIN sl_name m ON m.id = t.type
    WHERE m.name IN (
      SELECT span_type
      FROM sl_state
      WHERE kind = 'run'
      EXCEPT
      SELECT type
      FROM sl_role
      WHERE role = 'attempt')),
  (
    SELECT m.name || ' ' || t.key
    FROM descendants(?1) d JOIN sl_span t ON t.id = d.span JOIN sl_name m ON m.id = t.type
    ORDER BY d.depth DESC, m.name
    LIMIT 1),
  (
    SELECT m.name || '/' || k.name
    FROM descendants(?1) d
      JOIN sl_event e ON e.span = d.span
      JOIN sl_span t ON t.id = d.span
      JOIN sl_name m ON m.id = t.type
      JOIN sl_name k ON k.id = e.type
    ORDER BY e.time_ns DESC
    LIMIT 1)
FROM sl_span s JOIN sl_name n ON n.id = s.type
WHERE s.id = ?1;

-- name: as_they_are
-- The events of the root ?1.
(
  SELECT e.time_ns AS time_ns, n.name AS span_type, s.key AS span_key, m.name AS event,
    e.source AS source, e.place AS place, e.span AS span, NULL AS text, NULL AS events
  FROM descendants(?1) d
    JOIN sl_event e ON e.span = d.span
    JOIN sl_span s ON s.id = e.span
    JOIN sl_name n ON n.id = s.type
    JOIN sl_name m ON m.id = e.type)
-- name: as_seen
-- The same through the lens.  What was merged is of many spans, and the key of one of them would
-- mislead.
(
  SELECT e.time_ns AS time_ns, e.span_type AS span_type,
    iif(e.events, NULL, s.key) AS span_key,
    e.event_type AS event, e.source AS source, e.place AS place, e.span AS span, NULL AS text,
    e.events AS events
  FROM lens_events(?1) e JOIN sl_span s ON s.id = e.span)
-- name: lines
SELECT l.time_ns, l.source, l.place, min(l.span) AS span, l.text
FROM descendants(?1) d JOIN temp.sl_line l ON l.span = d.span
GROUP BY l.source, l.place;

-- name: lines_beside
-- Events with the line that says so, and lines that only name a span as rows without an event.
(
  WITH
    e AS MATERIALIZED (SELECT * FROM %s),
    l AS MATERIALIZED (%s)
  SELECT e.time_ns, span_type, span_key, event, e.source, e.place, e.span, l.text, e.events
  FROM e LEFT JOIN l ON l.source = e.source AND l.place = e.place
  UNION ALL
  SELECT time_ns, NULL, NULL, NULL, source, place, span, text, NULL
  FROM l
  WHERE (source, place) NOT IN (SELECT source, place FROM e))
-- name: lines_between
-- Each line once, after the events of its time.
(
  SELECT *
  FROM %s
  UNION ALL
  SELECT time_ns, NULL, NULL, NULL, source, place, span, text, NULL
  FROM (%s))
-- name: history
-- In the order of enum sl_history_event.  Times count from event to event; without lines, all rows
-- are events.
SELECT ?1 AS root, e.time_ns AS time_ns, %s, src.component AS component, span_type, span_key,
  event,
  src.path || ifnull('#' || src.part, '') AS path,
  e.place AS place, e.span AS span%s%s
FROM %s e JOIN sl_source src ON src.id = e.source %s
ORDER BY e.time_ns, span_type IS NULL, span_type, event%s;

-- name: since
CAST(e.time_ns - min(%s) OVER () AS REAL) / 1e9 AS since_start_s, iif(event IS NULL,
  NULL,
  CAST(e.time_ns - lag(e.time_ns, 1, e.time_ns) OVER w AS REAL) / 1e9) AS since_previous_s
-- name: window
WINDOW w AS (PARTITION BY event IS NULL ORDER BY e.time_ns, span_type, event)
-- name: for_waits
, (SELECT max(time_ns) FROM %s), (
  SELECT EXISTS (
      SELECT 1
      FROM sl_link
      WHERE kind = SL_AFTER AND left_span = ?1)), src.path, src.part
