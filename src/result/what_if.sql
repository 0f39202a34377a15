-- SPDX-License-Identifier: Apache-2.0
-- What what_if.c asks of the store.

-- name: keep_simulation
CREATE TEMP TABLE sl_simulation AS SELECT *, makespan_s, new_makespan_s, undone
FROM what_if(%lld, %Q);

-- name: change
SELECT ?1 AS change, max(makespan_s) AS makespan_s, round(max(new_makespan_s), 6) AS new_makespan_s,
    round(max(new_makespan_s) - max(makespan_s), 6) AS change_s, round(100 * (max(new_makespan_s) / max(makespan_s)
    - 1), 1) AS percent
FROM temp.sl_simulation
HAVING count(*);

-- name: tasks
SELECT task, (first_ns - min(first_ns) OVER ()) / 1e9 AS first_s, (done_ns - min(first_ns) OVER ()) / 1e9 AS
    done_s, (new_first_ns - min(first_ns) OVER ()) / 1e9 AS new_first_s, (new_done_ns - min(first_ns) OVER ()) /
    1e9 AS new_done_s, span
FROM temp.sl_simulation
ORDER BY rowid;

-- name: undone
SELECT max(undone), count(*)
FROM temp.sl_simulation;
