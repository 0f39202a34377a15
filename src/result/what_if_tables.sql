-- SPDX-License-Identifier: Apache-2.0
-- What what_if.c asks of the store.

-- name: keep_simulation
CREATE TEMP TABLE sl_simulation AS
SELECT *, makespan_s, new_makespan_s, undone, assumed, bias, app
FROM what_if(%lld, %Q);

-- name: change
SELECT ?1 AS change, max(makespan_s) AS makespan_s,
  round(max(new_makespan_s), 9) AS new_makespan_s,
  round(max(new_makespan_s) - max(makespan_s), 9) AS change_s,
  100 * (max(new_makespan_s) / max(makespan_s) - 1) AS percent,
  max(assumed) AS assumed, max(bias) AS bias
FROM temp.sl_simulation
HAVING count(*);

-- name: keep_helps
CREATE TEMP TABLE sl_helps AS SELECT * FROM what_helps(%lld);

-- name: helps
SELECT change, makespan_s,
  round(new_makespan_s, 9) AS new_makespan_s,
  round(new_makespan_s - makespan_s, 9) AS change_s,
  100 * (new_makespan_s / makespan_s - 1) AS percent,
  assumed, bias
FROM temp.sl_helps
ORDER BY change_s, change;

-- name: tasks
SELECT task, app,
  (first_ns - min(first_ns) OVER ()) / 1e9 AS first_s,
  (done_ns - min(first_ns) OVER ()) / 1e9 AS done_s,
  (new_first_ns - min(first_ns) OVER ()) / 1e9 AS new_first_s,
  (new_done_ns - min(first_ns) OVER ()) / 1e9 AS new_done_s,
  span
FROM temp.sl_simulation
ORDER BY rowid;

-- name: undone
SELECT max(undone), count(*) FROM temp.sl_simulation;
