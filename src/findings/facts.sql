-- SPDX-License-Identifier: Apache-2.0
-- What findings ask: temporary tables of one workflow, whose id takes the place of WORKFLOW.  docs/findings.md describes them.

-- name: facts
PRAGMA temp.page_size = 16384; -- read from end to end, mostly
PRAGMA temp.cache_size = -32768; -- what is made here is read again and again
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
DROP VIEW IF EXISTS temp.fewer;
DROP TABLE IF EXISTS temp.made_again;
DROP TABLE IF EXISTS temp.late;
DROP TABLE IF EXISTS temp.gone;
DROP TABLE IF EXISTS temp.memo;
DROP TABLE IF EXISTS temp.block;
DROP TABLE IF EXISTS temp.executor;
-- What a program that is traced does within a task is the task's running.
CREATE TEMP TABLE path AS SELECT start_ns, end_ns, seconds, task_span AS task, component, state, p.span, lost, 0.0 AS nobody_s, 0 AS unnoticed,
    state LIKE 'running%' OR ifnull(task_span NOTNULL AND s.type IN (SELECT id FROM sl_name WHERE name IN ('trace.process', 'trace.thread', 'trace.call')), 0) AS runs
FROM critical_path(WORKFLOW) p LEFT JOIN sl_span s ON s.id = p.span;
CREATE INDEX temp.path_start ON path (start_ns);
-- Which spans are tasks, or facets of one; asked of a few.
CREATE TEMP VIEW view_of AS SELECT span AS task, span AS view FROM task UNION SELECT t.span, l.right_span FROM task t CROSS JOIN sl_link l ON l.left_span = t.span AND l.kind = SL_FACET
    UNION SELECT t.span, l.left_span FROM task t CROSS JOIN sl_link l ON l.right_span = t.span AND l.kind = SL_FACET;
CREATE TEMP VIEW waits_for AS SELECT left_span AS span, right_span AS other FROM sl_link WHERE kind = SL_AFTER;
CREATE TEMP TABLE attempt (task INTEGER, number INTEGER, span INTEGER, from_ns INTEGER, to_ns INTEGER, failed INTEGER, executor, host, exception);
INSERT INTO temp.attempt SELECT * FROM task_tries(WORKFLOW);
CREATE INDEX temp.attempt_failed ON attempt (task, number) WHERE failed;
-- Each worker's runs follow it.
CREATE TEMP TABLE worker_run AS SELECT r.worker, from_ns, to_ns, span, task, busy_s, runs, places FROM sl_role o CROSS JOIN worker_runs(o.type, WORKFLOW) r
    WHERE o.role = 'worker' AND EXISTS (SELECT 1 FROM sl_name n JOIN sl_span s ON s.type = n.id WHERE n.name = o.type);
CREATE INDEX temp.worker_itself ON worker_run (worker) WHERE span ISNULL;

-- name: more_facts
-- Which attributes are wanted, by what their rows look like: all of them through their view would take long.
CREATE TEMP TABLE wanted AS SELECT id AS shape, name, path FROM sl_shape WHERE name IN ('hostname', 'cpu_count', 'cores', 'cores_per_worker', 'exit_code', 'job_name', 'submit_error', 'job_state', 'executor_failure',
    'strategy', 'type', 'class', 'init_blocks', 'min_blocks', 'max_blocks', 'parallelism', 'not_scaled_out', 'Drain period', 'exception');
CREATE INDEX temp.wanted_shape ON wanted (shape);
-- To be joined by the span.
CREATE TEMP VIEW value_of AS SELECT a.span, w.name, json_extract(a.vals, w.path) AS value FROM sl_attr a CROSS JOIN wanted w ON w.shape = a.shape;
CREATE TEMP TABLE worker AS
-- of each worker, before what it lies in is looked up
WITH sums AS MATERIALIZED (SELECT worker, from_ns, to_ns, busy_s, runs, places FROM worker_run WHERE span ISNULL),
    up(worker, id) AS (SELECT worker, worker FROM sums UNION SELECT worker, parent FROM up JOIN sl_span USING (id) WHERE parent NOTNULL),
    said AS (SELECT worker, w.name, json_extract(a.vals, w.path) AS value FROM up CROSS JOIN sl_attr a ON a.span = up.id CROSS JOIN wanted w ON w.shape = a.shape
        UNION ALL SELECT worker, w.name, json_extract(a.vals, w.path) FROM up CROSS JOIN sl_span s ON s.id = up.id CROSS JOIN sl_alike a ON a.id = s.alike CROSS JOIN wanted w ON w.shape = a.shape),
    told AS (SELECT worker, max(value) FILTER (WHERE name = 'hostname') AS host, max(value) FILTER (WHERE name IN ('cpu_count', 'cores')) AS cpus,
        max(value) FILTER (WHERE name = 'cores_per_worker') AS cpus_each FROM said WHERE name IN ('hostname', 'cpu_count', 'cores', 'cores_per_worker') AND value NOTNULL GROUP BY 1)
SELECT r.worker AS span, coalesce((SELECT x.key FROM up u JOIN sl_span x ON x.id = u.id JOIN sl_span o ON o.id = x.parent
        WHERE u.worker = r.worker AND x.id <> r.worker AND o.type IN (SELECT n.id FROM sl_role l JOIN sl_name n ON n.name = l.type WHERE l.role = 'workflow')),
        (SELECT replace(p.key, rtrim(p.key, replace(p.key, '/', '')), '') WHERE p.id <> WORKFLOW AND p.type IN (SELECT n.id FROM sl_role l JOIN sl_name n ON n.name = l.type WHERE l.role = 'workflow')
            AND NOT EXISTS (SELECT 1 FROM sl_link f WHERE f.kind = SL_FACET AND ((f.left_span = p.id AND f.right_span = WORKFLOW) OR (f.right_span = p.id AND f.left_span = WORKFLOW)))),
        (SELECT name FROM sl_name n WHERE n.id = s.type)) AS pool,
    NULL AS executor, s.key AS worker, p.key AS manager, b.key AS block,
    (SELECT min(time_ns) FROM sl_event e WHERE e.span = b.id) AS asked_ns, (SELECT min(time_ns) FROM sl_event e WHERE b.id NOTNULL AND e.span = p.id) AS began_ns, host, cpus, cpus_each, max(1, places) AS places,
    from_ns, to_ns, busy_s, runs,
    (SELECT min(e.time_ns) FROM sl_event e JOIN sl_name n ON n.id = e.type AND n.name IN ('draining', 'requesting_drain') WHERE e.span = p.id) AS drained_ns
FROM sums r JOIN sl_span s ON s.id = r.worker LEFT JOIN sl_span p ON p.id = s.parent
LEFT JOIN sl_span b ON b.id = p.parent AND (SELECT parent FROM sl_span x WHERE x.id = b.parent) NOTNULL LEFT JOIN told USING (worker);
-- In the order of their first events.
CREATE TEMP TABLE task (span INTEGER, task TEXT, app TEXT, executor TEXT, host, manager TEXT, worker INTEGER, first_ns INTEGER, start_ns INTEGER, end_ns INTEGER, done_ns INTEGER,
    depend_s REAL, queue_s REAL, run_s REAL, other_s REAL, runs INTEGER, lost_s REAL, retried_s REAL, vain_s REAL AS (iif(ended IS NULL OR ended = 'done', retried_s, run_s)), ended TEXT, exception TEXT, unit TEXT, -- task or job
    name TEXT AS (unit || ' ' || task || ifnull(' (' || app || ')', '')));
INSERT INTO temp.task (span, task, app, executor, host, manager, worker, first_ns, start_ns, end_ns, done_ns, depend_s, queue_s, run_s, other_s, runs, lost_s, retried_s, ended, exception, unit)
SELECT t.span, t.task, t.app, t.executor, coalesce(t.host, w.host), w.manager, t.worker, first_ns, start_ns, end_ns, done_ns, depend_s, queue_s, run_s, other_s, t.runs, lost_s, retried_s, ended, t.exception,
    (SELECT iif(EXISTS (SELECT 1 FROM sl_span s JOIN sl_name n ON n.id = s.type JOIN sl_role r ON r.type = n.name WHERE s.id = WORKFLOW AND r.role = 'batch'), 'job', 'task'))
FROM task_times(WORKFLOW) t LEFT JOIN worker w ON w.span = t.worker;
UPDATE temp.worker SET executor = x.executor FROM (SELECT worker, max(executor) AS executor FROM (SELECT DISTINCT worker, executor FROM task WHERE worker NOTNULL) GROUP BY 1) x WHERE x.worker = span;
UPDATE temp.worker SET executor = (WITH up(id) AS (SELECT worker.span UNION SELECT parent FROM up JOIN sl_span USING (id) WHERE parent NOTNULL)
    SELECT s.key FROM up JOIN sl_span s USING (id) JOIN sl_name n ON n.id = s.type JOIN sl_role r ON r.type = n.name AND r.role = 'executor' LIMIT 1) WHERE executor ISNULL;
CREATE INDEX temp.task_span ON task (span);
CREATE INDEX temp.task_start ON task (start_ns, end_ns);
-- Tries that ended as what they ran on was lost: Parsl says so, or a worker of Work Queue failed meanwhile.
CREATE TEMP TABLE lost AS
WITH p AS (SELECT a.*, (SELECT m.key FROM descendants(a.span) d JOIN sl_span x ON x.id = d.span JOIN sl_name n ON n.id = x.type JOIN sl_span m ON m.id = x.parent
        WHERE n.name = 'parsl.executor.htex.manager.task' LIMIT 1) AS manager
    FROM attempt a WHERE failed AND (exception LIKE '%ManagerLost%' OR exception LIKE '%WorkerLost%')),
    gone AS MATERIALIZED (SELECT w.span AS worker, w.worker AS name, host, min(e.time_ns) AS at_ns FROM worker w JOIN sl_event e ON e.span = w.span JOIN sl_name n ON n.id = e.type AND n.name = 'DISCONNECTION'
        WHERE EXISTS (SELECT 1 FROM attributes WHERE span = w.span AND name = 'disconnection' AND value = 'FAILURE') GROUP BY 1),
    cut AS MATERIALIZED (SELECT r.span, g.* , from_ns, to_ns FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM gone)) CROSS JOIN worker_run r CROSS JOIN gone g ON g.worker = r.worker
        WHERE r.span NOTNULL AND from_ns < at_ns AND to_ns >= at_ns - 1000000),
    up(span, id) AS (SELECT span, span FROM cut UNION SELECT up.span, l.left_span FROM up JOIN sl_link l ON l.right_span = up.id AND l.kind = SL_IN
        UNION SELECT up.span, s.parent FROM up JOIN sl_span s ON s.id = up.id WHERE s.parent NOTNULL),
    of(span, id) AS (SELECT span, id FROM up UNION SELECT up.span, l.left_span FROM up JOIN sl_link l ON l.right_span = up.id AND l.kind = SL_FACET
        UNION SELECT up.span, l.right_span FROM up JOIN sl_link l ON l.left_span = up.id AND l.kind = SL_FACET)
SELECT p.task, iif(exception LIKE '%WorkerLost%', 'worker', 'manager') AS what, manager AS name, coalesce(p.host, (SELECT max(host) FROM worker w WHERE w.manager = p.manager)) AS host, from_ns, to_ns FROM p
UNION ALL SELECT t.span, 'worker', cut.name, cut.host, from_ns, to_ns FROM cut JOIN of ON of.span = cut.span CROSS JOIN task t ON t.span = of.id GROUP BY cut.span, from_ns;
CREATE INDEX temp.lost_task ON lost (task);
-- What a lost manager tells once it is known to be lost, such as that it exits when it goes on, is no worker any more: its workers
-- were there until the last of their runs that came back ended, or the last began.
UPDATE temp.worker SET to_ns = x.to_ns FROM (SELECT w.span, (SELECT max(iif(r.to_ns < l.at_ns - 1000000000, r.to_ns, r.from_ns)) FROM worker o JOIN worker_run r ON r.worker = o.span AND r.span NOTNULL WHERE o.manager = l.name) AS to_ns
    FROM (SELECT name, max(to_ns) AS at_ns FROM lost WHERE what = 'manager' GROUP BY 1) l JOIN worker w ON w.manager = l.name AND w.to_ns > l.at_ns + 1000000000
    WHERE NOT EXISTS (SELECT 1 FROM worker o JOIN worker_run r ON r.worker = o.span AND r.span NOTNULL AND r.from_ns > l.at_ns WHERE o.manager = l.name)) x WHERE x.span = worker.span AND x.to_ns > from_ns;
CREATE TEMP TABLE pool AS
WITH each AS MATERIALIZED (SELECT worker, sum(queue_s) AS queue_s, count(*) AS tasks, max(end_ns) AS end_ns FROM task WHERE runs > 0 AND worker NOTNULL GROUP BY 1),
    q AS MATERIALIZED (SELECT pool, sum(queue_s) AS queue_s, sum(tasks) AS tasks, max(end_ns) AS end_ns FROM each t JOIN worker w ON w.span = t.worker GROUP BY 1),
    did AS MATERIALIZED (SELECT w.span AS worker, (SELECT sum(max(0, min(r.to_ns, w.to_ns, q.end_ns) - max(r.from_ns, w.from_ns))) / 1e9 FROM worker_run i CROSS JOIN worker_run r
        WHERE i.worker = w.span AND i.span ISNULL AND r.rowid > i.rowid AND r.rowid <= i.rowid + i.runs) AS busy_s FROM worker w JOIN q USING (pool)),
    node AS MATERIALIZED (SELECT pool, coalesce(host, manager) AS node, max(cpus) AS cpus, sum(places) AS places FROM worker GROUP BY 1, 2),
    cpu AS (SELECT pool, sum(cpus) AS cpus, sum((SELECT ifnull(sum(o.places), 0) FROM node o WHERE o.node = n.node AND o.pool <> n.pool)) AS beside FROM node n GROUP BY 1)
SELECT w.pool, max(executor) AS executor, sum(places) AS places, cpu.cpus, cpu.beside, ifnull(sum(did.busy_s), 0) AS busy_s, sum(places * max(0, min(to_ns, end_ns) - from_ns)) / 1e9 AS there_s, q.tasks, q.queue_s, q.end_ns
FROM worker w JOIN q USING (pool) JOIN cpu USING (pool) LEFT JOIN did ON did.worker = w.span GROUP BY 1;
UPDATE temp.path SET unnoticed = 1 WHERE NOT runs AND state = 'result on its way back' AND task IN (SELECT task FROM lost)
    AND EXISTS (SELECT 1 FROM lost l WHERE l.task = path.task AND path.start_ns > l.from_ns AND path.end_ns <= l.to_ns + 1000000);
-- Tasks of which a try failed, as what it ran on was lost too, and what never ran because of which: asked of a few.
CREATE TEMP VIEW failure AS
WITH failed AS MATERIALIZED (SELECT task, count(*) AS tries, max(number) AS number FROM attempt WHERE failed AND exception IS NOT 'dep_fail' GROUP BY 1)
SELECT t.span AS task, coalesce(x.host, t.host) AS host, f.tries, coalesce(x.exception, t.exception) AS exception
FROM failed f JOIN task t ON t.span = f.task LEFT JOIN attempt x ON x.task = f.task AND x.number = f.number AND x.failed WHERE t.ended IS NOT 'dependency failed'
UNION ALL SELECT t.span, t.host, 1, t.exception FROM (SELECT 1 FROM run WHERE run.failed > 0) CROSS JOIN task t
    WHERE t.ended NOT IN ('done', 'dependency failed') AND t.span NOT IN (SELECT task FROM failed) AND t.span NOT IN (SELECT task FROM lost)
UNION ALL SELECT t.span, coalesce(l.host, t.host), count(*), 'its worker was lost' FROM lost l JOIN task t ON t.span = l.task WHERE l.task NOT IN (SELECT task FROM failed) GROUP BY l.task;
-- Each for the first of those before it that failed.
CREATE TEMP VIEW never_ran AS
WITH RECURSIVE never AS MATERIALIZED (SELECT span FROM (SELECT 1 FROM run WHERE run.failed > 0) CROSS JOIN task WHERE ended = 'dependency failed'),
    view(task, span) AS (SELECT span, span FROM never UNION SELECT d.span, l.right_span FROM never d CROSS JOIN sl_link l ON l.left_span = d.span AND l.kind = SL_FACET
        UNION SELECT d.span, l.left_span FROM never d CROSS JOIN sl_link l ON l.right_span = d.span AND l.kind = SL_FACET),
    other(task, span) AS (SELECT v.task, l.right_span FROM view v CROSS JOIN sl_link l ON l.left_span = v.span AND l.kind = SL_AFTER),
    wait AS MATERIALIZED (SELECT task AS waits, span AS of FROM other UNION SELECT o.task, l.right_span FROM other o CROSS JOIN sl_link l ON l.left_span = o.span AND l.kind = SL_FACET
        UNION SELECT o.task, l.left_span FROM other o CROSS JOIN sl_link l ON l.right_span = o.span AND l.kind = SL_FACET),
    up(task, root) AS (SELECT waits, of FROM wait UNION SELECT up.task, w.of FROM up JOIN wait w ON w.waits = up.root)
SELECT task, because FROM (SELECT up.task, x.span AS because, row_number() OVER (PARTITION BY up.task ORDER BY x.done_ns, x.span) AS n FROM up JOIN task x ON x.span = up.root AND x.ended = 'failed') WHERE n = 1;
CREATE TEMP TABLE app AS
SELECT app, count(*) AS tasks, median(run_s) AS median_s, max(run_s) AS max_s, sum(run_s) AS run_s FROM task WHERE runs > 0 GROUP BY app;
-- Apps of which tasks run side by side, and end as if one at a time had what they need: never sooner after one another than
-- usually, for half of the time at least, and the quickest, that had to wait for nobody, ran for less long than most.  Ends that
-- are as regular as the tasks began are not meant: these must have waited for a worker, or begun together.  Larger and larger
-- inputs that begin together end so, too, in the order of their submission or its reverse: theirs must be another.
CREATE TEMP TABLE serial AS
WITH some AS MATERIALIZED (SELECT app, count(*) AS tasks, sum(run_s) AS all_s, min(run_s) AS alone_s, sum(run_s) * 1e9 / (max(end_ns) - min(start_ns)) AS running, (max(end_ns) - min(end_ns)) / 1e9 / (count(*) - 1) AS mean_s,
        max(start_ns) - min(start_ns) < 0.2 * (max(end_ns) - min(start_ns)) AS together
    FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM app WHERE tasks BETWEEN 12 AND 100000)) CROSS JOIN task
    WHERE runs = 1 AND run_s > 0 AND app IN (SELECT app FROM app WHERE tasks BETWEEN 12 AND 100000) GROUP BY app
    HAVING running >= 1.5 AND alone_s < 0.8 * all_s / tasks AND alone_s > 0.6 * mean_s AND mean_s >= 0.02),
each AS (SELECT app, run_s, queue_s, (end_ns - lag(end_ns) OVER (PARTITION BY app ORDER BY end_ns)) / 1e9 AS gap_s,
        percent_rank() OVER (PARTITION BY app ORDER BY first_ns, task.rowid) - 0.5 AS began, percent_rank() OVER (PARTITION BY app ORDER BY end_ns) - 0.5 AS ended
    FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM some)) CROSS JOIN task WHERE runs = 1 AND run_s > 0 AND app IN (SELECT app FROM some)),
of_app AS (SELECT app, median(gap_s) AS each_s, quantile(gap_s, 0.1) AS low_s, quantile(gap_s, 0.75) AS high_s, median(queue_s) AS queue_s, median(run_s) AS median_s,
        abs(sum(began * ended)) < 0.9 * sum(began * began) AS mixed FROM each GROUP BY app)
SELECT s.app, tasks, all_s AS run_s, running, each_s, max(alone_s, each_s) AS alone_s, median_s FROM some s JOIN of_app o ON o.app = s.app
WHERE low_s > 0.8 * each_s AND high_s < 1.3 * each_s AND alone_s > 0.85 * each_s AND each_s > 0.5 * mean_s AND iif(together, mixed, queue_s > each_s);
-- Of what is done and never ran, what took the result of an earlier task: the task says so, a view of it, or a try of one.
CREATE TEMP TABLE memo AS
WITH kind(type) AS MATERIALIZED (SELECT id FROM sl_name WHERE name = 'memo_done'),
    never AS MATERIALIZED (SELECT span FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM kind)) CROSS JOIN task WHERE runs = 0 AND ended = 'done'),
    view(task, span) AS (SELECT span, span FROM never UNION SELECT n.span, l.right_span FROM never n CROSS JOIN sl_link l ON l.left_span = n.span AND l.kind = SL_FACET
        UNION SELECT n.span, l.left_span FROM never n CROSS JOIN sl_link l ON l.right_span = n.span AND l.kind = SL_FACET)
SELECT DISTINCT task FROM (SELECT task, span FROM view UNION SELECT v.task, s.id FROM view v CROSS JOIN sl_span s ON s.parent = v.span) v CROSS JOIN sl_event e ON e.span = v.span
WHERE e.type IN (SELECT type FROM kind);
-- Who comes when another leaves takes its place.
CREATE TEMP TABLE run AS
WITH edge AS (SELECT from_ns AS time_ns, 1 AS workers, places FROM worker UNION ALL SELECT to_ns, -1, -places FROM worker),
most AS (SELECT max(1, max(workers)) AS workers, max(1, max(places)) AS places FROM (SELECT sum(workers) OVER w AS workers, sum(places) OVER w AS places FROM edge WINDOW w AS (ORDER BY time_ns, workers ROWS UNBOUNDED PRECEDING))),
there AS (SELECT sum(to_ns - from_ns) / 1e9 AS there_s, sum(busy_s) AS busy_s FROM worker),
it(id) AS (SELECT WORKFLOW UNION SELECT right_span FROM sl_link WHERE left_span = WORKFLOW AND kind = SL_FACET UNION SELECT left_span FROM sl_link WHERE right_span = WORKFLOW AND kind = SL_FACET)
SELECT WORKFLOW AS workflow, (SELECT min(start_ns) FROM path) AS start_ns, (SELECT max(end_ns) FROM path) AS end_ns, (SELECT sum(seconds) FROM path) AS makespan_s,
    (SELECT count(*) FROM memo) AS memo, count(*) AS tasks, sum(ended = 'done') AS done, sum(ended <> 'done') AS failed, sum(ended ISNULL) AS undone, sum(runs > 1) AS retried, sum(run_s) AS run_s,
    m.workers AS most_workers, m.places, there.there_s, there.busy_s,
    -- told by those that tell their end at all; ends: whether this one does
    (SELECT max(e.time_ns) FROM it JOIN sl_event e ON e.span = it.id JOIN sl_name n ON n.id = e.type WHERE n.name IN ('cleanup_completed', 'completed', 'MANAGER_END')) AS ended_ns,
    EXISTS (SELECT 1 FROM it JOIN sl_span s USING (id) JOIN sl_name n ON n.id = s.type WHERE n.name IN ('parsl.rundir.workflow', 'parsl.monitoring.workflow', 'workqueue.manager', 'taskvine.manager')) AS ends,
    EXISTS (SELECT 1 FROM sl_span s JOIN sl_name n ON n.id = s.type JOIN sl_role r ON r.type = n.name WHERE s.id = WORKFLOW AND r.role = 'batch') AS batch,
    (SELECT max(end_ns) FROM path) AS seen_ns, min(first_ns) AS first_submitted_ns, min(start_ns) AS first_start_ns, max(end_ns) AS last_end_ns, max(done_ns) AS last_done_ns
FROM task, most m, there;
-- A driver that took no result for half a minute though there were some, while others went on: it was killed, or hangs.
CREATE TEMP TABLE silent AS
WITH its AS (SELECT max(max(first_ns), ifnull(max(done_ns) FILTER (WHERE ended NOTNULL), 0)) AS since_ns FROM (SELECT 1 FROM run WHERE ends AND ended_ns ISNULL AND undone > 0) CROSS JOIN task),
    back AS (SELECT count(*) AS results, min(t.end_ns) AS back_ns FROM run, its CROSS JOIN task t WHERE run.end_ns - since_ns > 30000000000
        AND t.ended ISNULL AND t.runs = 1 AND t.run_s > 0 AND t.end_ns > since_ns AND t.span NOT IN (SELECT task FROM attempt WHERE failed))
SELECT since_ns, back_ns, results FROM its, back, run WHERE back_ns < end_ns - 30000000000;
-- After the first worker there may be none again: blocks were scaled in, or lost.
CREATE TEMP TABLE nobody AS
WITH edge AS (SELECT pool, from_ns AS time_ns, 1 AS step FROM worker WHERE from_ns NOTNULL UNION ALL SELECT pool, to_ns, -1 FROM worker WHERE from_ns NOTNULL),
    level AS (SELECT pool, time_ns, sum(sum(step)) OVER (PARTITION BY pool ORDER BY time_ns) AS n, lead(time_ns) OVER (PARTITION BY pool ORDER BY time_ns) AS next_ns FROM edge GROUP BY 1, 2)
SELECT pool, time_ns AS from_ns, ifnull(next_ns, end_ns) AS to_ns FROM level, run WHERE n = 0 AND ifnull(next_ns, end_ns) > time_ns;
UPDATE temp.path SET nobody_s = ifnull((SELECT sum(max(0, min(path.end_ns, g.to_ns) - max(path.start_ns, g.from_ns))) / 1e9 FROM nobody g
    WHERE g.pool IS ifnull((SELECT w.pool FROM task t JOIN worker w ON w.span = t.worker WHERE t.span = path.task), (SELECT max(pool) FROM worker HAVING count(DISTINCT pool) = 1))), 0)
WHERE state LIKE '% queue%' AND task NOTNULL AND EXISTS (SELECT 1 FROM nobody);
-- Parts of the critical path in which a result lay before the driver, as the interchange had sent it on, where these are a fiftieth
-- of the run at least: how many others it took meanwhile, how many tasks it submitted, and
-- for how long it did neither, at most.
CREATE TEMP TABLE untaken AS
WITH p AS (SELECT task, start_ns, end_ns, seconds FROM path WHERE component = 'htex interchange' AND state = 'result on its way back' AND seconds > 0.1 AND NOT unnoticed),
    some AS MATERIALIZED (SELECT p.* FROM (SELECT 1 WHERE (SELECT sum(seconds) FROM p) > 0.02 * (SELECT makespan_s FROM run)) CROSS JOIN p ORDER BY seconds DESC LIMIT 1000),
    did AS (SELECT done_ns AS at, 1 AS taken, NULL AS submitted FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM some)) CROSS JOIN task WHERE done_ns NOTNULL
        UNION ALL SELECT first_ns, NULL, 1 FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM some)) CROSS JOIN task),
    -- parts of the path follow one another: each moment is in the last that began before it
    line AS (SELECT at, taken, submitted, NULL AS task, NULL AS end_ns FROM did UNION ALL SELECT start_ns, NULL, NULL, task, end_ns FROM some),
    part AS (SELECT *, count(end_ns) OVER (ORDER BY at, end_ns ISNULL ROWS UNBOUNDED PRECEDING) AS n FROM line),
    its AS MATERIALIZED (SELECT *, max(end_ns) OVER (PARTITION BY n) AS until, lead(at) OVER (ORDER BY at, end_ns ISNULL) AS next FROM part WHERE n > 0)
SELECT max(task) AS task, min(at) AS start_ns, max(until) AS end_ns, (max(until) - min(at)) / 1e9 AS seconds, count(taken) FILTER (WHERE at < until) AS taken, count(submitted) FILTER (WHERE at < until) AS submitted,
    max(min(ifnull(next, until), until) - at) FILTER (WHERE at < until) / 1e9 AS longest_s FROM its GROUP BY n;
-- Fewer workers of a pool than there had been, while tasks waited for these: from when on, how many were missing at most, and
-- what these would have done meanwhile.
CREATE TEMP VIEW fewer AS
WITH t AS (SELECT w.pool, t.start_ns, t.first_ns + CAST(depend_s * 1e9 AS INTEGER) AS ready_ns FROM (SELECT 1 FROM run WHERE tasks <= 100000 AND undone = 0 AND (SELECT max(to_ns) - min(to_ns) > 1000000000 FROM worker)) CROSS JOIN task t JOIN worker w ON w.span = t.worker WHERE t.runs > 0),
    edge(pool, at, ready, there) AS (SELECT pool, ready_ns, 1, 0 FROM t UNION ALL SELECT pool, start_ns, -1, 0 FROM t
      UNION ALL SELECT pool, from_ns, 0, places FROM worker WHERE from_ns NOTNULL UNION ALL SELECT pool, to_ns, 0, -places FROM worker WHERE from_ns NOTNULL),
    moment AS (SELECT pool, at, sum(sum(ready)) OVER w AS ready, sum(sum(there)) OVER w AS there, lead(at) OVER w - at AS ns FROM edge GROUP BY 1, 2 WINDOW w AS (PARTITION BY pool ORDER BY at)),
    missed AS MATERIALIZED (SELECT *, max(there) OVER (PARTITION BY pool ORDER BY at ROWS UNBOUNDED PRECEDING) AS most FROM moment)
SELECT pool, max(most) AS most, max(most - there) AS missing, min(at) AS from_ns, max(ready) AS ready, sum(min(most - there, ready) * 1.0 / most * ns) / 1e9 AS seconds,
    (SELECT count(*) > 0 AND sum(w.manager IN (SELECT name FROM lost WHERE what = 'manager')) = count(*) FROM worker w WHERE w.pool = missed.pool AND w.to_ns <= max(missed.at)) AS lost
FROM missed WHERE ready > 0 AND there > 0 AND there < most AND ns > 0 GROUP BY 1;
-- Blocks of Parsl's executors, and why they are known to have brought no worker: they were not taken by the batch system (all
-- that is asked for is launched next, and a log that has the strategy has that, too), or their script ended before that.
CREATE TEMP TABLE block AS
WITH it(id) AS (SELECT WORKFLOW UNION SELECT right_span FROM sl_link WHERE left_span = WORKFLOW AND kind = SL_FACET UNION SELECT left_span FROM sl_link WHERE right_span = WORKFLOW AND kind = SL_FACET),
    own AS MATERIALIZED (SELECT b.id AS span, x.id AS executor_span, x.key AS executor, b.key AS block, x.parent AS run FROM sl_name n CROSS JOIN sl_span b ON b.type = n.id JOIN sl_span x ON x.id = b.parent JOIN it ON it.id = x.parent WHERE n.name = 'parsl.rundir.block'),
    at AS MATERIALIZED (SELECT own.span, min(e.time_ns) AS asked_ns, min(e.time_ns) FILTER (WHERE n.name = 'launched') AS launched_ns, min(e.time_ns) FILTER (WHERE n.name IN ('scaled_in', 'terminating')) AS scaled_in_ns
        FROM own LEFT JOIN sl_event e ON e.span = own.span LEFT JOIN sl_name n ON n.id = e.type GROUP BY 1),
    script AS MATERIALIZED (SELECT own.span, max(a.value) FILTER (WHERE a.name = 'exit_code') AS exit_code, max(a.value) FILTER (WHERE a.name = 'job_name') AS job_name FROM own CROSS JOIN sl_link l ON l.left_span = own.span AND l.kind = SL_IN JOIN sl_span s ON s.id = l.right_span
        JOIN sl_name n ON n.id = s.type AND n.name = 'parsl.submit_script' CROSS JOIN value_of a ON a.span = s.id AND a.name IN ('exit_code', 'job_name') GROUP BY 1),
    said AS MATERIALIZED (SELECT own.span, max(a.value) FILTER (WHERE a.name = 'submit_error') AS submit_error, max(a.value) FILTER (WHERE a.name = 'job_state') AS job_state FROM own CROSS JOIN value_of a ON a.span = own.span AND a.name IN ('submit_error', 'job_state') GROUP BY 1),
    told AS MATERIALIZED (SELECT r.run, max(a.value) FILTER (WHERE a.name = 'executor_failure') AS failure, max(a.value) FILTER (WHERE a.name = 'strategy') NOTNULL AS strategy FROM (SELECT DISTINCT run FROM own) r CROSS JOIN value_of a ON a.span = r.run AND a.name IN ('executor_failure', 'strategy') GROUP BY 1),
    htex AS MATERIALIZED (SELECT x.executor_span FROM (SELECT DISTINCT executor_span FROM own) x CROSS JOIN value_of a ON a.span = x.executor_span AND a.name IN ('type', 'class') AND (a.value LIKE '%HighThroughputExecutor' OR a.value LIKE '%MPIExecutor') GROUP BY 1),
    known AS MATERIALIZED (SELECT executor, EXISTS (SELECT 1 FROM worker w WHERE w.pool = x.executor) OR NOT EXISTS (SELECT 1 FROM task t WHERE t.executor = x.executor AND t.ended = 'done') AS known FROM (SELECT DISTINCT executor FROM own) x),
    part AS (SELECT own.*, known, at.asked_ns, launched_ns, scaled_in_ns, exit_code, job_name, submit_error, job_state, failure, ifnull(strategy, 0) AS strategy, executor_span IN htex AS htex,
        (SELECT min(e.time_ns) FROM sl_span m JOIN sl_name n ON n.id = m.type AND n.name = 'parsl.executor.htex.manager' JOIN sl_event e ON e.span = m.id WHERE m.parent = own.span) AS began_ns,
        max(at.asked_ns) OVER (PARTITION BY executor_span) AS last_ns
    FROM own JOIN at USING (span) JOIN known USING (executor) LEFT JOIN script USING (span) LEFT JOIN said USING (span) LEFT JOIN told USING (run))
SELECT *, iif(launched_ns ISNULL AND failed LIKE 'could not%',
    -- what the words give reason to ask
    CASE WHEN failed LIKE '%positional argument%' OR failed LIKE '%keyword argument%' OR failed LIKE '%has no attribute%' OR failed LIKE '%unsupported operand%' OR failed LIKE '%is not defined%' OR failed LIKE '%object is not%' OR failed LIKE '%can only concatenate%' OR failed LIKE '% must be %, not %' OR failed LIKE '%not supported between%' OR failed LIKE '%No module named%'
      THEN 'that is Python of the provider, or of its launcher: does it fit this version of Parsl?'
    WHEN failed LIKE '%sbatch%' OR failed LIKE '%qsub%' OR failed LIKE '%bsub%' OR failed LIKE '%account%' OR failed LIKE '%partition%' OR failed LIKE '%queue%' OR failed LIKE '%QOS%' OR failed LIKE '%batch job%' THEN 'does the batch system take such jobs (account, partition, limits)?'
    WHEN failed LIKE '%did not return a job ID%' THEN 'the provider gave no job id: parsl.log has what it printed when it submitted'
    WHEN failed LIKE '%No such file or directory%' OR failed LIKE '%command not found%' OR failed LIKE '%Permission denied%' THEN 'is what it names there, where the driver runs, and may it be used?' END,
    CASE WHEN failed LIKE 'ended (%TIMEOUT%' THEN 'its time was over: a longer walltime, or less before workers start (worker_init)' WHEN failed LIKE 'ended (%NODE_FAIL%' OR failed LIKE 'ended (%CANCELLED%' OR failed ISNULL THEN NULL
    ELSE 'what its script runs failed: worker_init, or the start of workers after it' || ifnull('; see submit_scripts/' || job_name || '.*err', '') END) AS ask
FROM (SELECT span, executor, block, asked_ns, launched_ns, began_ns, scaled_in_ns,
    CASE WHEN began_ns NOTNULL OR NOT known THEN NULL WHEN submit_error NOTNULL AND launched_ns ISNULL THEN 'could not be submitted: ' || trim(submit_error)
    WHEN launched_ns ISNULL AND failure LIKE '%Failed to start block ' || block || ':%' THEN 'could not be submitted: ' || (SELECT trim(substr(t, 1, min(instr(t || char(10) || char(10), char(10) || char(10)), instr(t || char(10) || 'Error ', char(10) || 'Error ')) - 1)) FROM (SELECT substr(failure, instr(failure, 'Failed to start block ' || block || ':') + 23 + length(block)) AS t))
    WHEN launched_ns ISNULL AND asked_ns NOTNULL AND strategy AND (asked_ns < last_ns OR run.ended_ns > asked_ns + 60000000000) THEN 'could not be submitted'
    WHEN NOT htex OR (scaled_in_ns NOTNULL AND scaled_in_ns < run.end_ns - 1000000000 AND exit_code ISNULL) THEN NULL
    WHEN exit_code GLOB '[1-9]*' THEN 'ended with exit code ' || exit_code || ' before a worker was there' || iif(instr(failure, 'STDERR: '), ': ' || trim(substr(failure, instr(failure, 'STDERR: ') + 8, instr(failure || char(10) || char(10), char(10) || char(10)) - instr(failure, 'STDERR: ') - 8)), '')
    WHEN job_state NOTNULL AND scaled_in_ns ISNULL THEN 'ended (' || replace(job_state, 'JobState.', '') || ') before a worker was there' END AS failed, job_name
FROM part, run);
-- What executors may ask for, and what in that holds down how many blocks there are.
CREATE TEMP TABLE executor AS
WITH x AS MATERIALIZED (SELECT s.id AS span, executor, s.parent AS run, count(*) AS blocks, max(block.failed NOTNULL) AS failed FROM block JOIN sl_span b ON b.id = block.span JOIN sl_span s ON s.id = b.parent GROUP BY 1),
    a AS MATERIALIZED (SELECT x.span, a.name, a.value FROM x CROSS JOIN value_of a ON a.span = x.span WHERE a.name IN ('init_blocks', 'min_blocks', 'max_blocks', 'parallelism', 'not_scaled_out')
        UNION ALL SELECT x.span, a.name, a.value FROM x CROSS JOIN value_of a ON a.span = x.run WHERE a.name = 'strategy'),
    at_once AS (SELECT executor, max(n) AS n FROM (SELECT executor, sum(step) OVER (PARTITION BY executor ORDER BY time_ns, step ROWS UNBOUNDED PRECEDING) AS n
        FROM (SELECT pool AS executor, block, min(from_ns) AS time_ns, 1 AS step FROM worker WHERE block NOTNULL GROUP BY 1, 2 UNION ALL SELECT pool, block, max(to_ns), -1 FROM worker WHERE block NOTNULL GROUP BY 1, 2)) GROUP BY 1),
    v AS (SELECT x.*, at_once.n AS most_blocks, (SELECT CAST(value AS INTEGER) FROM a WHERE a.span = x.span AND name = 'init_blocks') AS init_blocks, (SELECT CAST(value AS INTEGER) FROM a WHERE a.span = x.span AND name = 'min_blocks') AS min_blocks,
        (SELECT CAST(value AS INTEGER) FROM a WHERE a.span = x.span AND name = 'max_blocks') AS max_blocks, (SELECT CAST(value AS REAL) FROM a WHERE a.span = x.span AND name = 'parallelism') AS parallelism,
        (SELECT max(value) FROM a WHERE a.span = x.span AND name = 'not_scaled_out') AS not_scaled_out, (SELECT max(value) FROM a WHERE a.span = x.span AND name = 'strategy') AS strategy FROM x LEFT JOIN at_once USING (executor))
SELECT v.span, v.executor, strategy, init_blocks, min_blocks, max_blocks, parallelism, v.blocks, most_blocks,
    CASE WHEN v.failed THEN NULL WHEN strategy = 'none' AND v.blocks = init_blocks THEN 'strategy=''none'' starts init_blocks=' || init_blocks || ' and no more'
    WHEN strategy IN ('simple', 'htex_auto_scale') AND most_blocks >= max_blocks THEN 'max_blocks=' || max_blocks || ' lets Parsl ask for no more' || ifnull(' (parsl.log: ' || not_scaled_out || ' so not scaling out)', '')
    WHEN strategy IN ('simple', 'htex_auto_scale') AND parallelism < 1 AND most_blocks < max_blocks AND v.blocks = most_blocks AND parallelism * p.tasks <= p.places THEN printf('with parallelism=%.3g Parsl asks for a place for each %.3g tasks', parallelism, 1 / nullif(parallelism, 0)) END AS held
FROM v LEFT JOIN pool p ON p.pool = v.executor;
-- Pools that had no worker any more until the end, though tasks waited for one, and how the last left.  Where no log has the
-- end, what was killed looks so, too: it counts if they are known to have left.
CREATE TEMP TABLE gone AS
WITH last AS (SELECT pool, max(executor) AS executor, max(to_ns) AS since_ns, count(*) AS workers, count(DISTINCT block) AS blocks, sum(drained_ns NOTNULL) = count(*) AS drained FROM worker GROUP BY 1),
    waits AS (SELECT last.*, (SELECT count(*) FROM task t WHERE t.ended ISNULL AND ifnull(t.executor, last.pool) = last.pool) AS waiting, run.end_ns, run.ended_ns FROM run CROSS JOIN last WHERE undone > 0)
SELECT * FROM (SELECT pool, since_ns, end_ns AS to_ns, workers, waiting, ended_ns,
    CASE WHEN drained THEN 'drained' WHEN EXISTS (SELECT 1 FROM block b WHERE b.executor = pool AND scaled_in_ns < since_ns + 1000000000) THEN 'scaled in' WHEN EXISTS (SELECT 1 FROM lost) THEN 'lost' ELSE 'ended' END AS how
FROM waits WHERE waiting > 0 AND NOT EXISTS (SELECT 1 FROM silent)) WHERE to_ns - since_ns > 5000000000 OR (ended_ns ISNULL AND how IN ('drained', 'scaled in'));
-- Drivers of one process that were alive at once have each other's lines in their logs, and number their tasks alike: such a
-- number is submitted, or done, twice in one log.  Both begin at 0, so the first tasks tell.
CREATE TEMP TABLE other_driver AS
WITH it(id) AS (SELECT WORKFLOW UNION SELECT right_span FROM sl_link WHERE left_span = WORKFLOW AND kind = SL_FACET UNION SELECT left_span FROM sl_link WHERE right_span = WORKFLOW AND kind = SL_FACET),
    own AS (SELECT s.* FROM it JOIN sl_span s USING (id) JOIN sl_name n ON n.id = s.type AND n.name = 'parsl.rundir.workflow'),
    log AS MATERIALIZED (SELECT DISTINCT o.id FROM own JOIN sl_source w ON w.id = own.source JOIN sl_source o
        ON rtrim(o.path, replace(o.path, '/', '')) = rtrim(w.path, replace(w.path, '/', '')) WHERE o.recipe = 'parsl.log' AND o.rejected > 0),
    began AS (SELECT count(*) AS n FROM log JOIN sl_reject r ON r.source = log.id WHERE r.reason LIKE 'another DataFlowKernel began%'),
    some AS (SELECT t.id FROM own CROSS JOIN sl_span t ON t.parent = own.id CROSS JOIN sl_name n ON n.id = t.type AND n.name = 'parsl.rundir.task' LIMIT 20000),
    twice AS (SELECT e.span FROM some t CROSS JOIN sl_event e ON e.span = t.id WHERE e.type IN (SELECT id FROM sl_name WHERE name IN ('submitted', 'exec_done')) GROUP BY e.span, e.type, e.source HAVING count(*) > 1 LIMIT 1)
-- of one whose own log ended as the next began; of that next one
SELECT began.n > 0 AS later, began.n = 0 AS mixed FROM began, run WHERE iif(began.n, undone > 0, EXISTS (SELECT 1 FROM twice)
    OR EXISTS (SELECT 1 FROM log JOIN sl_reject r ON r.source = log.id WHERE r.reason LIKE 'another DataFlowKernel writes%'));
-- Parts of the critical path in which a task ran, and how many others ran then, on average.  What is
-- submitted while a join_app runs, before it is joining, is submitted by that, and no driver waited.
CREATE TEMP TABLE ran AS
WITH join_app AS MATERIALIZED (SELECT (SELECT max(b.time_ns) FROM sl_event b WHERE b.span = e.span AND b.time_ns < e.time_ns) AS from_ns, e.time_ns AS to_ns
    FROM sl_name n CROSS JOIN sl_event e ON e.type = n.id WHERE n.name = 'joining')
SELECT p.start_ns, p.end_ns, p.seconds, p.task, t.name, t.app, sum(max(0, min(o.end_ns, p.end_ns) - max(o.start_ns, p.start_ns))) / 1e9 / p.seconds AS running,
    (SELECT component = 'driver' AND d.seconds < 0.1 * p.seconds FROM path d WHERE d.start_ns >= p.end_ns AND d.state <> 'result on its way back' ORDER BY start_ns LIMIT 1)
        AND p.end_ns < (SELECT first_ns FROM task ORDER BY rowid DESC LIMIT 1)
        AND NOT EXISTS (SELECT 1 FROM (SELECT n.first_ns FROM path d JOIN task n ON n.span = d.task WHERE d.start_ns >= p.end_ns AND d.task <> p.task ORDER BY d.start_ns LIMIT 1) n
            JOIN join_app j ON n.first_ns BETWEEN j.from_ns AND j.to_ns) AS driver_waited,
    (SELECT count(DISTINCT l.left_span) FROM (SELECT p.task AS view UNION SELECT right_span FROM sl_link WHERE left_span = p.task AND kind = SL_FACET
        UNION SELECT left_span FROM sl_link WHERE right_span = p.task AND kind = SL_FACET) v CROSS JOIN sl_link l ON l.right_span = v.view AND l.kind = SL_AFTER) AS dependents
FROM (SELECT * FROM path WHERE runs AND seconds > 0 ORDER BY seconds DESC LIMIT 200) p JOIN task t ON t.span = p.task
JOIN task o ON o.start_ns > p.start_ns - (SELECT max(end_ns - start_ns) FROM task) - 1 AND o.start_ns < p.end_ns AND o.end_ns > p.start_ns GROUP BY p.start_ns;
-- What workers had tasks for: until what these run began, that, and what followed it.
CREATE TEMP TABLE on_worker AS
WITH spent AS (SELECT name AS app, component, state, sum(tasks * width_s) AS s FROM task_states(WORKFLOW, '1 bins', 'app') WHERE kind = 'run' GROUP BY 1, 2, 3)
SELECT nullif(app, '(none)') AS app, component, ifnull(sum(s) FILTER (WHERE state = 'starting the task'), 0) AS starting_s, ifnull(sum(s) FILTER (WHERE state LIKE 'running%'), 0) AS running_s,
    ifnull(sum(s) FILTER (WHERE state LIKE 'result%'), 0) AS ending_s
FROM spent GROUP BY 1, 2;
-- Tasks that failed at last, and those that never ran because of them, where the driver submitted as many of the same apps once
-- the first had.
CREATE TEMP TABLE made_again AS
WITH f AS MATERIALIZED (SELECT span, app, done_ns FROM (SELECT 1 FROM run WHERE run.failed > 0 AND tasks <= 100000) CROSS JOIN task WHERE ended IN ('failed', 'dependency failed')),
    again AS MATERIALIZED (SELECT app, count(*) AS n FROM (SELECT min(done_ns) AS at_ns FROM f) CROSS JOIN task t WHERE t.first_ns >= at_ns GROUP BY 1)
SELECT span AS task FROM f WHERE NOT EXISTS (SELECT 1 FROM (SELECT app, count(*) AS n FROM f GROUP BY 1) c LEFT JOIN again a ON a.app IS c.app WHERE a.n IS NOT c.n);
-- Of what the driver submitted last on the critical path, once it had waited, the longest task; no row: it has apps that ran before,
-- waits for tasks, or most workers were busy with it.
CREATE TEMP TABLE late AS
WITH since AS (SELECT max(p.end_ns) AS at_ns FROM path p, run WHERE component = 'driver' AND state IN ('idle', 'between submissions') AND p.end_ns > first_start_ns + 0.1 * (last_end_ns - first_start_ns)
        AND undone = 0 AND places > 1 AND tasks <= 100000 AND (SELECT count(DISTINCT pool) = 1 FROM worker) HAVING count(*) > 0),
    g AS MATERIALIZED (SELECT t.* FROM since CROSS JOIN task t WHERE t.first_ns >= at_ns),
    sums AS MATERIALIZED (SELECT count(*) AS n, sum(run_s) AS work_s, max(run_s) AS longest_s, min(start_ns) AS start_ns, max(runs) AS runs FROM g HAVING count(*) BETWEEN 1 AND (SELECT places - 1 FROM run) AND max(runs) = 1),
    others AS (SELECT count(*) AS n, quantile(t.run_s, 0.25) AS low_s FROM sums CROSS JOIN since CROSS JOIN task t WHERE t.first_ns < at_ns AND t.runs > 0),
    seen(id) AS (SELECT span FROM g UNION SELECT l.right_span FROM g CROSS JOIN sl_link l ON l.left_span = g.span AND l.kind = SL_FACET UNION SELECT l.left_span FROM g CROSS JOIN sl_link l ON l.right_span = g.span AND l.kind = SL_FACET)
SELECT g.span, g.task, g.name, g.run_s, (g.first_ns - first_start_ns) / 1e9 AS after_s, sums.n, r.running,
    (last_end_ns - first_start_ns) / 1e9 - max(longest_s, (sums.start_ns - first_start_ns) / 1e9 + work_s / places) - others.low_s / 2 AS seconds
FROM sums, others, run JOIN g ON g.run_s = longest_s JOIN (SELECT task, max(seconds), running FROM ran GROUP BY 1) r ON r.task = g.span
WHERE others.n >= 2 * places AND r.running < 0.6 * places AND g.app NOTNULL
    AND NOT EXISTS (SELECT 1 FROM task t WHERE t.app IN (SELECT app FROM g) AND t.span NOT IN (SELECT span FROM g))
    AND NOT EXISTS (SELECT 1 FROM seen CROSS JOIN sl_link l ON l.left_span = seen.id AND l.kind = SL_AFTER) LIMIT 1;
-- The critical path in words: what waits for a worker counts as what workers ran meanwhile, once the first is there; of
-- tasks that were tried again, as what ran of them.
CREATE TEMP TABLE went AS
WITH there AS MATERIALIZED (SELECT pool, min(from_ns) AS at_ns, iif(count(*) OVER () > 1, max(executor), NULL) AS whose FROM worker WHERE from_ns NOTNULL GROUP BY 1),
    part AS (SELECT p.start_ns, p.end_ns, seconds, component, state, p.task, lost, nobody_s, p.runs, unnoticed, p.start_ns IN (SELECT start_ns FROM untaken) AS driver, coalesce(at_ns, (SELECT min(at_ns) FROM there), 0) AS at_ns, whose, w.pool, state LIKE '% queue%' AND p.task NOTNULL AS queues
        FROM path p LEFT JOIN task t ON t.span = p.task LEFT JOIN worker w ON w.span = t.worker LEFT JOIN there ON there.pool = w.pool),
    queued AS MATERIALIZED (SELECT max(start_ns, at_ns) AS start_ns, end_ns, (end_ns - max(start_ns, at_ns)) / 1e9 AS seconds, nobody_s, component, state, pool FROM part WHERE queues AND end_ns > at_ns),
    again AS MATERIALIZED (SELECT t.app, r.worker, r.from_ns, r.to_ns FROM (SELECT 1 FROM run WHERE retried > 0) CROSS JOIN worker_run r CROSS JOIN task t ON t.span = r.task AND t.runs > 1 WHERE r.span NOTNULL),
    -- while workers were there, and for how long all of these were
    asked AS MATERIALIZED (SELECT *, seconds - nobody_s AS there_s, (SELECT sum(places * max(0, min(w.to_ns, q.end_ns) - max(w.from_ns, q.start_ns))) / 1e9 FROM worker w WHERE w.pool = q.pool) AS all_s
        FROM (SELECT * FROM queued WHERE pool NOTNULL ORDER BY seconds DESC LIMIT 20) q),
    did(start_ns, there_s, all_s, app, s) AS (
        SELECT q.start_ns, q.there_s, q.all_s, t.app, min(t.end_ns, q.end_ns) - max(t.start_ns, q.start_ns) FROM asked q JOIN task t ON t.start_ns > q.start_ns - (SELECT max(end_ns - start_ns) FROM task WHERE runs = 1) - 1 AND t.start_ns < q.end_ns AND t.end_ns > q.start_ns AND t.runs = 1
            JOIN worker w ON w.span = t.worker AND w.pool = q.pool
        UNION ALL SELECT q.start_ns, q.there_s, q.all_s, r.app, min(r.to_ns, q.end_ns) - max(r.from_ns, q.start_ns) FROM asked q JOIN again r ON r.from_ns < q.end_ns AND r.to_ns > q.start_ns JOIN worker w ON w.span = r.worker AND w.pool = q.pool),
    meanwhile AS MATERIALIZED (SELECT start_ns, there_s, all_s, app, sum(s) / 1e9 AS s FROM did GROUP BY 1, 4),
    every AS (SELECT start_ns, max(sum(s), max(all_s)) AS s, max(there_s) * sum(s) / max(sum(s), max(all_s)) AS ran_s FROM meanwhile GROUP BY 1),
    beside AS MATERIALIZED (SELECT app, component || ', starting the task' AS what, starting_s / (SELECT sum(starting_s + running_s + ending_s) FROM on_worker a WHERE a.app IS o.app) AS part FROM on_worker o WHERE starting_s > 0
        UNION ALL SELECT app, component || ', result on its way back', ending_s / (SELECT sum(starting_s + running_s + ending_s) FROM on_worker a WHERE a.app IS o.app) FROM on_worker o WHERE ending_s > 0),
    said(what, seconds) AS (
        SELECT ifnull('app ' || m.app, 'tasks'), m.there_s * m.s / e.s * (1 - ifnull((SELECT sum(o.part) FROM beside o WHERE o.app IS m.app), 0)) FROM meanwhile m JOIN every e USING (start_ns)
        UNION ALL SELECT o.what, m.there_s * m.s / e.s * o.part FROM meanwhile m JOIN every e USING (start_ns) JOIN beside o ON o.app IS m.app
        UNION ALL SELECT iif(EXISTS (SELECT 1 FROM worker) OR NOT EXISTS (SELECT 1 FROM block WHERE failed NOTNULL), component || ', ' || state, 'waiting for workers that never came'), seconds - nobody_s - ifnull((SELECT ran_s FROM every e WHERE e.start_ns = q.start_ns), 0) FROM queued q
        UNION ALL SELECT 'while no worker was there', nobody_s FROM queued q
        UNION ALL SELECT ifnull('until workers of ' || whose || ' were there', 'until workers were there'), (min(end_ns, at_ns) - start_ns) / 1e9 FROM part WHERE queues AND start_ns < at_ns
        UNION ALL SELECT ifnull(iif(lost, 'failed tries of ', 'app ') || (SELECT app FROM task t WHERE t.span = part.task), iif(lost, 'failed tries', 'tasks')), seconds FROM part WHERE runs
        UNION ALL SELECT 'until the loss of a worker was noticed', seconds FROM part WHERE unnoticed
        UNION ALL SELECT 'driver, does not take results', seconds FROM part WHERE driver
        UNION ALL SELECT CASE WHEN component = 'driver' AND start_ns >= (SELECT since_ns FROM silent) THEN 'after the driver fell silent' WHEN state = 'after the last task' AND EXISTS (SELECT 1 FROM gone) THEN 'while no worker was there'
                WHEN component = 'driver' AND state = 'after the last task' AND (SELECT undone > 0 AND ends AND ended_ns ISNULL FROM run) THEN 'after tasks were last heard of' ELSE component || ', ' || state END, seconds FROM part WHERE NOT queues AND NOT runs AND NOT unnoticed AND NOT driver)
SELECT what, sum(seconds) AS seconds FROM said GROUP BY 1 HAVING what <> 'while no worker was there' OR sum(seconds) > 0;
