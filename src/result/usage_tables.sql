-- SPDX-License-Identifier: Apache-2.0
-- What usage.c asks of the store.

-- name: parts
-- ?1: a span to which nodes belong, or NULL. Memory: MB on average over the time that nodes were
-- sampled.
WITH
  u AS MATERIALIZED (SELECT * FROM node_usage(?1)),
  s AS (SELECT sum(there_s) AS s FROM (SELECT there_s FROM u WHERE span ISNULL)),
  n AS (SELECT u.*, %s AS what, %s AS id FROM u)
SELECT what, id,
  iif(what = 'unattributed', NULL, count(*)) AS runs,
  iif(what = 'unattributed', NULL, sum(measured)) AS measured,
  iif(what = 'unattributed', NULL, sum(there_s)) AS there_s,
  sum(cpu_s) AS cpu_s,
  100 * sum(cpu_s) / (SELECT nullif(sum(cpu_s), 0) FROM u) AS cpu_percent,
  sum(cores * there_s) AS requested_cpu_s,
  100
    * sum(iif(cores NOTNULL, cpu_s, NULL))
    / nullif(sum(cores * there_s), 0) AS used_of_requested_percent,
  sum(mem_mb_s) / nullif((SELECT s FROM s), 0) AS mem_mb,
  sum(memory_mb * there_s) / nullif((SELECT s FROM s), 0) AS requested_mem_mb,
  sum(disk_mb) AS disk_mb, sum(net_mb) AS net_mb
FROM n
GROUP BY what, id
ORDER BY what = 'unattributed', 6 DESC, 1;

-- name: task
iif(span ISNULL,
  'unattributed',
  coalesce((
      SELECT replace(replace(replace(t.type, 'parsl.monitoring.task', 'task'),
            'parsl.rundir.task', 'task'),
          'workqueue.task', 'wq task')
          || ' ' || t.key
      FROM spans t
      WHERE t.id = u.task),
    (SELECT t.type || ' ' || t.key FROM spans t WHERE t.id = u.span)))
-- name: task_id
task
-- name: app
iif(span ISNULL,
  'unattributed',
  coalesce((
      SELECT a.value
      FROM attributes a
      WHERE a.span IN (u.task, u.span,
        (
          SELECT right_span
          FROM sl_link
          WHERE left_span = u.task AND kind = SL_FACET),
        (
          SELECT left_span
          FROM sl_link
          WHERE right_span = u.task AND kind = SL_FACET))
        AND a.name IN ('task_func_name', 'app', 'category')
      ORDER BY a.name DESC
      LIMIT 1),
    '(no name)'))
-- name: type
iif(span ISNULL, 'unattributed', (SELECT t.type FROM spans t WHERE t.id = u.span))
-- name: no_id
NULL
-- name: nodes
-- What counts of them: of a machine with several monitors at a time, one.
SELECT count(DISTINCT m.host), sum(u.s), sum(u.cpu_s),
  max(total(u.cpu_s), sum(m.node_cpu_hours * 3600 * u.s / nullif(m.sampled_s, 0)))
FROM (
    SELECT node, sum(cpu_s) AS cpu_s, sum(iif(span ISNULL, there_s, 0)) AS s
    FROM node_usage(?1)
    GROUP BY node) u
  JOIN node_metrics m USING (node);
