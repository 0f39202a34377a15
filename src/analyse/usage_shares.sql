-- SPDX-License-Identifier: Apache-2.0
-- What usage.c asks of the store.

-- name: samples
-- ?1: a span to which nodes belong, or NULL. In the order in which they were taken, also where the
-- clock was set back.
WITH
  n AS MATERIALIZED (
    SELECT node, host,
      (SELECT value FROM attributes WHERE span = m.node AND name = 'memory_mb') AS memory_mb,
      (SELECT value FROM attributes WHERE span = m.node AND name = 'boot_id') AS boot
    FROM (
        SELECT s.id AS node,
          (SELECT lower(value) FROM attributes WHERE span = s.id AND name = 'host') AS host
        FROM sl_span s
        WHERE s.type = (SELECT id FROM sl_name WHERE name = 'node')) m
    WHERE ?1 ISNULL OR node IN (SELECT span FROM descendants(?1)))
SELECT s.node, n.host, s.time_ns, s.elapsed_s, s.cpu_busy_s,
  s.cpu_pct_per_cpu_avg / 100 * s.cpus * s.elapsed_s,
  coalesce(n.memory_mb - s.mem_available_mb, n.memory_mb * s.mem_percent / 100),
  s.disk_io_read_mb + s.disk_io_write_mb,
  s.net_io_lo_sent_mb + s.net_io_ext_sent_mb + s.net_io_lo_recv_mb + s.net_io_ext_recv_mb,
  (SELECT min(time_ns) FROM sl_event WHERE span = s.node),
  n.boot
FROM n JOIN node_samples s ON s.node = n.node
ORDER BY s.node, ifnull(s.uptime_s * 1e9, s.time_ns);

-- name: runs
-- Views of one task are known by the least of their ids.
WITH
  twin AS MATERIALIZED (
    SELECT id, min(id, min(other)) AS first
    FROM (
        SELECT left_span AS id, right_span AS other
        FROM sl_link
        WHERE kind = SL_FACET
        UNION ALL
        SELECT right_span, left_span
        FROM sl_link
        WHERE kind = SL_FACET)
    GROUP BY id),
  worked AS MATERIALIZED (
    SELECT r.worker, r.from_ns, r.to_ns, r.span, r.task,
      ifnull((SELECT first FROM twin WHERE id = r.task), r.task) AS first
    FROM sl_role o JOIN worker_runs(o.type) r
    WHERE o.role = 'worker' AND r.span NOTNULL),
  up(worker, id, depth) AS (
    SELECT DISTINCT worker, worker, 0
    FROM worked
    UNION
    SELECT worker, parent, depth + 1
    FROM up JOIN sl_span USING (id)
    WHERE parent NOTNULL),
  there AS MATERIALIZED (
    SELECT worker,
      max(value) FILTER (WHERE name = 'hostname') AS host,
      max(value) FILTER (WHERE name = 'cores_per_worker') AS cores,
      max(value) FILTER (WHERE name = 'mem_per_worker') AS gb
    FROM up JOIN attributes a ON a.span = up.id
    WHERE a.name IN ('hostname', 'cores_per_worker', 'mem_per_worker')
    GROUP BY worker),
  asked AS MATERIALIZED (
    SELECT span,
      max(value) FILTER (WHERE name = 'requested_cores') AS cores,
      max(value) FILTER (WHERE name = 'requested_memory_MB') AS mb
    FROM attributes
    WHERE name IN ('requested_cores', 'requested_memory_MB')
    GROUP BY span),
  -- what was asked for a task of a queue holds for all that it is in
  carried(id, cores, mb, depth) AS (
    SELECT *, 0
    FROM asked
    UNION
    SELECT l.left_span, cores, mb, depth + 1
    FROM carried JOIN sl_link l ON l.right_span = carried.id AND l.kind = SL_IN
    WHERE depth < 3
    UNION
    SELECT l.left_span, cores, mb, depth + 1
    FROM carried JOIN sl_link l ON l.right_span = carried.id AND l.kind = SL_FACET
    WHERE depth < 3),
  request AS MATERIALIZED (SELECT id, max(cores) AS cores, max(mb) AS mb FROM carried GROUP BY id),
  tried AS MATERIALIZED (
    SELECT y.id AS span, y.parent AS task,
      ifnull((SELECT first FROM twin WHERE id = y.parent), y.parent) AS first,
      (
        SELECT lower(value)
        FROM attributes
        WHERE span = y.id AND name = 'hostname') AS host,
      (SELECT min(time_ns) FROM events WHERE span = y.id AND type = 'running') AS from_ns,
      (SELECT max(time_ns) FROM sl_event WHERE span = y.id) AS last_ns,
      (
        SELECT max(time_ns)
        FROM events
        WHERE span = y.id AND type = 'running_ended') AS to_ns
    FROM sl_span y
    WHERE y.type = (SELECT id FROM sl_name WHERE name = 'parsl.monitoring.try'))
SELECT t.host, t.from_ns, ifnull(t.to_ns, t.last_ns), t.span, t.task, t.first,
  coalesce((SELECT cores FROM request WHERE id = t.span),
    (
      SELECT CAST(cores AS REAL)
      FROM there JOIN worked USING (worker)
      WHERE worked.first = t.first
      LIMIT 1)),
  coalesce((SELECT mb FROM request WHERE id = t.span),
    (
      SELECT CAST(nullif(gb, 'None') AS REAL) * 1024
      FROM there JOIN worked USING (worker)
      WHERE worked.first = t.first
      LIMIT 1))
FROM tried t
WHERE t.host NOTNULL AND t.from_ns NOTNULL
UNION ALL
SELECT lower(h.host), w.from_ns, w.to_ns, w.span, w.task, w.first,
  coalesce((SELECT cores FROM request WHERE id = w.span), CAST(h.cores AS REAL)),
  coalesce((SELECT mb FROM request WHERE id = w.span), CAST(nullif(h.gb, 'None') AS REAL) * 1024)
FROM worked w JOIN there h USING (worker)
WHERE h.host NOTNULL
  AND (w.first ISNULL
    OR w.first NOT IN (
      SELECT first
      FROM tried
      WHERE host NOTNULL AND from_ns NOTNULL AND first NOTNULL))
ORDER BY 1, 2;

-- name: measured
WITH
  p AS MATERIALIZED (
    SELECT id AS shape,
      max(path) FILTER (WHERE name = 'psutil_process_time_user') AS u,
      max(path) FILTER (WHERE name = 'psutil_process_time_system') AS s,
      max(path) FILTER (WHERE name = 'psutil_process_memory_resident') AS m,
      max(path) FILTER (WHERE name = 'psutil_process_disk_read') AS r,
      max(path) FILTER (WHERE name = 'psutil_process_disk_write') AS w
    FROM sl_shape
    GROUP BY id
    HAVING u NOTNULL)
SELECT x.span, x.time_ns,
  json_extract(x.vals, p.u) + json_extract(x.vals, p.s),
  json_extract(x.vals, p.m) / 1048576.0,
  (json_extract(x.vals, p.r) + json_extract(x.vals, p.w)) / 1048576.0
FROM sl_sample x JOIN p ON p.shape = x.shape
ORDER BY x.span, x.time_ns;
