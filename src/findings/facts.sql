-- SPDX-License-Identifier: Apache-2.0
-- What findings ask: temporary tables of one workflow, whose id takes the place of WORKFLOW. This
-- file has what ran, and on what; facts_causes.sql what was in its way: tasks that failed, the
-- driver, workers that were missing; facts_path.sql where the critical path went. docs/findings.md
-- describes all columns; facts.c makes the tables from top to bottom, and a replay of the run
-- behind those called facts. In all three, times are nanoseconds since 1970 where names end in _ns,
-- seconds where they end in _s; span, task and worker are ids of spans, but task is a key in the
-- tables task and late, and worker in worker; executor, pool, manager, block, app and host are
-- names.

-- name: facts
-- A part of the critical path, from the first event of the run to the last without a gap; task is
-- NULL where it is the driver's, lost is 1 in a try that failed, runs is 1 where a task ran: what a
-- program that is traced does within a task is the task's running. facts_path.sql fills in nobody_s
-- and unnoticed.
CREATE TEMP TABLE path AS
SELECT start_ns, end_ns, seconds, task_span AS task, component, state, p.span, lost,
  0.0 AS nobody_s, 0 AS unnoticed,
  state LIKE 'running%'
    OR ifnull(task_span NOTNULL
        AND s.type IN (
          SELECT id
          FROM sl_name
          WHERE name IN ('trace.process', 'trace.thread', 'trace.call')),
      0) AS runs
FROM critical_path(WORKFLOW) p LEFT JOIN sl_span s ON s.id = p.span;
CREATE INDEX temp.path_start ON path (start_ns);

-- A try of a task.
CREATE TEMP TABLE attempt (task INTEGER, number INTEGER, span INTEGER, from_ns INTEGER,
  to_ns INTEGER, failed INTEGER, executor, host, exception);
INSERT INTO temp.attempt SELECT * FROM task_tries(WORKFLOW);
CREATE INDEX temp.attempt_failed ON attempt (task, number)
WHERE failed;

-- What a worker ran; and, with span NULL, a worker, which its runs follow.
CREATE TEMP TABLE worker_run AS
SELECT r.worker, from_ns, to_ns, span, task, busy_s, runs, places
FROM sl_role o CROSS JOIN worker_runs(o.type, WORKFLOW) r
WHERE o.role = 'worker'
  AND EXISTS (
    SELECT 1
    FROM sl_name n JOIN sl_span s ON s.type = n.id
    WHERE n.name = o.type);
CREATE INDEX temp.worker_itself ON worker_run (worker)
WHERE span ISNULL;

-- name: more_facts
-- A shape of attributes (a name, and where in their JSON its value is) that is asked for here: to
-- look through all attributes by their view would take long.
CREATE TEMP TABLE wanted AS
SELECT id AS shape, name, path
FROM sl_shape
WHERE name IN ('hostname', 'cpu_count', 'cores', 'cores_per_worker', 'exit_code', 'job_name',
  'submit_error', 'job_state', 'executor_failure', 'strategy', 'type', 'class', 'provider',
  'init_blocks', 'min_blocks', 'max_blocks', 'parallelism', 'not_scaled_out', 'Drain period',
  'exception', 'worker_count', 'mem_per_worker', 'total_memory', 'max_workers_per_node',
  'begun_in');
CREATE INDEX temp.wanted_shape ON wanted (shape);

-- A value of one of these; to be joined by the span.
CREATE TEMP VIEW value_of AS
SELECT a.span, w.name, json_extract(a.vals, w.path) AS value
FROM sl_attr a CROSS JOIN wanted w ON w.shape = a.shape;

-- A worker: the pool that tasks choose it from (the executor of Parsl, another manager, or its
-- type), where it was, and from when to when. What it lies in, up to the workflow, is looked up
-- once for each worker. Its executor is known once its tasks are.
CREATE TEMP TABLE worker AS
WITH
  sums AS MATERIALIZED (
    SELECT worker, from_ns, to_ns, busy_s, runs, places
    FROM worker_run
    WHERE span ISNULL),
  up(worker, id) AS (
    SELECT worker, worker
    FROM sums
    UNION
    SELECT worker, parent
    FROM up JOIN sl_span USING (id)
    WHERE parent NOTNULL),
  said AS (
    SELECT worker, w.name, json_extract(a.vals, w.path) AS value
    FROM up CROSS JOIN sl_attr a ON a.span = up.id CROSS JOIN wanted w ON w.shape = a.shape
    UNION ALL
    SELECT worker, w.name, json_extract(a.vals, w.path)
    FROM up
      CROSS JOIN sl_span s ON s.id = up.id
      CROSS JOIN sl_alike a ON a.id = s.alike
      CROSS JOIN wanted w ON w.shape = a.shape),
  told AS (
    SELECT worker,
      max(value) FILTER (WHERE name = 'hostname') AS host,
      max(value) FILTER (WHERE name IN ('cpu_count', 'cores')) AS cpus,
      max(value) FILTER (WHERE name = 'cores_per_worker') AS cpus_each,
      CAST(max(nullif(value, 'None')) FILTER (WHERE name = 'mem_per_worker') AS REAL) * 1024
        AS memory_mb,
      CAST(max(value) FILTER (WHERE name = 'total_memory') AS REAL) / 1048576 AS node_mb
    FROM said
    WHERE name IN ('hostname', 'cpu_count', 'cores', 'cores_per_worker', 'mem_per_worker',
        'total_memory')
      AND value NOTNULL
    GROUP BY 1)
SELECT r.worker AS span,
  coalesce((
      SELECT x.key
      FROM up u JOIN sl_span x ON x.id = u.id JOIN sl_span o ON o.id = x.parent
      WHERE u.worker = r.worker
        AND x.id <> r.worker
        AND o.type IN (
          SELECT n.id
          FROM sl_role l JOIN sl_name n ON n.name = l.type
          WHERE l.role = 'workflow')),
    (
      SELECT replace(p.key, rtrim(p.key, replace(p.key, '/', '')), '')
      WHERE p.id <> WORKFLOW
        AND p.type IN (
          SELECT n.id
          FROM sl_role l JOIN sl_name n ON n.name = l.type
          WHERE l.role = 'workflow')
        AND NOT EXISTS (
          SELECT 1
          FROM sl_link f
          WHERE f.kind = SL_FACET
            AND ((f.left_span = p.id AND f.right_span = WORKFLOW)
              OR (f.right_span = p.id AND f.left_span = WORKFLOW)))),
    (SELECT name FROM sl_name n WHERE n.id = s.type)) AS pool,
  NULL AS executor, s.key AS worker, p.key AS manager, b.key AS block,
  (SELECT min(time_ns) FROM sl_event e WHERE e.span = b.id) AS asked_ns,
  (
    SELECT min(e.time_ns)
    FROM (
        SELECT b.id AS span
        UNION ALL
        SELECT right_span
        FROM sl_link
        WHERE left_span = b.id AND kind = SL_FACET
        UNION ALL
        SELECT left_span
        FROM sl_link
        WHERE right_span = b.id AND kind = SL_FACET) x
      CROSS JOIN sl_event e ON e.span = x.span
      JOIN sl_name n ON n.id = e.type AND n.name IN ('start', 'RUNNING')) AS ran_ns,
  (SELECT min(time_ns) FROM sl_event e WHERE b.id NOTNULL AND e.span = p.id) AS began_ns,
  (
    SELECT min(e.time_ns)
    FROM sl_event e JOIN sl_name n ON n.id = e.type AND n.name IN ('ready', 'registered')
    WHERE b.id NOTNULL AND e.span = p.id) AS ready_ns,
  host, cpus, cpus_each, memory_mb, node_mb, max(1, places) AS places, from_ns, to_ns, busy_s, runs,
  s.type IS (SELECT id FROM sl_name WHERE name = 'parsl.executors.threads.thread') AS thread,
  (
    SELECT min(e.time_ns)
    FROM sl_event e JOIN sl_name n ON n.id = e.type AND n.name IN ('draining', 'requesting_drain')
    WHERE e.span = p.id) AS drained_ns
FROM sums r
  JOIN sl_span s ON s.id = r.worker
  LEFT JOIN sl_span p ON p.id = s.parent
  LEFT JOIN sl_span b
    ON b.id = p.parent AND (SELECT parent FROM sl_span x WHERE x.id = b.parent) NOTNULL
  LEFT JOIN told USING (worker);

-- A task, in the order of their first events; a job, where these are the tasks of a batch system
-- (unit). Seconds are as of task_times(); vain_s: on workers for tries that failed, all of run_s of
-- a task that failed at last.
CREATE TEMP TABLE task (span INTEGER, task TEXT, app TEXT, executor TEXT, host, manager TEXT,
  worker INTEGER, first_ns INTEGER, start_ns INTEGER, end_ns INTEGER, done_ns INTEGER,
  depend_s REAL, queue_s REAL, run_s REAL, other_s REAL, runs INTEGER, lost_s REAL,
  retried_s REAL,
  vain_s REAL AS (iif(ended IS NULL OR ended = 'done', retried_s, run_s)),
  ended TEXT, exception TEXT, unit TEXT,
  name TEXT AS (unit || ' ' || task || ifnull(' (' || app || ')', '')));
INSERT INTO temp.task (span, task, app, executor, host, manager, worker, first_ns, start_ns,
  end_ns, done_ns, depend_s, queue_s, run_s, other_s, runs, lost_s, retried_s, ended, exception,
  unit)
SELECT t.span, t.task, t.app, t.executor, coalesce(t.host, w.host), w.manager, t.worker, first_ns,
  start_ns, end_ns, done_ns, depend_s, queue_s, run_s, other_s, t.runs, lost_s, retried_s, ended,
  t.exception,
  (
    SELECT iif(EXISTS (
          SELECT 1
          FROM sl_span s JOIN sl_name n ON n.id = s.type JOIN sl_role r ON r.type = n.name
          WHERE s.id = WORKFLOW AND r.role = 'batch'),
        'job',
        'task'))
FROM task_times(WORKFLOW) t LEFT JOIN worker w ON w.span = t.worker;
CREATE INDEX temp.task_span ON task (span);
CREATE INDEX temp.task_start ON task (start_ns, end_ns);

-- The executor of a worker: that of its tasks, else the one that it lies in.
UPDATE temp.worker SET executor = x.executor
FROM (
    SELECT worker, max(executor) AS executor
    FROM (SELECT DISTINCT worker, executor FROM task WHERE worker NOTNULL)
    GROUP BY 1) x
WHERE x.worker = span;
UPDATE temp.worker SET executor = (
    WITH
      up(id) AS (
        SELECT worker.span
        UNION
        SELECT parent
        FROM up JOIN sl_span USING (id)
        WHERE parent NOTNULL)
    SELECT s.key
    FROM up
      JOIN sl_span s USING (id)
      JOIN sl_name n ON n.id = s.type
      JOIN sl_role r ON r.type = n.name AND r.role = 'executor'
    LIMIT 1)
WHERE executor ISNULL;

-- A try that ended as what it ran on was lost: Parsl says so, or a worker of Work Queue failed
-- meanwhile.
CREATE TEMP TABLE lost AS
WITH
  p AS (
    SELECT a.*,
      (
        SELECT m.key
        FROM descendants(a.span) d
          JOIN sl_span x ON x.id = d.span
          JOIN sl_span m ON m.id = x.parent
          JOIN sl_name n ON n.id = m.type
          JOIN sl_role r ON r.type = n.name AND r.role = 'manager'
        LIMIT 1) AS manager
    FROM attempt a
    WHERE failed AND (exception LIKE '%ManagerLost%' OR exception LIKE '%WorkerLost%')),
  gone AS MATERIALIZED (
    SELECT w.span AS worker, w.worker AS name, host, min(e.time_ns) AS at_ns
    FROM worker w
      JOIN sl_event e ON e.span = w.span
      JOIN sl_name n ON n.id = e.type AND n.name = 'DISCONNECTION'
    WHERE EXISTS (
      SELECT 1
      FROM attributes
      WHERE span = w.span AND name = 'disconnection' AND value = 'FAILURE')
    GROUP BY 1),
  cut AS MATERIALIZED (
    SELECT r.span, g.*, from_ns, to_ns
    FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM gone))
      CROSS JOIN worker_run r
      CROSS JOIN gone g ON g.worker = r.worker
    WHERE r.span NOTNULL AND from_ns < at_ns AND to_ns >= at_ns - 1000000),
  up(span, id) AS (
    SELECT span, span
    FROM cut
    UNION
    SELECT up.span, l.left_span
    FROM up JOIN sl_link l ON l.right_span = up.id AND l.kind = SL_IN
    UNION
    SELECT up.span, s.parent
    FROM up JOIN sl_span s ON s.id = up.id
    WHERE s.parent NOTNULL),
  of(span, id) AS (
    SELECT span, id
    FROM up
    UNION
    SELECT up.span, l.left_span
    FROM up JOIN sl_link l ON l.right_span = up.id AND l.kind = SL_FACET
    UNION
    SELECT up.span, l.right_span
    FROM up JOIN sl_link l ON l.left_span = up.id AND l.kind = SL_FACET)
SELECT p.task,
  iif(exception LIKE '%WorkerLost%', 'worker', 'manager') AS what,
  manager AS name,
  coalesce(p.host, (SELECT max(host) FROM worker w WHERE w.manager = p.manager)) AS host,
  from_ns, to_ns
FROM p
UNION ALL
SELECT t.span, 'worker', cut.name, cut.host, from_ns, to_ns
FROM cut JOIN of ON of.span = cut.span CROSS JOIN task t ON t.span = of.id
GROUP BY cut.span, from_ns;
CREATE INDEX temp.lost_task ON lost (task);

-- What a lost manager tells once it is known to be lost, such as that it exits when it goes on, is
-- no worker any more: its workers were there until the last of their runs that came back ended, or
-- the last began.
UPDATE temp.worker SET to_ns = x.to_ns
FROM (
    SELECT w.span,
      (
        SELECT max(iif(r.to_ns < l.at_ns - 1000000000, r.to_ns, r.from_ns))
        FROM worker o JOIN worker_run r ON r.worker = o.span AND r.span NOTNULL
        WHERE o.manager = l.name) AS to_ns
    FROM (
        SELECT name, max(to_ns) AS at_ns
        FROM lost
        WHERE what = 'manager'
        GROUP BY 1) l
      JOIN worker w ON w.manager = l.name AND w.to_ns > l.at_ns + 1000000000
    WHERE NOT EXISTS (
      SELECT 1
      FROM worker o
        JOIN worker_run r ON r.worker = o.span AND r.span NOTNULL AND r.from_ns > l.at_ns
      WHERE o.manager = l.name)) x
WHERE x.span = worker.span AND x.to_ns > from_ns;

-- What Parsl's resource monitoring read of some hundred tasks while they ran: how often, when last,
-- and what their processes used from the first reading to the last.
CREATE TEMP TABLE used AS
WITH
  few AS MATERIALIZED (
    SELECT t.span, t.app, t.worker, t.end_ns, t.run_s
    FROM (
        SELECT 1 + count(*) / 200 AS every
        FROM task
        WHERE EXISTS (SELECT 1 FROM sl_sample)
        HAVING count(*) > 0)
      CROSS JOIN task t
    WHERE t.runs = 1 AND t.app NOTNULL AND t.rowid % every = 0),
  seen AS MATERIALIZED (
    SELECT span, span AS view
    FROM few
    -- facets by the table: the views links and view_of would be made of all tasks
    UNION
    SELECT f.span, l.right_span
    FROM few f CROSS JOIN sl_link l ON l.left_span = f.span AND l.kind = SL_FACET
    UNION
    SELECT f.span, l.left_span
    FROM few f CROSS JOIN sl_link l ON l.right_span = f.span AND l.kind = SL_FACET),
  path AS MATERIALIZED (
    SELECT id AS shape,
      max(path) FILTER (WHERE name = 'psutil_process_time_user') AS user_s,
      max(path) FILTER (WHERE name = 'psutil_process_time_system') AS system_s,
      max(path) FILTER (WHERE name = 'psutil_process_memory_resident') AS memory,
      max(path) FILTER (WHERE name = 'psutil_process_disk_read') AS got,
      max(path) FILTER (WHERE name = 'psutil_process_disk_write') AS put
    FROM sl_shape
    GROUP BY id),
  -- of the worker's process, which has run other tasks before
  reading AS (
    SELECT f.span AS task, f.app, f.worker, f.run_s, f.end_ns, a.time_ns,
      json_extract(a.vals, p.user_s) + json_extract(a.vals, p.system_s) AS cpu_s,
      json_extract(a.vals, p.memory) AS memory,
      json_extract(a.vals, p.got) + json_extract(a.vals, p.put) AS disk
    FROM few f
      CROSS JOIN seen USING (span)
      CROSS JOIN sl_span y ON y.parent = view
      CROSS JOIN sl_name n ON n.id = y.type AND n.name = 'parsl.monitoring.try'
      CROSS JOIN sl_sample a ON a.span = y.id
      CROSS JOIN path p USING (shape)
    WHERE a.time_ns <= f.end_ns)
SELECT task, app, worker, run_s, end_ns,
  count(DISTINCT time_ns) AS readings,
  max(time_ns) AS last_ns,
  (max(time_ns) - min(time_ns)) / 1e9 AS seen_s,
  max(cpu_s) - min(cpu_s) AS cpu_s,
  max(memory) / 1048576.0 AS memory_mb,
  (max(disk) - min(disk)) / 1048576.0 AS disk_mb
FROM reading
GROUP BY task;

-- A pool on whose workers tasks ran, until the last of these: places, and seconds that they were
-- there, and busy, until then; cpus of its nodes, and beside, places of other pools on these; room
-- for how many more tasks these have: of a CPU one that waits, for files or servers, takes the part
-- of the time in which it computed, and of memory as much as the largest did, where readings tell.
CREATE TEMP TABLE pool AS
WITH
  each AS MATERIALIZED (
    SELECT worker, sum(queue_s) AS queue_s, count(*) AS tasks, max(end_ns) AS end_ns
    FROM task
    WHERE runs > 0 AND worker NOTNULL
    GROUP BY 1),
  q AS MATERIALIZED (
    SELECT pool, sum(queue_s) AS queue_s, sum(tasks) AS tasks, max(end_ns) AS end_ns
    FROM each t JOIN worker w ON w.span = t.worker
    GROUP BY 1),
  did AS MATERIALIZED (
    SELECT w.span AS worker,
      (
        SELECT sum(max(0, min(r.to_ns, w.to_ns, q.end_ns) - max(r.from_ns, w.from_ns))) / 1e9
        FROM worker_run i CROSS JOIN worker_run r
        WHERE i.worker = w.span
          AND i.span ISNULL
          AND r.rowid > i.rowid
          AND r.rowid <= i.rowid + i.runs) AS busy_s
    FROM worker w JOIN q USING (pool)),
  node AS MATERIALIZED (
    SELECT pool, coalesce(host, manager) AS node, max(cpus) AS cpus, max(node_mb) AS mb,
      sum(places) AS places
    FROM worker
    GROUP BY 1, 2),
  cpu AS (
    SELECT pool, sum(cpus) AS cpus, sum(mb) AS mb,
      sum((
        SELECT ifnull(sum(o.places), 0)
        FROM node o
        WHERE o.node = n.node AND o.pool <> n.pool)) AS beside
    FROM node n
    GROUP BY 1),
  read AS (
    SELECT max(0.1, min(1, sum(cpu_s) / sum(seen_s))) AS computed
    FROM used
    WHERE readings > 1
    HAVING count(*) >= 4 AND sum(seen_s) > 0.3 * (SELECT sum(run_s) FROM used))
SELECT w.pool, max(executor) AS executor, max(thread) AS threads, sum(places) AS places, cpu.cpus,
  cpu.beside,
  (SELECT computed FROM read) AS computed,
  max(0,
    min(CAST(cpu.cpus / ifnull((SELECT computed FROM read), 1) AS INTEGER),
      ifnull(CAST(cpu.mb / (SELECT max(memory_mb) FROM used) AS INTEGER), 1e9))
    - sum(places) - cpu.beside) AS room,
  ifnull(sum(did.busy_s), 0) AS busy_s,
  sum(places * max(0, min(to_ns, end_ns) - from_ns)) / 1e9 AS there_s,
  q.tasks, q.queue_s, q.end_ns
FROM worker w JOIN q USING (pool) JOIN cpu USING (pool) LEFT JOIN did ON did.worker = w.span
GROUP BY 1;

-- A span that is a view of a task, the task itself too; for a few tasks.
CREATE TEMP VIEW view_of AS
SELECT span AS task, span AS view
FROM task
UNION
SELECT t.span, l.right_span
FROM task t CROSS JOIN sl_link l ON l.left_span = t.span AND l.kind = SL_FACET
UNION
SELECT t.span, l.left_span
FROM task t CROSS JOIN sl_link l ON l.right_span = t.span AND l.kind = SL_FACET;

-- A view of a task, and of one that it depends on.
CREATE TEMP VIEW waits_for AS
SELECT left_span AS span, right_span AS other
FROM sl_link
WHERE kind = SL_AFTER;

-- An app, of its tasks that ran.
CREATE TEMP TABLE app AS
SELECT app, count(*) AS tasks, median(run_s) AS median_s, max(run_s) AS max_s, sum(run_s) AS run_s
FROM task
WHERE runs > 0
GROUP BY app;

-- A task that is done, never ran, and took the result of an earlier one: it says so, or a view of
-- it, or a try of one.
CREATE TEMP TABLE memo AS
WITH
  kind(type) AS MATERIALIZED (SELECT id FROM sl_name WHERE name = 'memo_done'),
  never AS MATERIALIZED (
    SELECT span
    FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM kind)) CROSS JOIN task
    WHERE runs = 0 AND ended = 'done'),
  view(task, span) AS (
    SELECT span, span
    FROM never
    UNION
    SELECT n.span, l.right_span
    FROM never n CROSS JOIN sl_link l ON l.left_span = n.span AND l.kind = SL_FACET
    UNION
    SELECT n.span, l.left_span
    FROM never n CROSS JOIN sl_link l ON l.right_span = n.span AND l.kind = SL_FACET)
SELECT DISTINCT task
FROM (
    SELECT task, span
    FROM view
    UNION
    SELECT v.task, s.id
    FROM view v CROSS JOIN sl_span s ON s.parent = v.span) v
  CROSS JOIN sl_event e ON e.span = v.span
WHERE e.type IN (SELECT type FROM kind);

-- The run, one row: workers and places are the most that were there at once, where who comes when
-- another leaves takes its place. ended_ns is when it said that it ended; ends: whether runs like
-- it say that at all; no_task: it has none, and table task has its executors, or itself.
CREATE TEMP TABLE run AS
WITH
  edge AS (
    SELECT from_ns AS time_ns, 1 AS workers, places
    FROM worker
    UNION ALL
    SELECT to_ns, -1, -places
    FROM worker),
  most AS (
    SELECT max(1, max(workers)) AS workers, max(1, max(places)) AS places
    FROM (
        SELECT sum(workers) OVER w AS workers, sum(places) OVER w AS places
        FROM edge
        WINDOW w AS (ORDER BY time_ns, workers ROWS UNBOUNDED PRECEDING))),
  there AS (
    SELECT sum(to_ns - from_ns) / 1e9 AS there_s, sum(busy_s) AS busy_s
    FROM worker),
  it(id) AS (
    SELECT WORKFLOW
    UNION
    SELECT right_span
    FROM sl_link
    WHERE left_span = WORKFLOW AND kind = SL_FACET
    UNION
    SELECT left_span
    FROM sl_link
    WHERE right_span = WORKFLOW AND kind = SL_FACET)
SELECT WORKFLOW AS workflow,
  (SELECT min(start_ns) FROM path) AS start_ns,
  (SELECT max(end_ns) FROM path) AS end_ns,
  (SELECT sum(seconds) FROM path) AS makespan_s,
  (SELECT count(*) FROM memo) AS memo,
  count(*) AS tasks, sum(ended = 'done') AS done, sum(ended <> 'done') AS failed,
  sum(ended ISNULL) AS undone, sum(runs > 1) AS retried, sum(run_s) AS run_s,
  m.workers AS most_workers, m.places, there.there_s, there.busy_s,
  (
    SELECT max(e.time_ns)
    FROM it
      JOIN sl_event e ON e.span = it.id
      JOIN sl_name n ON n.id = e.type
      JOIN sl_span s ON s.id = it.id
      JOIN sl_name t ON t.id = s.type
      JOIN sl_state p ON p.span_type = t.name AND p.event_type = n.name AND p.kind = 'end')
      AS ended_ns,
  EXISTS (
    SELECT 1
    FROM it
      JOIN sl_span s USING (id)
      JOIN sl_name n ON n.id = s.type
      JOIN sl_state p ON p.span_type = n.name AND p.kind = 'end') AS ends,
  EXISTS (
    SELECT 1
    FROM sl_span s JOIN sl_name n ON n.id = s.type JOIN sl_role r ON r.type = n.name
    WHERE s.id = WORKFLOW AND r.role = 'batch') AS batch,
  EXISTS (
    SELECT 1
    FROM (SELECT span FROM task LIMIT 1) t
      JOIN sl_span s ON s.id = t.span
      JOIN sl_name n ON n.id = s.type
      JOIN sl_role r ON r.type = n.name AND r.role IN ('executor', 'workflow')) AS no_task,
  (SELECT max(end_ns) FROM path) AS seen_ns,
  min(first_ns) AS first_submitted_ns,
  min(start_ns) AS first_start_ns,
  max(end_ns) AS last_end_ns, max(done_ns) AS last_done_ns
FROM task, most m, there;

-- name: no_facts
-- Those of another run go.  Tables are read from end to end, mostly, and again and again.
PRAGMA temp.page_size = 16384;
PRAGMA temp.cache_size = -32768;
DROP TABLE IF EXISTS temp.path;
DROP VIEW IF EXISTS temp.view_of;
DROP VIEW IF EXISTS temp.waits_for;
DROP VIEW IF EXISTS temp.failure;
DROP VIEW IF EXISTS temp.never_ran;
DROP TABLE IF EXISTS temp.attempt;
DROP TABLE IF EXISTS temp.worker;
DROP TABLE IF EXISTS temp.worker_run;
DROP TABLE IF EXISTS temp.task;
DROP TABLE IF EXISTS temp.app;
DROP TABLE IF EXISTS temp.run;
DROP TABLE IF EXISTS temp.ran;
DROP TABLE IF EXISTS temp.lost;
DROP TABLE IF EXISTS temp.went;
DROP TABLE IF EXISTS temp.pool;
DROP VIEW IF EXISTS temp.value_of;
DROP TABLE IF EXISTS temp.wanted;
DROP TABLE IF EXISTS temp.serial;
DROP TABLE IF EXISTS temp.other_driver;
DROP TABLE IF EXISTS temp.silent;
DROP TABLE IF EXISTS temp.nobody;
DROP TABLE IF EXISTS temp.on_worker;
DROP TABLE IF EXISTS temp.untaken;
DROP TABLE IF EXISTS temp.used;
DROP VIEW IF EXISTS temp.fewer;
DROP TABLE IF EXISTS temp.made_again;
DROP TABLE IF EXISTS temp.late;
DROP VIEW IF EXISTS temp.longest_last;
DROP TABLE IF EXISTS temp.stage;
DROP TABLE IF EXISTS temp.gone;
DROP TABLE IF EXISTS temp.memo;
DROP TABLE IF EXISTS temp.block;
DROP TABLE IF EXISTS temp.executor;
