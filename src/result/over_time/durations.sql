-- SPDX-License-Identifier: Apache-2.0
-- What durations.c asks of the store.

-- name: all
SELECT *
FROM two_events(?4, ?5, ?1, ?3);

-- name: list
-- The times as in the view events.
SELECT t.span, s.key,
  strftime('%Y-%m-%dT%H:%M:%S', start_ns / 1000000000 - (start_ns % 1000000000 < 0), 'unixepoch')
    || printf('.%09dZ', (start_ns % 1000000000 + 1000000000) % 1000000000) AS "start",
  strftime('%Y-%m-%dT%H:%M:%S', end_ns / 1000000000 - (end_ns % 1000000000 < 0), 'unixepoch')
    || printf('.%09dZ', (end_ns % 1000000000 + 1000000000) % 1000000000) AS "end", duration_s,
  starts, ends
FROM two_events(?4, ?5, ?1, ?3) t JOIN sl_span s ON s.id = t.span
WHERE NOT ?6 OR start_ns IS NULL OR end_ns IS NULL
ORDER BY duration_s DESC, t.span;

-- name: query
SELECT duration_s, start_ns, end_ns, span, starts, ends
FROM two_events(?4, ?5, ?1, ?3);

-- name: ends_or_durations
-- How many of the second column of a pair look like an end, of how many.
WITH q(a, b) AS (%s
)
SELECT sum(abs(sl_number(b, 2)) / %s > %d), count(b)
FROM q
WHERE abs(sl_number(a, 1)) / %s > %d AND a NOTNULL;

-- name: pair_of_times
WITH q(a, b) AS (%s
)
SELECT %s AS duration_s, a AS start_ns, b AS end_ns
FROM q;

-- name: time_and_duration
WITH q(a, b) AS (%s
)
SELECT %s AS duration_s
FROM q;

-- name: start_and_end
SELECT *, sl_number("end", 'end') - sl_number("start", 'start') AS duration_s, "start" AS start_ns,
  "end" AS end_ns
FROM (% s);

-- name: start_ns_and_end_ns
SELECT (sl_number(end_ns, 'end_ns') - sl_number(start_ns, 'start_ns')) / 1e9 AS duration_s
FROM (%s
);

-- name: no_seconds
SELECT max(abs("start")) > 1e12 OR max(abs("end")) > 1e12
FROM (%s
);

-- name: grouped
SELECT ifnull(g.BY_WORD, '(none)') AS BY_WORD, t.*
FROM two_events(?4, ?5, ?1, ?3) t
LEFT JOIN span_groups() g ON g.span = t.span
ORDER BY g.BY_WORD IS NULL, 1, t.span;

-- name: groups
SELECT ifnull(g.BY_WORD, '(none)') AS BY_WORD, count(*) AS spans, count(duration_s) AS durations,
  median(duration_s) AS median_s, quantile(duration_s, 0.95) AS p95_s, max(duration_s) AS maximum_s,
  total(duration_s) AS total_s
FROM two_events(?4, ?5, ?1, ?3) t LEFT JOIN span_groups() g ON g.span = t.span
GROUP BY 1
ORDER BY total_s DESC, 1;

-- name: of_tasks
SELECT ifnull(g.BY_WORD, '(none)') AS BY_WORD, count(*) AS tasks, median(depend_s) AS waiting_s,
  median(queue_s) AS queue_s, median(run_s) AS run_s, max(run_s) AS longest_run_s,
  median(other_s) AS between_s
FROM task_times(?1) t LEFT JOIN span_groups() g ON g.span = t.span
GROUP BY 1
ORDER BY sum(run_s) DESC, 1;
