-- SPDX-License-Identifier: Apache-2.0
-- What ctf.c asks of the store.

-- Everything in order of time; what: 0 a span begins, 1 an event, 2 a sample, 3 it ends.

-- name: moments
SELECT time_ns, what, span, name, value
FROM (
    SELECT min(e.time_ns) AS time_ns, 0 AS what, e.span AS span, NULL AS name, NULL AS value
    FROM sl_exported x CROSS JOIN sl_event e ON e.span = x.id
    GROUP BY e.span
    UNION ALL
    SELECT max(e.time_ns), 3, e.span, NULL, NULL
    FROM sl_exported x CROSS JOIN sl_event e ON e.span = x.id
    GROUP BY e.span
    UNION ALL
    SELECT DISTINCT e.time_ns, 1, e.span, n.name, NULL
    FROM sl_exported x CROSS JOIN sl_event e ON e.span = x.id CROSS JOIN sl_name n ON n.id = e.type
    UNION ALL
    SELECT DISTINCT m.time_ns, 2, m.span, m.metric, m.value
    FROM sl_exported x CROSS JOIN samples m ON m.span = x.id)
ORDER BY time_ns, what, span, name;

-- name: untimed
SELECT x.id
FROM sl_exported x
WHERE NOT EXISTS (SELECT 1 FROM sl_event WHERE span = x.id);
