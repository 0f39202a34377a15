-- SPDX-License-Identifier: Apache-2.0
-- What history.c asks of the store.

-- name: history_gather_lines
WITH s(source) AS (SELECT DISTINCT e.source FROM descendants(%lld) d JOIN sl_event e ON e.span = d.span), h(scope)
    AS (SELECT DISTINCT scope FROM sl_shared JOIN sl_source ON sl_source.id IN (SELECT source FROM s) AND
    substr(path, 1, length(scope) + 1) = scope || '/')
SELECT source
FROM s
UNION
SELECT id
FROM sl_source, h
WHERE substr(path, 1, length(scope) + 1) = scope || '/';

-- name: put_doubts
WITH c AS (SELECT span FROM descendants(?1))
SELECT DISTINCT o.type, d.rule
FROM doubts d
JOIN spans o ON o.id = iif(d.left_span IN (SELECT span FROM c), d.right_span, d.left_span)
WHERE (d.left_span IN (SELECT span FROM c)) + (d.right_span IN (SELECT span FROM c)) = 1
ORDER BY 2, 1;

-- name: history_contexts
SELECT left_span, CASE WHEN confidence < 1 THEN printf('  (inferred: %s, %g)', n.name, confidence) WHEN confidence
    = 1 THEN printf('  (bound: %s)', n.name) ELSE '' END
FROM sl_link
LEFT JOIN sl_name n ON n.id = rule
WHERE kind = 1 AND right_span = ?1
ORDER BY 1;

-- name: history_contexts_2
SELECT name, iif(length(value) < 200, value, substr(value, 1, 150) || '... (' || length(value) || ' characters)')
FROM (SELECT DISTINCT name, value FROM attributes WHERE span IN (SELECT ?1 UNION SELECT right_uuid FROM facet WHERE
    left_uuid = ?1 UNION SELECT left_uuid FROM facet WHERE right_uuid = ?1))
ORDER BY name;

-- name: history_contexts_3
SELECT n.name, s.key, (SELECT group_concat(m.name || ' ' || p.key, ', ') FROM sl_span p JOIN sl_name m ON m.id =
    p.type WHERE p.id = s.parent AND m.name NOT LIKE '%.task' AND m.name NOT LIKE '%.workflow'), s.parent
FROM sl_span s
JOIN sl_name n ON n.id = s.type
WHERE s.id = ?;

-- name: history_contexts_4
SELECT c
FROM (SELECT id AS c FROM sl_span WHERE parent = ?1 UNION SELECT right_span FROM sl_link WHERE left_span = ?1 AND
    kind = 1)
JOIN sl_span s ON s.id = c
JOIN sl_name n ON n.id = s.type
ORDER BY n.name, s.id;

-- name: history_contexts_5
SELECT right_span
FROM sl_link
WHERE left_span = ?1 AND kind = 2
UNION
SELECT left_span
FROM sl_link
WHERE right_span = ?1 AND kind = 2;

-- name: history_contexts_6
SELECT n.name, l.confidence
FROM sl_link l
JOIN sl_name n ON n.id = l.rule
WHERE l.confidence < 1 AND ((l.left_span = ?1 AND l.right_span = ?2) OR (l.left_span = ?2 AND l.right_span = ?1))
LIMIT 1;

-- name: history_events
SELECT max(e.time_ns) - min(e.time_ns)
FROM descendants(%lld) d
JOIN sl_event e ON e.span = d.span;

-- name: history_reach
SELECT n.name LIKE 'parsl.%.task' OR n.name LIKE 'parsl.%.try', (SELECT count(*) FROM descendants(?1) d JOIN
    sl_span t ON t.id = d.span JOIN sl_name m ON m.id = t.type WHERE m.name LIKE '%.worker.task' OR m.name =
    'workqueue.task'), (SELECT m.name || ' ' || t.key FROM descendants(?1) d JOIN sl_span t ON t.id = d.span JOIN
    sl_name m ON m.id = t.type ORDER BY d.depth DESC, m.name LIMIT 1), (SELECT m.name || '/' || k.name FROM
    descendants(?1) d JOIN sl_event e ON e.span = d.span JOIN sl_span t ON t.id = d.span JOIN sl_name m ON m.id =
    t.type JOIN sl_name k ON k.id = e.type ORDER BY e.time_ns DESC LIMIT 1)
FROM sl_span s
JOIN sl_name n ON n.id = s.type
WHERE s.id = ?1;
