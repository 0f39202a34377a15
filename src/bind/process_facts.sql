-- SPDX-License-Identifier: Apache-2.0
-- What process_facts.c asks of the store.

-- name: load
SELECT s.id, s.key,
  (
    SELECT min(e.time_ns)
    FROM events e
    WHERE e.span = s.id AND e.type = 'begin'),
  (
    SELECT max(e.time_ns)
    FROM events e
    WHERE e.span = s.id AND e.type = 'end'),
  EXISTS (SELECT 1 FROM temp.sl_asker a WHERE a.id = s.id)
FROM sl_name n CROSS JOIN temp.sl_near p CROSS JOIN sl_span s ON s.id = p.id AND s.type = n.id
WHERE n.name = 'trace.process'
ORDER BY s.key;

-- name: load_2
SELECT min(e.time_ns)
FROM sl_span t
  CROSS JOIN sl_span c ON c.parent = t.id OR c.id = t.id
  CROSS JOIN sl_event e ON e.span = c.id
WHERE t.parent = ?1;

-- name: process_with_attribute
-- In an order that does not depend on ids.
SELECT a.span, a.value, n.name,
  CASE n.name
    WHEN 'trace.call' THEN (SELECT parent FROM sl_span WHERE id = x.parent)
    WHEN 'trace.thread' THEN x.parent
    ELSE x.id
  END AS process
FROM sl_handle a JOIN sl_span x ON x.id = a.span JOIN sl_name n ON n.id = x.type
WHERE a.name = '%s' %sAND n.name IN ('trace.call', 'trace.thread', 'trace.process')
ORDER BY (SELECT key FROM sl_span WHERE id = process),
  (SELECT key FROM sl_span WHERE id = x.parent),
  x.key, a.source, a.place;

-- name: insert_link
INSERT OR IGNORE INTO sl_link (left_span, kind, right_span, rule, confidence)
VALUES (?1, ?2, ?3, ?4, ?5);

-- name: insert_doubt
INSERT OR IGNORE INTO sl_doubt (left_span, kind, right_span, rule)
VALUES (?1, ?2, ?3, ?4);

-- name: process_calls
SELECT c.id, c.parent,
  (
    SELECT min(e.time_ns)
    FROM sl_event e
    WHERE e.span = c.id AND e.type = (SELECT id FROM sl_name WHERE name = 'begin')) AS b,
  (
    SELECT max(e.time_ns)
    FROM sl_event e
    WHERE e.span = c.id AND e.type = (SELECT id FROM sl_name WHERE name = 'end')) AS e
FROM sl_span t CROSS JOIN sl_span c ON c.parent = t.id
WHERE t.parent = ?1
  AND +c.type = (SELECT id FROM sl_name WHERE name = 'trace.call')
  AND b IS NOT NULL
ORDER BY b, ifnull(e, 9223372036854775807) DESC, c.id;
