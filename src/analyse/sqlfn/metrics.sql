-- SPDX-License-Identifier: Apache-2.0
-- What metrics.c asks of the store.

-- name: node_samples
-- What nodes were doing (docs/monitor.md), a row a sample; counters are since the monitor began.
-- elapsed_s: since the sample before, or since the monitor began, suspension included; by uptime_s,
-- since the clock may be set back.
WITH
  p AS MATERIALIZED (
    SELECT id AS shape,
      max(path) FILTER (WHERE name = 'uptime_s') AS uptime_s,
      max(path) FILTER (WHERE name = 'cpu_pct_per_cpu_avg') AS cpu_pct_per_cpu_avg,
      max(path) FILTER (WHERE name = 'cpu_pct_per_cpu_min') AS cpu_pct_per_cpu_min,
      max(path) FILTER (WHERE name = 'cpu_pct_per_cpu_max') AS cpu_pct_per_cpu_max,
      max(path) FILTER (WHERE name = 'mem_percent') AS mem_percent,
      max(path) FILTER (WHERE name = 'disk_usage_percent') AS disk_usage_percent,
      max(path) FILTER (WHERE name = 'disk_io_read_mb') AS disk_io_read_mb,
      max(path) FILTER (WHERE name = 'disk_io_write_mb') AS disk_io_write_mb,
      max(path) FILTER (WHERE name = 'net_io_lo_sent_mb') AS net_io_lo_sent_mb,
      max(path) FILTER (WHERE name = 'net_io_ext_sent_mb') AS net_io_ext_sent_mb,
      max(path) FILTER (WHERE name = 'net_io_lo_recv_mb') AS net_io_lo_recv_mb,
      max(path) FILTER (WHERE name = 'net_io_ext_recv_mb') AS net_io_ext_recv_mb,
      max(path) FILTER (WHERE name = 'cpus') AS cpus,
      max(path) FILTER (WHERE name = 'cpu_busy_s') AS cpu_busy_s,
      max(path) FILTER (WHERE name = 'cpu_capacity_s') AS cpu_capacity_s,
      max(path) FILTER (WHERE name = 'mem_available_mb') AS mem_available_mb
    FROM sl_shape
    GROUP BY id),
  n AS MATERIALIZED (
    SELECT s.id,
      (SELECT min(e.time_ns) FROM sl_event e WHERE e.span = s.id) AS began_ns,
      (
        SELECT value
        FROM attributes
        WHERE span = s.id AND name = 'uptime_s' AND typeof(value) <> 'text') AS uptime_s,
      (
        SELECT value
        FROM attributes
        WHERE span = s.id AND name = 'cpus' AND typeof(value) <> 'text') AS cpus
    FROM sl_span s
    WHERE s.type = (SELECT id FROM sl_name WHERE name = 'node'))
SELECT s.span AS node, s.time_ns AS time_ns,
  max(0.0,
    coalesce(json_extract(s.vals, p.uptime_s) - lag(json_extract(s.vals, p.uptime_s),
        1, n.uptime_s) OVER w,
      (s.time_ns - lag(s.time_ns, 1, n.began_ns) OVER w) / 1e9,
      0.0)) AS elapsed_s,
  json_extract(s.vals, p.cpu_pct_per_cpu_avg) AS cpu_pct_per_cpu_avg,
  json_extract(s.vals, p.cpu_pct_per_cpu_min) AS cpu_pct_per_cpu_min,
  json_extract(s.vals, p.cpu_pct_per_cpu_max) AS cpu_pct_per_cpu_max,
  json_extract(s.vals, p.mem_percent) AS mem_percent,
  json_extract(s.vals, p.disk_usage_percent) AS disk_usage_percent,
  json_extract(s.vals, p.disk_io_read_mb) AS disk_io_read_mb,
  json_extract(s.vals, p.disk_io_write_mb) AS disk_io_write_mb,
  json_extract(s.vals, p.net_io_lo_sent_mb) AS net_io_lo_sent_mb,
  json_extract(s.vals, p.net_io_ext_sent_mb) AS net_io_ext_sent_mb,
  json_extract(s.vals, p.net_io_lo_recv_mb) AS net_io_lo_recv_mb,
  json_extract(s.vals, p.net_io_ext_recv_mb) AS net_io_ext_recv_mb,
  coalesce(json_extract(s.vals, p.cpus), n.cpus) AS cpus,
  json_extract(s.vals, p.cpu_busy_s) AS cpu_busy_s,
  json_extract(s.vals, p.cpu_capacity_s) AS cpu_capacity_s,
  json_extract(s.vals, p.mem_available_mb) AS mem_available_mb,
  json_extract(s.vals, p.uptime_s) AS uptime_s
FROM n CROSS JOIN sl_sample s ON s.span = n.id JOIN p ON p.shape = s.shape
WINDOW w AS (
  PARTITION BY s.span
  ORDER BY ifnull(json_extract(s.vals, p.uptime_s) * 1e9, s.time_ns), s.place);

-- name: node_metrics
-- One row a node: what it came to while it was monitored. Shares of time are weighted by elapsed_s.
SELECT s.node AS node,
  (SELECT value FROM attributes WHERE span = s.node AND name = 'host') AS host,
  (
    SELECT CAST(value AS INTEGER)
    FROM attributes
    WHERE span = s.node AND name = 'rank') AS rank,
  (SELECT min(time_ns) FROM sl_event WHERE span = s.node) AS began_ns,
  s.last_ns AS last_ns, s.sampled_s AS sampled_s, s.samples AS samples, s.cpus AS cpus,
  s.cpu_avg_utilization_pct AS cpu_avg_utilization_pct,
  s.over20 AS cpu_avg_utilization_over20_pct,
  s.over40 AS cpu_avg_utilization_over40_pct,
  s.over80 AS cpu_avg_utilization_over80_pct,
  s.at100 AS cpu_avg_utilization_at100_pct,
  s.max_avg AS max_t_cpu_pct_per_cpu_avg,
  s.max_max AS max_t_cpu_pct_per_cpu_max,
  s.max_min AS max_t_cpu_pct_per_cpu_min,
  s.node_cpu_hours AS node_cpu_hours,
  s.node_cpu_hours * (1 - s.cpu_avg_utilization_pct / 100.0) AS node_unused_cpu_hours,
  s.mem AS max_t_mem_percent,
  s.disk AS max_t_disk_usage_percent,
  s.disk_read AS total_disk_io_read_mb,
  s.disk_write AS total_disk_io_write_mb,
  s.lo_sent AS total_net_io_lo_sent_mb,
  s.ext_sent AS total_net_io_ext_sent_mb,
  s.lo_recv AS total_net_io_lo_recv_mb,
  s.ext_recv AS total_net_io_ext_recv_mb
FROM (
    SELECT node, max(time_ns) AS last_ns, sum(elapsed_s) AS sampled_s, count(*) AS samples,
      max(cpus) AS cpus,
      coalesce(100.0 * max(cpu_busy_s) / nullif(max(cpu_capacity_s), 0),
        sum(cpu_pct_per_cpu_avg * elapsed_s)
          / nullif(sum(iif(cpu_pct_per_cpu_avg NOTNULL, elapsed_s, 0)),
            0)) AS cpu_avg_utilization_pct,
      100.0
        * sum(iif(cpu_pct_per_cpu_avg >= 20, elapsed_s, 0))
        / nullif(sum(iif(cpu_pct_per_cpu_avg NOTNULL, elapsed_s, 0)), 0) AS over20,
      100.0
        * sum(iif(cpu_pct_per_cpu_avg >= 40, elapsed_s, 0))
        / nullif(sum(iif(cpu_pct_per_cpu_avg NOTNULL, elapsed_s, 0)), 0) AS over40,
      100.0
        * sum(iif(cpu_pct_per_cpu_avg >= 80, elapsed_s, 0))
        / nullif(sum(iif(cpu_pct_per_cpu_avg NOTNULL, elapsed_s, 0)), 0) AS over80,
      100.0
        * sum(iif(cpu_pct_per_cpu_avg >= 100, elapsed_s, 0))
        / nullif(sum(iif(cpu_pct_per_cpu_avg NOTNULL, elapsed_s, 0)), 0) AS at100,
      max(cpu_pct_per_cpu_avg) AS max_avg,
      max(cpu_pct_per_cpu_max) AS max_max,
      max(cpu_pct_per_cpu_min) AS max_min,
      sum(elapsed_s * cpus) / 3600.0 AS node_cpu_hours,
      max(mem_percent) AS mem,
      max(disk_usage_percent) AS disk,
      max(disk_io_read_mb) AS disk_read,
      max(disk_io_write_mb) AS disk_write,
      max(net_io_lo_sent_mb) AS lo_sent,
      max(net_io_ext_sent_mb) AS ext_sent,
      max(net_io_lo_recv_mb) AS lo_recv,
      max(net_io_ext_recv_mb) AS ext_recv
    FROM node_samples
    GROUP BY node) s;

-- name: task_metrics
-- The same of Parsl's tries, from the resource rows of its monitoring. Parsl measures the worker
-- process and its children since they began, so that what a try used is the difference between its
-- rows. CPU: 100 % is one core.
WITH
  p AS MATERIALIZED (
    SELECT id AS shape,
      max(path) FILTER (WHERE name = 'psutil_process_time_user') AS u,
      max(path) FILTER (WHERE name = 'psutil_process_time_system') AS s,
      max(path) FILTER (WHERE name = 'psutil_process_memory_percent') AS mem,
      max(path) FILTER (WHERE name = 'psutil_process_memory_resident') AS rss,
      max(path) FILTER (WHERE name = 'psutil_process_disk_read') AS r,
      max(path) FILTER (WHERE name = 'psutil_process_disk_write') AS w
    FROM sl_shape
    GROUP BY id
    HAVING u NOTNULL OR mem NOTNULL OR rss NOTNULL),
  v AS MATERIALIZED (
    SELECT x.span AS try, x.time_ns AS time_ns,
      json_extract(x.vals, p.u) + json_extract(x.vals, p.s) AS cpu_s,
      json_extract(x.vals, p.mem) AS mem,
      json_extract(x.vals, p.rss) AS rss,
      json_extract(x.vals, p.r) AS r, json_extract(x.vals, p.w) AS w
    FROM sl_sample x JOIN p ON p.shape = x.shape JOIN sl_span t ON t.id = x.span
    WHERE t.type = (SELECT id FROM sl_name WHERE name = 'parsl.monitoring.try')),
  d AS (
    SELECT *,
      (time_ns - lag(time_ns) OVER w) / 1e9 AS elapsed_s,
      cpu_s - lag(cpu_s) OVER w AS used_s
    FROM v
    WINDOW w AS (PARTITION BY try ORDER BY time_ns))
SELECT d.try AS try, t.parent AS task,
  (
    SELECT value
    FROM attributes
    WHERE span = t.parent AND name = 'task_func_name') AS app,
  (SELECT value FROM attributes WHERE span = d.try AND name = 'hostname') AS host,
  min(d.time_ns) AS began_ns, max(d.time_ns) AS last_ns,
  total(d.elapsed_s) AS sampled_s,
  count(*) AS samples,
  100.0 * (max(d.cpu_s) - min(d.cpu_s)) / nullif(sum(d.elapsed_s), 0) AS cpu_avg_utilization_pct,
  100.0
    * sum(iif(d.used_s / d.elapsed_s >= 0.2, d.elapsed_s, 0))
    / nullif(sum(d.elapsed_s), 0) AS cpu_avg_utilization_over20_pct,
  100.0
    * sum(iif(d.used_s / d.elapsed_s >= 0.4, d.elapsed_s, 0))
    / nullif(sum(d.elapsed_s), 0) AS cpu_avg_utilization_over40_pct,
  100.0
    * sum(iif(d.used_s / d.elapsed_s >= 0.8, d.elapsed_s, 0))
    / nullif(sum(d.elapsed_s), 0) AS cpu_avg_utilization_over80_pct,
  100.0
    * sum(iif(d.used_s / d.elapsed_s >= 1.0, d.elapsed_s, 0))
    / nullif(sum(d.elapsed_s), 0) AS cpu_avg_utilization_at100_pct,
  max(100.0 * d.used_s / nullif(d.elapsed_s, 0)) AS max_t_cpu_pct,
  iif(count(*) > 1, (max(d.cpu_s) - min(d.cpu_s)) / 3600.0, NULL) AS cpu_hours,
  max(d.mem) AS max_t_mem_percent,
  max(d.rss) / 1048576.0 AS max_t_mem_mb,
  iif(count(*) > 1, (max(d.r) - min(d.r)) / 1048576.0, NULL) AS total_disk_io_read_mb,
  iif(count(*) > 1, (max(d.w) - min(d.w)) / 1048576.0, NULL) AS total_disk_io_write_mb
FROM d JOIN sl_span t ON t.id = d.try
GROUP BY d.try;
