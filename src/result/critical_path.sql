-- SPDX-License-Identifier: Apache-2.0
-- What critical_path.c asks of the store.

-- name: keep_path
CREATE TEMP TABLE sl_path AS SELECT *, tasks, undone, row_number() OVER (ORDER BY start_ns) AS i
FROM critical_path(%lld);

-- name: path
SELECT sl_time_text(start_ns) AS start, sl_time_text(end_ns) AS "end", seconds, task, component, state, span
FROM critical_path(?1)
ORDER BY start_ns;

-- name: head
SELECT sum(end_ns - start_ns) / 1e9, min(start_ns), max(end_ns), count(DISTINCT task_span), max(tasks), max(undone)
FROM temp.sl_path;

-- name: blame
SELECT sum(end_ns - start_ns) / 1e9 AS s, count(*), %s, %s
FROM temp.sl_path
GROUP BY 3, 4
ORDER BY 1 DESC;

-- name: parts
SELECT (start_ns - (SELECT min(start_ns) FROM temp.sl_path)) / 1e9, seconds, task, component, state,
    rank() OVER (ORDER BY end_ns - start_ns DESC, i)
FROM temp.sl_path
ORDER BY i;

-- name: slack
SELECT task, round(slack_s, 9) AS slack_s, round(path_s, 9) AS path_s, sl_time_text(first_ns) AS first,
    sl_time_text(done_ns) AS done, span
FROM slack(?1)
ORDER BY slack_s, first_ns;
