-- SPDX-License-Identifier: Apache-2.0
-- What mlflow.c asks of the store.

-- name: system
-- MLflow's names and units (MB of 10^6 bytes). A node among others has its host in the name; ?1: a
-- span, or NULL.
WITH
  s AS MATERIALIZED (
    SELECT *
    FROM node_samples
    WHERE ?1 ISNULL OR node IN (SELECT span FROM descendants(?1))),
  n AS MATERIALIZED (
    SELECT DISTINCT node,
      (SELECT value FROM attributes WHERE span = node AND name = 'host') AS host,
      (SELECT value FROM attributes WHERE span = node AND name = 'memory_mb') AS memory_mb
    FROM s),
  m AS (
    SELECT n.*,
      'system/'
        || iif((SELECT count(*) FROM n) > 1,
          host || iif(count(*) OVER (PARTITION BY host) > 1, '.' || node, '') || '/',
          '') AS front
    FROM n),
  p AS (
    SELECT m.front, m.memory_mb, s.*,
      row_number() OVER (
        PARTITION BY s.node
        ORDER BY ifnull(s.uptime_s * 1e9, s.time_ns)) - 1 AS step
    FROM s JOIN m USING (node))
SELECT front || 'cpu_utilization_percentage', cpu_pct_per_cpu_avg, step, time_ns / 1000000
FROM p
UNION ALL
SELECT front || 'system_memory_usage_percentage', mem_percent, step, time_ns / 1000000
FROM p
UNION ALL
SELECT front || 'system_memory_usage_megabytes',
  (memory_mb - mem_available_mb) * 1.048576,
  step, time_ns / 1000000
FROM p
UNION ALL
SELECT front || 'disk_usage_percentage', disk_usage_percent, step, time_ns / 1000000
FROM p
UNION ALL
SELECT front || 'network_receive_megabytes',
  (net_io_lo_recv_mb + net_io_ext_recv_mb) * 1.048576,
  step, time_ns / 1000000
FROM p
UNION ALL
SELECT front || 'network_transmit_megabytes',
  (net_io_lo_sent_mb + net_io_ext_sent_mb) * 1.048576,
  step, time_ns / 1000000
FROM p;

-- name: name
SELECT key FROM sl_span WHERE id = ?1;
