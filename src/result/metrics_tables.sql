-- SPDX-License-Identifier: Apache-2.0
-- What metrics.c asks of the store.

-- name: nodes
WITH
  m AS MATERIALIZED (
    SELECT *
    FROM node_metrics
    WHERE ?1 ISNULL OR node IN (SELECT span FROM descendants(?1)))
SELECT iif((SELECT count(DISTINCT rank) = count(*) FROM m),
    rank,
    row_number() OVER (ORDER BY host, began_ns, node) - 1) AS step,
  host, rank, node, began_ns, last_ns, sampled_s, samples, cpus, cpu_avg_utilization_pct,
  cpu_avg_utilization_over20_pct, cpu_avg_utilization_over40_pct, cpu_avg_utilization_over80_pct,
  cpu_avg_utilization_at100_pct, max_t_cpu_pct_per_cpu_avg, max_t_cpu_pct_per_cpu_max,
  max_t_cpu_pct_per_cpu_min, node_cpu_hours, node_unused_cpu_hours, max_t_mem_percent,
  max_t_disk_usage_percent, total_disk_io_read_mb, total_disk_io_write_mb,
  total_net_io_lo_sent_mb, total_net_io_ext_sent_mb, total_net_io_lo_recv_mb,
  total_net_io_ext_recv_mb
FROM m
ORDER BY 1;

-- name: tasks
SELECT t.key AS task, y.key AS try, app, host, m.task AS task_span, m.try AS try_span, began_ns,
  last_ns, sampled_s, samples, cpu_avg_utilization_pct, cpu_avg_utilization_over20_pct,
  cpu_avg_utilization_over40_pct, cpu_avg_utilization_over80_pct, cpu_avg_utilization_at100_pct,
  max_t_cpu_pct, cpu_hours, max_t_mem_percent, max_t_mem_mb, total_disk_io_read_mb,
  total_disk_io_write_mb
FROM task_metrics m JOIN sl_span t ON t.id = m.task JOIN sl_span y ON y.id = m.try
WHERE ?1 ISNULL OR m.try IN (SELECT span FROM descendants(?1))
ORDER BY m.task, m.try;

-- name: apps
SELECT app, count(*) AS tries, count(cpu_hours) AS measured, sum(sampled_s) AS sampled_s,
  sum(cpu_avg_utilization_pct * sampled_s)
    / nullif(sum(iif(cpu_avg_utilization_pct NOTNULL, sampled_s, 0)), 0) AS cpu_avg_utilization_pct,
  sum(cpu_avg_utilization_over20_pct * sampled_s)
    / nullif(sum(iif(cpu_avg_utilization_over20_pct NOTNULL, sampled_s, 0)),
      0) AS cpu_avg_utilization_over20_pct,
  sum(cpu_avg_utilization_over40_pct * sampled_s)
    / nullif(sum(iif(cpu_avg_utilization_over40_pct NOTNULL, sampled_s, 0)),
      0) AS cpu_avg_utilization_over40_pct,
  sum(cpu_avg_utilization_over80_pct * sampled_s)
    / nullif(sum(iif(cpu_avg_utilization_over80_pct NOTNULL, sampled_s, 0)),
      0) AS cpu_avg_utilization_over80_pct,
  sum(cpu_avg_utilization_at100_pct * sampled_s)
    / nullif(sum(iif(cpu_avg_utilization_at100_pct NOTNULL, sampled_s, 0)),
      0) AS cpu_avg_utilization_at100_pct,
  max(max_t_cpu_pct) AS max_t_cpu_pct,
  sum(cpu_hours) AS cpu_hours,
  max(max_t_mem_percent) AS max_t_mem_percent,
  max(max_t_mem_mb) AS max_t_mem_mb,
  sum(total_disk_io_read_mb) AS total_disk_io_read_mb,
  sum(total_disk_io_write_mb) AS total_disk_io_write_mb
FROM task_metrics m
WHERE ?1 ISNULL OR m.try IN (SELECT span FROM descendants(?1))
GROUP BY app
ORDER BY cpu_hours DESC, app;

-- name: reports
-- ?2: a node.  Names of lists and objects (disks.sda.read_mb) are those of samples.
SELECT x.time_ns, (SELECT json_group_array(h.name) FROM sl_shape h WHERE h.id = x.shape), x.vals
FROM sl_sample x
WHERE x.span = ?1
ORDER BY ifnull(json_extract(x.vals,
      (SELECT path FROM sl_shape WHERE id = x.shape AND name = 'uptime_s'))
      * 1e9,
    x.time_ns),
  x.place;
