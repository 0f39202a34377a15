-- SPDX-License-Identifier: Apache-2.0
-- Where the critical path went: tables that findings ask, over those of facts.sql, which says what
-- their units are, and of facts_causes.sql.

-- name: of_path
-- Parts in which the loss of a worker had not been noticed.
UPDATE temp.path SET unnoticed = 1
WHERE NOT runs
  AND state = 'result on its way back'
  AND task IN (SELECT task FROM lost)
  AND EXISTS (
    SELECT 1
    FROM lost l
    WHERE l.task = path.task AND path.start_ns > l.from_ns AND path.end_ns <= l.to_ns + 1000000);

-- How long of a part in a queue no worker was there.
UPDATE temp.path SET nobody_s = ifnull((
      SELECT sum(max(0, min(path.end_ns, g.to_ns) - max(path.start_ns, g.from_ns))) / 1e9
      FROM nobody g
      WHERE g.pool IS ifnull((
          SELECT w.pool
          FROM task t JOIN worker w ON w.span = t.worker
          WHERE t.span = path.task),
        (SELECT max(pool) FROM worker HAVING count(DISTINCT pool) = 1))),
    0)
WHERE state LIKE '% queue%' AND task NOTNULL AND EXISTS (SELECT 1 FROM nobody);

-- A part in which a result lay before the driver, as the interchange had sent it on, where these
-- are a fiftieth of the run at least: how many others the driver took meanwhile, how many tasks it
-- submitted, and for how long it did neither, at most.
-- Parts follow one another: each moment is in the last that began before it.
CREATE TEMP TABLE untaken AS
WITH
  p AS (
    SELECT task, start_ns, end_ns, seconds
    FROM path
    WHERE component LIKE '%interchange'
      AND state = 'result on its way back'
      AND seconds > 0.1
      AND NOT unnoticed),
  some AS MATERIALIZED (
    SELECT p.*
    FROM (
        SELECT 1
        WHERE (SELECT sum(seconds) FROM p) > 0.02 * (SELECT makespan_s FROM run))
      CROSS JOIN p
    ORDER BY seconds DESC
    LIMIT 1000),
  did AS (
    SELECT done_ns AS at, 1 AS taken, NULL AS submitted
    FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM some)) CROSS JOIN task
    WHERE done_ns NOTNULL
    UNION ALL
    SELECT first_ns, NULL, 1
    FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM some)) CROSS JOIN task),
  line AS (
    SELECT at, taken, submitted, NULL AS task, NULL AS end_ns
    FROM did
    UNION ALL
    SELECT start_ns, NULL, NULL, task, end_ns
    FROM some),
  part AS (
    SELECT *, count(end_ns) OVER (ORDER BY at, end_ns ISNULL ROWS UNBOUNDED PRECEDING) AS n
    FROM line),
  its AS MATERIALIZED (
    SELECT *,
      max(end_ns) OVER (PARTITION BY n) AS until,
      lead(at) OVER (ORDER BY at, end_ns ISNULL) AS next
    FROM part
    WHERE n > 0)
SELECT max(task) AS task, min(at) AS start_ns, max(until) AS end_ns,
  (max(until) - min(at)) / 1e9 AS seconds,
  count(taken) FILTER (WHERE at < until) AS taken,
  count(submitted) FILTER (WHERE at < until) AS submitted,
  max(min(ifnull(next, until), until) - at) FILTER (WHERE at < until) / 1e9 AS longest_s
FROM its
GROUP BY n;

-- One of the 200 longest parts in which a task ran; running: how many tasks ran then, on average;
-- driver_waited: the driver went on when it was done. What is submitted while a join_app runs,
-- before it is joining, is submitted by that, and no driver waited.
CREATE TEMP TABLE ran AS
WITH
  join_app AS MATERIALIZED (
    SELECT (
        SELECT max(b.time_ns)
        FROM sl_event b
        WHERE b.span = e.span AND b.time_ns < e.time_ns) AS from_ns,
      e.time_ns AS to_ns
    FROM sl_name n CROSS JOIN sl_event e ON e.type = n.id
    WHERE n.name = 'joining')
SELECT p.start_ns, p.end_ns, p.seconds, p.task, t.name, t.app,
  sum(max(0, min(o.end_ns, p.end_ns) - max(o.start_ns, p.start_ns))) / 1e9 / p.seconds AS running,
  (
    SELECT component = 'driver' AND d.seconds < 0.1 * p.seconds
    FROM path d
    WHERE d.start_ns >= p.end_ns AND d.state <> 'result on its way back'
    ORDER BY start_ns
    LIMIT 1)
    AND p.end_ns < (SELECT first_ns FROM task ORDER BY rowid DESC LIMIT 1)
    AND NOT EXISTS (
      SELECT 1
      FROM (
          SELECT n.first_ns
          FROM path d JOIN task n ON n.span = d.task
          WHERE d.start_ns >= p.end_ns AND d.task <> p.task
          ORDER BY d.start_ns
          LIMIT 1) n
        JOIN join_app j ON n.first_ns BETWEEN j.from_ns AND j.to_ns) AS driver_waited,
  (
    SELECT count(DISTINCT l.left_span)
    FROM (
        SELECT p.task AS view
        UNION
        SELECT right_span
        FROM sl_link
        WHERE left_span = p.task AND kind = SL_FACET
        UNION
        SELECT left_span
        FROM sl_link
        WHERE right_span = p.task AND kind = SL_FACET) v
      CROSS JOIN sl_link l ON l.right_span = v.view AND l.kind = SL_AFTER) AS dependents
FROM (
    SELECT *
    FROM path
    WHERE runs AND seconds > 0
    ORDER BY seconds DESC
    LIMIT 200) p
  JOIN task t ON t.span = p.task
  JOIN task o
    ON o.start_ns > p.start_ns - (SELECT max(end_ns - start_ns) FROM task) - 1
      AND o.start_ns < p.end_ns
      AND o.end_ns > p.start_ns
GROUP BY p.start_ns;

-- A task that three others of an app or more wait for, each of which waits for just the same three
-- or more, no more than twice as many as wait: a stage of which all wait for all of the one before.
-- waits: the first of those that wait, waiting: how many these are, needs: how many each waits for.
-- Looked at is what waits for tasks of ran.
CREATE TEMP TABLE stage AS
WITH
  low AS (
    SELECT DISTINCT task
    FROM ran, run
    WHERE running < 0.8 * places AND places > 1 AND dependents >= 3 AND tasks <= 20000),
  waits AS MATERIALIZED (
    SELECT DISTINCT w.span
    FROM low JOIN view_of v ON v.task = low.task JOIN waits_for w ON w.other = v.view),
  needs AS MATERIALIZED (
    SELECT w.span, count(DISTINCT w.other) AS n, min(w.other) AS least, sum(DISTINCT w.other) AS ids
    FROM waits CROSS JOIN waits_for w ON w.span = waits.span
    GROUP BY 1
    HAVING n >= 3),
  whose AS MATERIALIZED (
    SELECT needs.*, t.span AS task, t.app
    FROM needs
      CROSS JOIN task t
        ON t.span = needs.span
          OR t.span IN (
            SELECT left_span
            FROM sl_link
            WHERE right_span = needs.span AND kind = SL_FACET)
          OR t.span IN (
            SELECT right_span
            FROM sl_link
            WHERE left_span = needs.span AND kind = SL_FACET)),
  alike AS (
    SELECT min(task) AS waits, min(span) AS one, count(*) AS waiting, n
    FROM whose
    GROUP BY n, least, ids, app
    HAVING waiting >= 3 AND n <= 2 * waiting),
  -- of views of the same tasks one: parsl.log and monitoring.db both tell what waits for what
  first AS MATERIALIZED (SELECT waits, one, waiting, n FROM alike GROUP BY waits)
SELECT DISTINCT t.span AS task, f.waits, f.waiting, f.n AS needs
FROM first f
  CROSS JOIN waits_for w ON w.span = f.one
  CROSS JOIN task t
    ON t.span = w.other
      OR t.span IN (
        SELECT left_span
        FROM sl_link
        WHERE right_span = w.other AND kind = SL_FACET)
      OR t.span IN (
        SELECT right_span
        FROM sl_link
        WHERE left_span = w.other AND kind = SL_FACET);

-- Of what the driver submitted last, once it had waited, the longest task, and the seconds that
-- this cost, by estimate; no row: it has apps that ran before, waits for tasks, or most workers
-- were busy with it.
CREATE TEMP TABLE late AS
WITH
  since AS (
    SELECT max(p.end_ns) AS at_ns
    FROM path p, run
    WHERE component = 'driver'
      AND state IN ('idle', 'between submissions')
      AND p.end_ns > first_start_ns + 0.1 * (last_end_ns - first_start_ns)
      AND undone = 0
      AND places > 1
      AND tasks <= 100000
      AND (SELECT count(DISTINCT pool) = 1 FROM worker)
    HAVING count(*) > 0),
  g AS MATERIALIZED (SELECT t.* FROM since CROSS JOIN task t WHERE t.first_ns >= at_ns),
  sums AS MATERIALIZED (
    SELECT count(*) AS n, sum(run_s) AS work_s, max(run_s) AS longest_s,
      min(start_ns) AS start_ns, max(runs) AS runs
    FROM g
    HAVING count(*) BETWEEN 1 AND (SELECT places - 1 FROM run) AND max(runs) = 1),
  others AS (
    SELECT count(*) AS n, quantile(t.run_s, 0.25) AS low_s
    FROM sums CROSS JOIN since CROSS JOIN task t
    WHERE t.first_ns < at_ns AND t.runs > 0),
  seen(id) AS (
    SELECT span
    FROM g
    UNION
    SELECT l.right_span
    FROM g CROSS JOIN sl_link l ON l.left_span = g.span AND l.kind = SL_FACET
    UNION
    SELECT l.left_span
    FROM g CROSS JOIN sl_link l ON l.right_span = g.span AND l.kind = SL_FACET)
SELECT g.span, g.task, g.name, g.run_s,
  (g.first_ns - first_start_ns) / 1e9 AS after_s,
  sums.n, r.running,
  (last_end_ns - first_start_ns) / 1e9
    - max(longest_s, (sums.start_ns - first_start_ns) / 1e9 + work_s / places)
    - others.low_s / 2 AS seconds
FROM sums,
  others,
  run
  JOIN g ON g.run_s = longest_s
  JOIN (SELECT task, max(seconds), running FROM ran GROUP BY 1) r ON r.task = g.span
WHERE others.n >= 2 * places
  AND r.running < 0.6 * places
  AND g.app NOTNULL
  AND NOT EXISTS (
    SELECT 1
    FROM task t
    WHERE t.app IN (SELECT app FROM g) AND t.span NOT IN (SELECT span FROM g))
  AND NOT EXISTS (
    SELECT 1
    FROM seen CROSS JOIN sl_link l ON l.left_span = seen.id AND l.kind = SL_AFTER)
LIMIT 1;

-- The task that ended last, which is long, began late, and waited for nothing but a worker, like
-- all others; no row: there is none. far: how many of its app ran three times as long as the
-- median, and twice as long as nine of ten, usual: the changes that take these back to the median;
-- NULL: none did.
CREATE TEMP VIEW longest_last AS
WITH
  it AS (
    SELECT count(*) AS n, median(run_s) AS median_s, quantile(run_s, 0.25) AS low_s,
      max(first_ns) AS submitted_ns, max(depend_s) AS depend_s, max(start_ns) AS began_ns
    -- tasks are in the order of their submission: nothing is to be looked at where that went on
    FROM (
        SELECT 1
        FROM run
        WHERE places > 1
          AND undone = 0
          AND (SELECT count(DISTINCT pool) = 1 FROM worker)
          AND (
            SELECT first_ns
            FROM task
            WHERE runs > 0
            ORDER BY rowid DESC
            LIMIT 1) <= first_start_ns + 0.1 * (last_end_ns - first_start_ns))
      CROSS JOIN task
    WHERE runs > 0),
  all_of AS MATERIALIZED (
    SELECT *,
      (last_end_ns - first_start_ns) / 1e9 AS span_s,
      (last_end_ns - began_ns) / 1e9 AS tail_s
    FROM it, run
    WHERE n >= 2 * places
      AND (
        SELECT max(from_ns) <= first_start_ns + 0.1 * (last_end_ns - first_start_ns)
        FROM worker)
      AND it.submitted_ns <= first_start_ns + 0.1 * (last_end_ns - first_start_ns)
      AND it.depend_s <= 0.05 * makespan_s),
  last AS MATERIALIZED (
    SELECT a.*, t.name, t.task, t.app, t.worker, t.span, t.run_s AS ran_s,
      (t.start_ns - first_start_ns) / 1e9 AS after_s
    FROM all_of a CROSS JOIN task t
    WHERE +t.runs = 1
    ORDER BY t.end_ns DESC
    LIMIT 1),
  late AS MATERIALIZED (
    SELECT *
    FROM last
    WHERE ran_s > 1.5 * median_s
      AND after_s > 0.2 * span_s
      AND tail_s > 0
      AND low_s <= 0.5 * ran_s
      AND NOT (
        SELECT count(*) FILTER (WHERE t.worker IS last.worker) >= 3
            AND ifnull(median(t.run_s) FILTER (WHERE t.worker IS last.worker)
                > 1.5 * median(t.run_s) FILTER (WHERE t.worker IS NOT last.worker),
              0)
        FROM task t
        WHERE +t.app IS last.app AND t.runs > 0)),
  usual AS (
    SELECT median(t.run_s) AS app_s, quantile(t.run_s, 0.9) AS high_s
    FROM late CROSS JOIN task t
    WHERE +t.app IS late.app AND t.runs > 0
    HAVING count(*) >= 5),
  far AS (
    SELECT count(*) AS n,
      group_concat('task ' || t.task || ' x' || printf('%.6f', app_s / t.run_s), ', ') AS changes
    FROM late CROSS JOIN usual CROSS JOIN task t
    WHERE +t.app IS late.app AND t.runs = 1 AND t.run_s > 3 * app_s AND t.run_s > 2 * high_s
    HAVING count(*) BETWEEN 1 AND 50)
SELECT name, task, app, span, ran_s, after_s, tail_s, places,
  iif(places > most_workers, 'places on workers', 'workers') AS of_what,
  round(places
    - (
      SELECT sum(t.end_ns - max(t.start_ns, began_ns)) / 1e9 / tail_s
      FROM task t
      WHERE t.end_ns > began_ns)) AS idle,
  (SELECT n FROM far) AS far,
  (SELECT changes FROM far) AS usual
FROM late;

-- An app, and a component that ran its tasks: seconds of the time that tasks had a worker, until
-- what these run began, that, and what followed it.
CREATE TEMP TABLE on_worker AS
WITH
  spent AS (
    SELECT name AS app, component, state, sum(tasks * width_s) AS s
    FROM task_states(WORKFLOW, '1 bins', 'app')
    WHERE kind = 'run'
    GROUP BY 1, 2, 3)
SELECT nullif(app, '(none)') AS app, component,
  ifnull(sum(s) FILTER (WHERE state = 'starting the task'), 0) AS starting_s,
  ifnull(sum(s) FILTER (WHERE state LIKE 'running%'), 0) AS running_s,
  ifnull(sum(s) FILTER (WHERE state LIKE 'result%'), 0) AS ending_s
FROM spent
GROUP BY 1, 2;

-- Where the path went, in words, and for how long: what waits for a worker counts as what workers
-- ran meanwhile, once the first is there (asked: while workers were there, and for how long all of
-- these were); of tasks that were tried again, as what ran of them.
CREATE TEMP TABLE went AS
WITH
  there AS MATERIALIZED (
    SELECT pool, min(from_ns) AS at_ns, iif(count(*) OVER () > 1, max(executor), NULL) AS whose
    FROM worker
    WHERE from_ns NOTNULL
    GROUP BY 1),
  part AS (
    SELECT p.start_ns, p.end_ns, seconds, component, state, p.task, lost, nobody_s, p.runs,
      unnoticed,
      p.start_ns IN (SELECT start_ns FROM untaken) AS driver,
      coalesce(at_ns, (SELECT min(at_ns) FROM there), 0) AS at_ns,
      whose, w.pool,
      state LIKE '% queue%' AND p.task NOTNULL AS queues
    FROM path p
      LEFT JOIN task t ON t.span = p.task
      LEFT JOIN worker w ON w.span = t.worker
      LEFT JOIN there ON there.pool = w.pool),
  queued AS MATERIALIZED (
    SELECT max(start_ns, at_ns) AS start_ns,
      end_ns,
      (end_ns - max(start_ns, at_ns)) / 1e9 AS seconds,
      nobody_s, component, state, pool
    FROM part
    WHERE queues AND end_ns > at_ns),
  again AS MATERIALIZED (
    SELECT t.app, r.worker, r.from_ns, r.to_ns
    FROM (SELECT 1 FROM run WHERE retried > 0)
      CROSS JOIN worker_run r
      CROSS JOIN task t ON t.span = r.task AND t.runs > 1
    WHERE r.span NOTNULL),
  asked AS MATERIALIZED (
    SELECT *, seconds - nobody_s AS there_s,
      (
        SELECT sum(places * max(0, min(w.to_ns, q.end_ns) - max(w.from_ns, q.start_ns))) / 1e9
        FROM worker w
        WHERE w.pool = q.pool) AS all_s
    FROM (SELECT * FROM queued WHERE pool NOTNULL ORDER BY seconds DESC LIMIT 20) q),
  did(start_ns, there_s, all_s, app, s) AS (
    SELECT q.start_ns, q.there_s, q.all_s, t.app,
      min(t.end_ns, q.end_ns) - max(t.start_ns, q.start_ns)
    FROM asked q
      JOIN task t
        ON t.start_ns > q.start_ns - (SELECT max(end_ns - start_ns) FROM task WHERE runs = 1) - 1
          AND t.start_ns < q.end_ns
          AND t.end_ns > q.start_ns
          AND t.runs = 1
      JOIN worker w ON w.span = t.worker AND w.pool = q.pool
    UNION ALL
    SELECT q.start_ns, q.there_s, q.all_s, r.app,
      min(r.to_ns, q.end_ns) - max(r.from_ns, q.start_ns)
    FROM asked q
      JOIN again r ON r.from_ns < q.end_ns AND r.to_ns > q.start_ns
      JOIN worker w ON w.span = r.worker AND w.pool = q.pool),
  meanwhile AS MATERIALIZED (
    SELECT start_ns, there_s, all_s, app, sum(s) / 1e9 AS s
    FROM did
    GROUP BY 1, 4),
  every AS (
    SELECT start_ns, max(sum(s), max(all_s)) AS s,
      max(there_s) * sum(s) / max(sum(s), max(all_s)) AS ran_s
    FROM meanwhile
    GROUP BY 1),
  beside AS MATERIALIZED (
    SELECT app,
      component || ', starting the task' AS what,
      starting_s
        / (
          SELECT sum(starting_s + running_s + ending_s)
          FROM on_worker a
          WHERE a.app IS o.app) AS part
    FROM on_worker o
    WHERE starting_s > 0
    UNION ALL
    SELECT app,
      component || ', result on its way back',
      ending_s
        / (
          SELECT sum(starting_s + running_s + ending_s)
          FROM on_worker a
          WHERE a.app IS o.app)
    FROM on_worker o
    WHERE ending_s > 0),
  said(what, seconds) AS (
    SELECT ifnull('app ' || m.app, 'tasks'),
      m.there_s * m.s / e.s
        * (1 - ifnull((SELECT sum(o.part) FROM beside o WHERE o.app IS m.app), 0))
    FROM meanwhile m JOIN every e USING (start_ns)
    UNION ALL
    SELECT o.what, m.there_s * m.s / e.s * o.part
    FROM meanwhile m JOIN every e USING (start_ns) JOIN beside o ON o.app IS m.app
    UNION ALL
    SELECT iif(EXISTS (SELECT 1 FROM worker)
          OR NOT EXISTS (SELECT 1 FROM block WHERE failed NOTNULL),
        component || ', ' || state,
        'waiting for workers that never came'),
      seconds - nobody_s - ifnull((SELECT ran_s FROM every e WHERE e.start_ns = q.start_ns), 0)
    FROM queued q
    UNION ALL
    SELECT 'while no worker was there', nobody_s
    FROM queued q
    UNION ALL
    SELECT ifnull('until workers of ' || whose || ' were there', 'until workers were there'),
      (min(end_ns, at_ns) - start_ns) / 1e9
    FROM part
    WHERE queues AND start_ns < at_ns
    UNION ALL
    SELECT ifnull(iif(lost, 'failed tries of ', 'app ')
          || (SELECT app FROM task t WHERE t.span = part.task),
        iif(lost, 'failed tries', 'tasks')),
      seconds
    FROM part
    WHERE runs
    UNION ALL
    SELECT 'until the loss of a worker was noticed', seconds
    FROM part
    WHERE unnoticed
    UNION ALL
    SELECT 'driver, does not take results', seconds
    FROM part
    WHERE driver
    UNION ALL
    SELECT CASE
        WHEN component = 'driver' AND start_ns >= (SELECT since_ns FROM silent)
          THEN 'after the driver fell silent'
        WHEN state = 'after the last task' AND EXISTS (SELECT 1 FROM gone)
          THEN 'while no worker was there'
        WHEN component = 'driver'
            AND state = 'after the last task'
            AND (SELECT undone > 0 AND ends AND ended_ns ISNULL FROM run)
          THEN 'after tasks were last heard of'
        ELSE component || ', ' || state
      END,
      seconds
    FROM part
    WHERE NOT queues AND NOT runs AND NOT unnoticed AND NOT driver)
SELECT what, sum(seconds) AS seconds
FROM said
GROUP BY 1
HAVING what <> 'while no worker was there' OR sum(seconds) > 0;
