-- SPDX-License-Identifier: Apache-2.0
-- What why.c asks of the tables of a run (facts.sql).

-- name: run
SELECT NULL,
  (
    SELECT max(value)
    FROM (
        SELECT json_extract(a.vals, f.path) AS value
        FROM sl_attr a CROSS JOIN sl_shape f ON f.id = a.shape
        WHERE a.span = workflow AND f.name = 'workflow_name'
        UNION ALL
        SELECT json_extract(a.vals, f.path)
        FROM sl_span s
          CROSS JOIN sl_alike a ON a.id = s.alike
          CROSS JOIN sl_shape f ON f.id = a.shape
        WHERE s.id = workflow AND f.name = 'workflow_name')),
  workflow, start_ns, end_ns, makespan_s, iif(no_task, 0, tasks), most_workers,
  busy_s / nullif(there_s, 0),
  (first_start_ns - start_ns) / 1e9,
  CASE
    WHEN ended_ns NOTNULL THEN 'ended'
    WHEN NOT ends THEN NULL
    WHEN undone = 0 THEN 'done'
    WHEN EXISTS (SELECT 1 FROM temp.silent) THEN 'driver silent'
    WHEN end_ns > 1000000000 * (strftime('%s', 'now') - 60) THEN 'goes on'
    ELSE 'cut short'
  END,
  places,
  (SELECT since_ns FROM temp.silent),
  memo, iif(batch, 'job', 'task')
FROM temp.run;

-- name: ended
SELECT *
FROM (
    SELECT 'done' AS ended, done AS tasks
    FROM temp.run
    WHERE done > 0
    UNION ALL
    SELECT ended, count(*)
    FROM (SELECT 1 FROM temp.run WHERE done IS NOT tasks) CROSS JOIN temp.task
    WHERE ended IS NOT 'done' AND NOT (SELECT no_task FROM temp.run)
    GROUP BY 1)
ORDER BY ended ISNULL, tasks DESC, ended;

-- name: apps
-- How long tasks take is told by what was done: not by tries that failed, such as at the end of a
-- time limit.
WITH
  vain AS (
    SELECT app,
      median(run_s - vain_s) FILTER (WHERE vain_s = 0 OR run_s > vain_s) AS median_s,
      max(run_s - vain_s) FILTER (WHERE vain_s = 0 OR run_s > vain_s) AS max_s,
      sum(vain_s) AS vain_s
    FROM (SELECT 1 FROM temp.run WHERE retried > 0 OR failed > 0) CROSS JOIN temp.task
    WHERE runs > 0
    GROUP BY app)
SELECT a.app, tasks,
  iif(v.vain_s > 0, v.median_s, a.median_s),
  iif(v.vain_s > 0, v.max_s, a.max_s),
  run_s, ifnull(v.vain_s, 0)
FROM temp.app a LEFT JOIN vain v ON v.app IS a.app
ORDER BY run_s DESC;

-- name: parts
SELECT component, state, sum(seconds)
FROM temp.path
GROUP BY 1, 2
ORDER BY 3 DESC;

-- name: went
SELECT what, seconds
FROM temp.went
ORDER BY seconds DESC, what;

-- name: pools
WITH
  edge AS (
    SELECT pool, from_ns AS time_ns, 1 AS step
    FROM temp.worker
    UNION ALL
    SELECT pool, to_ns, -1
    FROM temp.worker),
  most AS (
    SELECT pool, max(1, max(n)) AS n
    FROM (
        SELECT pool,
          sum(step) OVER (PARTITION BY pool ORDER BY time_ns, step ROWS UNBOUNDED PRECEDING) AS n
        FROM edge)
    GROUP BY 1)
SELECT ifnull(executor, pool), n, sum(busy_s) / nullif(sum(to_ns - from_ns) / 1e9, 0)
FROM temp.worker JOIN most USING (pool)
GROUP BY pool
ORDER BY sum(busy_s) DESC, pool;

-- name: worker_type
-- Of the workers that did most, where the store knows several types of them.
SELECT n.name
FROM temp.worker w JOIN sl_span s ON s.id = w.span JOIN sl_name n ON n.id = s.type
WHERE (
  SELECT count(*)
  FROM sl_role r JOIN sl_name k ON k.name = r.type
  WHERE r.role = 'worker' AND EXISTS (SELECT 1 FROM sl_span x WHERE x.type = k.id)) > 1
GROUP BY n.id
ORDER BY sum(w.busy_s) DESC, n.name
LIMIT 1;
