-- SPDX-License-Identifier: Apache-2.0
-- What rate.c asks of the store.

-- name: all
SELECT *
FROM event_rate(?1, ?2, ?3);

-- name: range
SELECT first_ns, last_ns
FROM event_rate(?1, 9e9, ?3)
LIMIT 1;

-- name: bins
SELECT time_ns, events
FROM event_rate(?1, ?2, ?3);

-- name: kinds
SELECT n.name, m.name
FROM sl_seen s
JOIN sl_name n ON n.id = s.type
JOIN sl_name m ON m.id = s.what
WHERE s.kind = 1
ORDER BY 1, 2;

-- name: user_range
SELECT min(sl_number(time_ns, 'time_ns')), max(time_ns)
FROM (%s
);

-- name: user_bins
WITH RECURSIVE
  b(i, n) AS MATERIALIZED (
    SELECT time_ns / % lld - (time_ns % % % lld < 0), count(*)
    FROM (% s)
    WHERE time_ns IS NOT NULL
    GROUP BY 1),
  f(i) AS (SELECT min(i) FROM b UNION ALL SELECT i + 1 FROM f WHERE i < (SELECT max(i) FROM b))
SELECT f.i * % lld, ifnull(n, 0)
FROM f LEFT JOIN b USING (i)
ORDER BY 1;

-- name: grouped
SELECT name AS BY_WORD, time_ns, events, per_s
FROM event_rate(?1, ?2, ?3, 'BY_WORD');

-- name: groups
WITH
  b AS MATERIALIZED (SELECT name, time_ns, events, per_s FROM event_rate(?1, ?2, ?3, 'BY_WORD')),
  grid AS MATERIALIZED (SELECT time_ns FROM event_rate(?1, ?2, ?3) ORDER BY 1)
SELECT name AS BY_WORD, sum(events) AS events,
  100.0 * sum(events) / (SELECT sum(events) FROM b) AS share_percent, max(per_s) AS most_per_s,
  spark(
    (
      SELECT json_group_array(ifnull(c.events, 0))
      FROM (
        SELECT c.events
        FROM grid g LEFT JOIN b c ON c.name = o.name AND c.time_ns = g.time_ns
        ORDER BY g.time_ns) c)) AS over_time
FROM b o
GROUP BY 1
ORDER BY 2 DESC, 1;
