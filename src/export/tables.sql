-- SPDX-License-Identifier: Apache-2.0
-- The tables of csv.c, as docs/man/spanloom-export.1 describes them.

-- name: spans
SELECT s.id, s.type, s.key, s.parent,
  (SELECT min(time_ns) FROM sl_event WHERE span = s.id) AS begin_ns,
  (SELECT max(time_ns) FROM sl_event WHERE span = s.id) AS end_ns,
  s.source
FROM sl_exported x CROSS JOIN spans s ON s.id = x.id
ORDER BY x.id;

-- name: events
SELECT e.span, e.time_ns, e.time_ns AS time, n.name AS type, e.source, e.place
FROM sl_exported x CROSS JOIN sl_event e ON e.span = x.id CROSS JOIN sl_name n ON n.id = e.type
ORDER BY x.id, e.time_ns;

-- name: links
SELECT l.kind, l.left_span, l.right_span, l.rule, l.source, l.place, l.confidence
FROM links l
WHERE EXISTS (SELECT 1 FROM sl_exported WHERE id = l.left_span)
  AND EXISTS (SELECT 1 FROM sl_exported WHERE id = l.right_span);

-- name: attributes
SELECT a.span, a.name, a.value, a.source, a.place
FROM sl_exported x CROSS JOIN attributes a ON a.span = x.id;

-- name: samples
SELECT m.span, m.time_ns, m.metric, m.value, m.source, m.place
FROM sl_exported x CROSS JOIN samples m ON m.span = x.id;

-- name: sources
SELECT id, path, part, recipe, component, bytes, mtime_ns, hash
FROM sources;
