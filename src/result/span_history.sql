-- SPDX-License-Identifier: Apache-2.0
-- What span_history.c asks of the store.

-- name: span
SELECT n.name, s.key
FROM sl_span s
JOIN sl_name n ON n.id = s.type
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
SELECT DISTINCT name, value
FROM attributes
WHERE span IN (SELECT ?1 UNION SELECT right_uuid FROM facet WHERE left_uuid = ?1 UNION SELECT left_uuid FROM facet
    WHERE right_uuid = ?1)
ORDER BY name;

-- name: context
SELECT n.name, s.key, (SELECT group_concat(m.name || ' ' || p.key, ', ') FROM sl_span p JOIN sl_name m ON m.id =
    p.type WHERE p.id = s.parent AND m.name NOT LIKE '%.task' AND m.name NOT LIKE '%.workflow'), s.parent
FROM sl_span s
JOIN sl_name n ON n.id = s.type
WHERE s.id = ?;

-- name: below
SELECT c
FROM (SELECT id AS c FROM sl_span WHERE parent = ?1 UNION SELECT right_span FROM sl_link WHERE left_span = ?1 AND
    kind = SL_IN)
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
FROM sl_link l
JOIN sl_name n ON n.id = l.rule
WHERE l.confidence < 1 AND ((l.left_span = ?1 AND l.right_span = ?2) OR (l.left_span = ?2 AND l.right_span = ?1))
LIMIT 1;

-- name: doubts
WITH c AS (SELECT span FROM descendants(?1))
SELECT DISTINCT o.type, d.rule
FROM doubts d
JOIN spans o ON o.id = iif(d.left_span IN (SELECT span FROM c), d.right_span, d.left_span)
WHERE (d.left_span IN (SELECT span FROM c)) + (d.right_span IN (SELECT span FROM c)) = 1
ORDER BY 2, 1;

-- name: depends
SELECT EXISTS (SELECT 1 FROM sl_link WHERE kind = SL_AFTER AND left_span = ?1);

-- name: reach
-- Recipes say what tasks are, and spans that events of work on a worker belong to; a try has those events in a database.
SELECT n.name IN (SELECT type FROM sl_role WHERE role IN ('task', 'attempt') UNION ALL SELECT span_type FROM sl_state),
    (SELECT count(*) FROM descendants(?1) d JOIN sl_span t ON t.id = d.span JOIN sl_name m ON m.id = t.type WHERE m.name
    IN (SELECT span_type FROM sl_state WHERE kind = 'run' EXCEPT SELECT type FROM sl_role WHERE role = 'attempt')), (SELECT m.name || ' ' || t.key FROM descendants(?1) d JOIN sl_span t ON t.id = d.span JOIN
    sl_name m ON m.id = t.type ORDER BY d.depth DESC, m.name LIMIT 1), (SELECT m.name || '/' || k.name FROM
    descendants(?1) d JOIN sl_event e ON e.span = d.span JOIN sl_span t ON t.id = d.span JOIN sl_name m ON m.id =
    t.type JOIN sl_name k ON k.id = e.type ORDER BY e.time_ns DESC LIMIT 1)
FROM sl_span s
JOIN sl_name n ON n.id = s.type
WHERE s.id = ?1;
