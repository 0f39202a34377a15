-- SPDX-License-Identifier: Apache-2.0
-- What cmd_types.c asks of the store.

-- name: types
SELECT n.name AS type, count(*) AS spans
FROM sl_span s
JOIN sl_name n ON n.id = s.type
GROUP BY n.name
ORDER BY n.name;

-- name: events
SELECT n.name AS type, m.name AS event, sum(c) AS events, count(*) AS spans
FROM (SELECT s.type AS st, e.type AS et, count(*) AS c FROM sl_event e JOIN sl_span s ON s.id = e.span GROUP BY
    e.span, e.type)
JOIN sl_name n ON n.id = st
JOIN sl_name m ON m.id = et
GROUP BY st, et
ORDER BY n.name, m.name;
