-- SPDX-License-Identifier: Apache-2.0
-- What spans.c asks of the store.

-- What is exported: of one run all that belongs to it, and what that is named in.

-- name: of_run
CREATE TEMP TABLE sl_exported AS
WITH RECURSIVE
  up(id) AS (
    SELECT span
    FROM descendants(?1)
    UNION
    SELECT s.parent
    FROM up CROSS JOIN sl_span s ON s.id = up.id
    WHERE s.parent NOTNULL)
SELECT id
FROM up;

-- name: of_run_index
CREATE UNIQUE INDEX temp.sl_exported_id ON sl_exported (id);

-- name: of_all
CREATE TEMP VIEW sl_exported AS SELECT id FROM sl_span;

-- name: span
SELECT id, type, key, parent, source, alike
FROM sl_span
WHERE id = ?1;

-- name: each
SELECT s.id, s.type, s.key, s.parent, s.source, s.alike
FROM sl_exported x CROSS JOIN sl_span s ON s.id = x.id
ORDER BY x.id;

-- What lies in a span that has no events of its own says when it was.

-- name: contained
SELECT min(time_ns), max(time_ns)
FROM (
    SELECT id
    FROM sl_span
    WHERE parent = ?1
    UNION ALL
    SELECT right_span
    FROM sl_link
    WHERE left_span = ?1 AND kind = SL_IN) c
  CROSS JOIN sl_event e ON e.span = c.id;

-- Spans that have samples, from one to the next.

-- name: sampled
WITH RECURSIVE
  s(span) AS (
    SELECT min(span)
    FROM sl_sample
    UNION ALL
    SELECT (SELECT min(span) FROM sl_sample WHERE span > s.span)
    FROM s
    WHERE span NOTNULL)
SELECT span
FROM s
WHERE span NOTNULL;

-- Of one span, or of all in the order of their ids; keys of tables are in that order, so that
-- nothing is sorted.

-- name: events
SELECT span, time_ns, type
FROM sl_event
WHERE span = ?1
ORDER BY time_ns, type;

-- name: all_events
SELECT span, time_ns, type
FROM sl_event
ORDER BY span, time_ns, type;

-- name: attributes
SELECT span, shape, vals FROM sl_attr WHERE span = ?1;

-- name: all_attributes
SELECT span, shape, vals FROM sl_attr ORDER BY span;

-- name: alike
SELECT id, shape, vals FROM sl_alike WHERE id = ?1;

-- name: samples
SELECT DISTINCT time_ns, metric, value
FROM samples
WHERE span = ?1
ORDER BY time_ns, metric;

-- Links of a span, told with the one that came of the other: what contains it, what it waited for,
-- who handed over.

-- name: links
SELECT right_span, kind, left_span, rule, confidence
FROM sl_link
WHERE right_span = ?1 AND kind <> SL_AFTER
ORDER BY kind, left_span;

-- name: all_links
SELECT right_span, kind, left_span, rule, confidence
FROM sl_link
WHERE kind <> SL_AFTER
ORDER BY right_span, kind, left_span;

-- name: after
SELECT left_span, kind, right_span, rule, confidence
FROM sl_link
WHERE left_span = ?1 AND kind = SL_AFTER
ORDER BY right_span;

-- name: all_after
SELECT left_span, kind, right_span, rule, confidence
FROM sl_link
WHERE kind = SL_AFTER
ORDER BY left_span, kind, right_span;

-- Nodes that were watched while the run was, and of which nothing says whose they are.

-- name: nodes_of_nobody
WITH
  run(begin_ns, end_ns) AS MATERIALIZED (
    SELECT min(time_ns), max(time_ns)
    FROM sl_exported x CROSS JOIN sl_event e ON e.span = x.id)
SELECT count(*)
FROM sl_name t CROSS JOIN sl_span n ON n.type = t.id
WHERE t.name = 'node'
  AND NOT EXISTS (SELECT 1 FROM sl_exported WHERE id = n.id)
  AND NOT EXISTS (SELECT 1 FROM sl_link l WHERE l.right_span = n.id AND l.kind = SL_IN)
  AND EXISTS (
    SELECT 1
    FROM run CROSS JOIN sl_sample m ON m.span = n.id AND m.time_ns BETWEEN begin_ns AND end_ns);
