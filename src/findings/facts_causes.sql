-- SPDX-License-Identifier: Apache-2.0
-- What was in the way of a run: tables that findings ask, over those of facts.sql, which says what
-- their units are.

-- name: of_tasks
-- A task of which tries failed, also as what they ran on was lost; for a few.
CREATE TEMP VIEW failure AS
WITH
  failed AS MATERIALIZED (
    SELECT task, count(*) AS tries, max(number) AS number
    FROM attempt
    WHERE failed AND exception IS NOT 'dep_fail'
    GROUP BY 1)
SELECT t.span AS task,
  coalesce(x.host, t.host) AS host,
  f.tries,
  coalesce(x.exception, t.exception) AS exception
FROM failed f
  JOIN task t ON t.span = f.task
  LEFT JOIN attempt x ON x.task = f.task AND x.number = f.number AND x.failed
WHERE t.ended IS NOT 'dependency failed'
UNION ALL
SELECT t.span, t.host, 1, t.exception
FROM (SELECT 1 FROM run WHERE run.failed > 0) CROSS JOIN task t
WHERE t.ended NOT IN ('done', 'dependency failed')
  AND t.span NOT IN (SELECT task FROM failed)
  AND t.span NOT IN (SELECT task FROM lost)
UNION ALL
SELECT t.span, coalesce(l.host, t.host), count(*), 'its worker was lost'
FROM lost l JOIN task t ON t.span = l.task
WHERE l.task NOT IN (SELECT task FROM failed)
GROUP BY l.task;

-- A task that never ran, and the first of those before it that failed.
CREATE TEMP VIEW never_ran AS
WITH RECURSIVE
  never AS MATERIALIZED (
    SELECT span
    FROM (SELECT 1 FROM run WHERE run.failed > 0) CROSS JOIN task
    WHERE ended = 'dependency failed'),
  view(task, span) AS (
    SELECT span, span
    FROM never
    UNION
    SELECT d.span, l.right_span
    FROM never d CROSS JOIN sl_link l ON l.left_span = d.span AND l.kind = SL_FACET
    UNION
    SELECT d.span, l.left_span
    FROM never d CROSS JOIN sl_link l ON l.right_span = d.span AND l.kind = SL_FACET),
  other(task, span) AS (
    SELECT v.task, l.right_span
    FROM view v CROSS JOIN sl_link l ON l.left_span = v.span AND l.kind = SL_AFTER),
  wait AS MATERIALIZED (
    SELECT task AS waits, span AS of
    FROM other
    UNION
    SELECT o.task, l.right_span
    FROM other o CROSS JOIN sl_link l ON l.left_span = o.span AND l.kind = SL_FACET
    UNION
    SELECT o.task, l.left_span
    FROM other o CROSS JOIN sl_link l ON l.right_span = o.span AND l.kind = SL_FACET),
  up(task, root) AS (
    SELECT waits, of
    FROM wait
    UNION
    SELECT up.task, w.of
    FROM up JOIN wait w ON w.waits = up.root)
SELECT task, because
FROM (
    SELECT up.task, x.span AS because,
      row_number() OVER (PARTITION BY up.task ORDER BY x.done_ns, x.span) AS n
    FROM up JOIN task x ON x.span = up.root AND x.ended = 'failed')
WHERE n = 1;

-- A task that failed at last, or never ran because of one, where the driver submitted as many of
-- the same apps once the first had failed.
CREATE TEMP TABLE made_again AS
WITH
  f AS MATERIALIZED (
    SELECT span, app, done_ns
    FROM (SELECT 1 FROM run WHERE run.failed > 0 AND tasks <= 100000) CROSS JOIN task
    WHERE ended IN ('failed', 'dependency failed')),
  again AS MATERIALIZED (
    SELECT app, count(*) AS n
    FROM (SELECT min(done_ns) AS at_ns FROM f) CROSS JOIN task t
    WHERE t.first_ns >= at_ns
    GROUP BY 1)
SELECT span AS task
FROM f
WHERE NOT EXISTS (
  SELECT 1
  FROM (SELECT app, count(*) AS n FROM f GROUP BY 1) c LEFT JOIN again a ON a.app IS c.app
  WHERE a.n IS NOT c.n);

-- An app of which tasks run side by side, and end as if one at a time had what they need: never
-- sooner after one another than usually, for half of the time at least, and the quickest, that had
-- to wait for nobody, ran for less long than most. Ends that are as regular as the tasks began are
-- not meant: these must have waited for a worker, or begun together. Larger and larger inputs that
-- begin together end so, too, in the order of their submission or its reverse: theirs must be
-- another.
CREATE TEMP TABLE serial AS
WITH
  some AS MATERIALIZED (
    SELECT app, count(*) AS tasks, sum(run_s) AS all_s, min(run_s) AS alone_s,
      sum(run_s) * 1e9 / (max(end_ns) - min(start_ns)) AS running,
      (max(end_ns) - min(end_ns)) / 1e9 / (count(*) - 1) AS mean_s,
      max(start_ns) - min(start_ns) < 0.2 * (max(end_ns) - min(start_ns)) AS together
    FROM (
        SELECT 1
        WHERE EXISTS (SELECT 1 FROM app WHERE tasks BETWEEN 12 AND 100000))
      CROSS JOIN task
    WHERE runs = 1 AND run_s > 0 AND app IN (SELECT app FROM app WHERE tasks BETWEEN 12 AND 100000)
    GROUP BY app
    HAVING running >= 1.5
      AND alone_s < 0.8 * all_s / tasks
      AND alone_s > 0.6 * mean_s
      AND mean_s >= 0.02),
  each AS (
    SELECT app, run_s, queue_s,
      (end_ns - lag(end_ns) OVER (PARTITION BY app ORDER BY end_ns)) / 1e9 AS gap_s,
      percent_rank() OVER (PARTITION BY app ORDER BY first_ns, task.rowid) - 0.5 AS began,
      percent_rank() OVER (PARTITION BY app ORDER BY end_ns) - 0.5 AS ended
    FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM some)) CROSS JOIN task
    WHERE runs = 1 AND run_s > 0 AND app IN (SELECT app FROM some)),
  of_app AS (
    SELECT app, median(gap_s) AS each_s, quantile(gap_s, 0.1) AS low_s,
      quantile(gap_s, 0.75) AS high_s,
      median(queue_s) AS queue_s, median(run_s) AS median_s,
      abs(sum(began * ended)) < 0.9 * sum(began * began) AS mixed
    FROM each
    GROUP BY app)
SELECT s.app, tasks, all_s AS run_s, running, each_s, max(alone_s, each_s) AS alone_s, median_s
FROM some s JOIN of_app o ON o.app = s.app
WHERE low_s > 0.8 * each_s
  AND high_s < 1.3 * each_s
  AND alone_s > 0.85 * each_s
  AND each_s > 0.5 * mean_s
  AND iif(together, mixed, queue_s > each_s);

-- name: of_driver
-- That the driver took no result for half a minute though there were some, while others went on: it
-- was killed, or hangs. No row: it did not.
CREATE TEMP TABLE silent AS
WITH
  its AS (
    SELECT max(max(first_ns), ifnull(max(done_ns) FILTER (WHERE ended NOTNULL), 0)) AS since_ns
    FROM (SELECT 1 FROM run WHERE ends AND ended_ns ISNULL AND undone > 0) CROSS JOIN task),
  back AS (
    SELECT count(*) AS results, min(t.end_ns) AS back_ns
    FROM run, its CROSS JOIN task t
    WHERE run.end_ns - since_ns > 30000000000
      AND t.ended ISNULL
      AND t.runs = 1
      AND t.run_s > 0
      AND t.end_ns > since_ns
      AND t.span NOT IN (SELECT task FROM attempt WHERE failed))
SELECT since_ns, back_ns, results
FROM its, back, run
WHERE back_ns < end_ns - 30000000000;

-- That another driver of the same process was alive at once; no row: none was. They have each
-- other's lines in their logs, and number their tasks alike: such a number is submitted, or done,
-- twice in one log. Both begin at 0, so the first tasks tell. later: its own log ended as the next
-- began; mixed: it is that next one.
CREATE TEMP TABLE other_driver AS
WITH
  it(id) AS (
    SELECT WORKFLOW
    UNION
    SELECT right_span
    FROM sl_link
    WHERE left_span = WORKFLOW AND kind = SL_FACET
    UNION
    SELECT left_span
    FROM sl_link
    WHERE right_span = WORKFLOW AND kind = SL_FACET),
  own AS (
    SELECT s.*
    FROM it
      JOIN sl_span s USING (id)
      JOIN sl_name n ON n.id = s.type
      JOIN sl_role r ON r.type = n.name AND r.role = 'workflow'),
  log AS MATERIALIZED (
    SELECT DISTINCT o.id
    FROM own
      JOIN sl_source w ON w.id = own.source
      JOIN sl_source o
        ON rtrim(o.path, replace(o.path, '/', '')) = rtrim(w.path, replace(w.path, '/', ''))
    WHERE o.rejected > 0),
  began AS (
    SELECT count(*) AS n
    FROM log JOIN sl_reject r ON r.source = log.id
    WHERE r.reason LIKE 'another DataFlowKernel began%'),
  submitted(type) AS MATERIALIZED (
    SELECT n.id
    FROM sl_state p JOIN sl_name n ON n.name = p.span_type
    WHERE p.event_type = 'submitted'),
  some AS (
    SELECT t.id
    FROM own CROSS JOIN sl_span t ON t.parent = own.id
    WHERE +t.type IN (SELECT type FROM submitted)
    LIMIT 20000),
  twice AS (
    SELECT e.span
    FROM some t CROSS JOIN sl_event e ON e.span = t.id
    WHERE e.type IN (SELECT id FROM sl_name WHERE name IN ('submitted', 'exec_done'))
    GROUP BY e.span, e.type, e.source
    HAVING count(*) > 1
    LIMIT 1)
SELECT began.n > 0 AS later, began.n = 0 AS mixed
FROM began, run
WHERE iif(began.n,
  undone > 0,
  EXISTS (SELECT 1 FROM twice)
    OR EXISTS (
      SELECT 1
      FROM log JOIN sl_reject r ON r.source = log.id
      WHERE r.reason LIKE 'another DataFlowKernel writes%'));

-- name: of_workers
-- A time, after its first worker, when a pool had none: blocks were scaled in, or lost.
CREATE TEMP TABLE nobody AS
WITH
  edge AS (
    SELECT pool, from_ns AS time_ns, 1 AS step
    FROM worker
    WHERE from_ns NOTNULL
    UNION ALL
    SELECT pool, to_ns, -1
    FROM worker
    WHERE from_ns NOTNULL),
  level AS (
    SELECT pool, time_ns,
      sum(sum(step)) OVER (PARTITION BY pool ORDER BY time_ns) AS n,
      lead(time_ns) OVER (PARTITION BY pool ORDER BY time_ns) AS next_ns
    FROM edge
    GROUP BY 1, 2)
SELECT pool, time_ns AS from_ns, ifnull(next_ns, end_ns) AS to_ns
FROM level, run
WHERE n = 0 AND ifnull(next_ns, end_ns) > time_ns;

-- A pool that had fewer workers than before, while tasks waited for these: from when on, how many
-- were missing at most, and what these would have done meanwhile, in seconds of all workers.
CREATE TEMP VIEW fewer AS
WITH
  t AS (
    SELECT w.pool, t.start_ns, t.first_ns + CAST(depend_s * 1e9 AS INTEGER) AS ready_ns
    FROM (
        SELECT 1
        FROM run
        WHERE tasks <= 100000
          AND undone = 0
          AND (SELECT max(to_ns) - min(to_ns) > 1000000000 FROM worker))
      CROSS JOIN task t
      JOIN worker w ON w.span = t.worker
    WHERE t.runs > 0),
  edge(pool, at, ready, there) AS (
    SELECT pool, ready_ns, 1, 0
    FROM t
    UNION ALL
    SELECT pool, start_ns, -1, 0
    FROM t
    UNION ALL
    SELECT pool, from_ns, 0, places
    FROM worker
    WHERE from_ns NOTNULL
    UNION ALL
    SELECT pool, to_ns, 0, -places
    FROM worker
    WHERE from_ns NOTNULL),
  moment AS (
    SELECT pool, at,
      sum(sum(ready)) OVER w AS ready,
      sum(sum(there)) OVER w AS there,
      lead(at) OVER w - at AS ns
    FROM edge
    GROUP BY 1, 2
    WINDOW w AS (PARTITION BY pool ORDER BY at)),
  missed AS MATERIALIZED (
    SELECT *, max(there) OVER (PARTITION BY pool ORDER BY at ROWS UNBOUNDED PRECEDING) AS most
    FROM moment)
SELECT pool, max(most) AS most, max(most - there) AS missing, min(at) AS from_ns,
  max(ready) AS ready,
  sum(min(most - there, ready) * 1.0 / most * ns) / 1e9 AS seconds,
  (
    SELECT count(*) > 0
        AND sum(w.manager IN (SELECT name FROM lost WHERE what = 'manager')) = count(*)
    FROM worker w
    WHERE w.pool = missed.pool AND w.to_ns <= max(missed.at)) AS lost
FROM missed
WHERE ready > 0 AND there > 0 AND there < most AND ns > 0
GROUP BY 1;

-- A block of an executor of Parsl; failed: why it is known to have brought no worker. It was not
-- taken by the batch system (all that is asked for is launched next, and a log that has the
-- strategy has that, too), or its script ended before that. ask: what the words of that give reason
-- to ask.
CREATE TEMP TABLE block AS
WITH
  it(id) AS (
    SELECT WORKFLOW
    UNION
    SELECT right_span
    FROM sl_link
    WHERE left_span = WORKFLOW AND kind = SL_FACET
    UNION
    SELECT left_span
    FROM sl_link
    WHERE right_span = WORKFLOW AND kind = SL_FACET),
  own AS MATERIALIZED (
    SELECT b.id AS span, x.id AS executor_span, x.key AS executor, b.key AS block, x.parent AS run
    FROM sl_name n
      CROSS JOIN sl_span b ON b.type = n.id
      JOIN sl_span x ON x.id = b.parent
      JOIN it ON it.id = x.parent
    WHERE n.name IN (SELECT type FROM sl_role WHERE role = 'block')),
  at AS MATERIALIZED (
    SELECT own.span, min(e.time_ns) AS asked_ns,
      min(e.time_ns) FILTER (WHERE n.name = 'launched') AS launched_ns,
      min(e.time_ns) FILTER (WHERE n.name IN ('scaled_in', 'terminating')) AS scaled_in_ns
    FROM own LEFT JOIN sl_event e ON e.span = own.span LEFT JOIN sl_name n ON n.id = e.type
    GROUP BY 1),
  script AS MATERIALIZED (
    SELECT own.span,
      max(a.value) FILTER (WHERE a.name = 'exit_code') AS exit_code,
      max(a.value) FILTER (WHERE a.name = 'job_name') AS job_name
    FROM own
      CROSS JOIN sl_link l ON l.left_span = own.span AND l.kind = SL_IN
      JOIN sl_span s ON s.id = l.right_span
      JOIN sl_name n ON n.id = s.type
      JOIN sl_role r ON r.type = n.name AND r.role = 'script'
      CROSS JOIN value_of a ON a.span = s.id AND a.name IN ('exit_code', 'job_name')
    GROUP BY 1),
  said AS MATERIALIZED (
    SELECT own.span,
      max(a.value) FILTER (WHERE a.name = 'submit_error') AS submit_error,
      max(a.value) FILTER (WHERE a.name = 'job_state') AS job_state
    FROM own CROSS JOIN value_of a ON a.span = own.span AND a.name IN ('submit_error', 'job_state')
    GROUP BY 1),
  told AS MATERIALIZED (
    SELECT r.run,
      max(a.value) FILTER (WHERE a.name = 'executor_failure') AS failure,
      max(a.value) FILTER (WHERE a.name = 'strategy') NOTNULL AS strategy
    FROM (SELECT DISTINCT run FROM own) r
      CROSS JOIN value_of a ON a.span = r.run AND a.name IN ('executor_failure', 'strategy')
    GROUP BY 1),
  -- executors of which each block has managers that tell when they are there
  managed AS MATERIALIZED (
    SELECT x.executor_span
    FROM (SELECT DISTINCT executor_span FROM own) x
      CROSS JOIN value_of a
        ON a.span = x.executor_span
          AND a.name IN ('type', 'class')
          AND (a.value LIKE '%HighThroughputExecutor' OR a.value LIKE '%MPIExecutor')
    GROUP BY 1),
  known AS MATERIALIZED (
    SELECT executor,
      EXISTS (SELECT 1 FROM worker w WHERE w.pool = x.executor)
        OR NOT EXISTS (
          SELECT 1
          FROM task t
          WHERE t.executor = x.executor AND t.ended = 'done') AS known
    FROM (SELECT DISTINCT executor FROM own) x),
  -- what managers tell of their node and of what a worker is to have, and how many workers fit;
  -- mem_per_worker: 2^30 bytes
  manager AS MATERIALIZED (
    SELECT own.span,
      max(CAST(a.value AS INTEGER)) FILTER (WHERE a.name = 'worker_count') AS workers,
      max(CAST(a.value AS REAL)) FILTER (WHERE a.name = 'mem_per_worker') AS each_gb,
      max(CAST(a.value AS REAL)) FILTER (WHERE a.name = 'total_memory') / 1073741824 AS gb,
      max(CAST(a.value AS REAL)) FILTER (WHERE a.name = 'cores_per_worker') AS each_cpus,
      max(CAST(a.value AS INTEGER)) FILTER (WHERE a.name = 'cpu_count') AS cpus
    FROM own
      JOIN sl_span m ON m.parent = own.span
      JOIN sl_name n ON n.id = m.type
      JOIN sl_role r ON r.type = n.name AND r.role = 'manager'
      CROSS JOIN value_of a
        ON a.span = m.id
          AND a.name IN ('worker_count', 'mem_per_worker', 'total_memory', 'cores_per_worker',
            'cpu_count')
    GROUP BY 1),
  part AS (
    SELECT own.*, known, workers, each_gb, gb, each_cpus, cpus, at.asked_ns, launched_ns,
      scaled_in_ns, exit_code, job_name, submit_error, job_state, failure,
      ifnull(strategy, 0) AS strategy,
      executor_span IN managed AS managed,
      (
        SELECT min(e.time_ns)
        FROM sl_span m
          JOIN sl_name n ON n.id = m.type
          JOIN sl_role r ON r.type = n.name AND r.role = 'manager'
          JOIN sl_event e ON e.span = m.id
        WHERE m.parent = own.span) AS began_ns,
      max(at.asked_ns) OVER (PARTITION BY executor_span) AS last_ns
    FROM own
      JOIN at USING (span)
      JOIN known USING (executor)
      LEFT JOIN script USING (span)
      LEFT JOIN said USING (span)
      LEFT JOIN told USING (run)
      LEFT JOIN manager USING (span))
SELECT *,
  iif(launched_ns ISNULL AND failed LIKE 'could not%',
    CASE
      WHEN failed LIKE '%positional argument%'
          OR failed LIKE '%keyword argument%'
          OR failed LIKE '%has no attribute%'
          OR failed LIKE '%unsupported operand%'
          OR failed LIKE '%is not defined%'
          OR failed LIKE '%object is not%'
          OR failed LIKE '%can only concatenate%'
          OR failed LIKE '% must be %, not %'
          OR failed LIKE '%not supported between%'
          OR failed LIKE '%No module named%'
        THEN 'that is Python of the provider, or of its launcher: does it fit this version of '
            || 'Parsl?'
      WHEN failed LIKE '%sbatch%'
          OR failed LIKE '%qsub%'
          OR failed LIKE '%bsub%'
          OR failed LIKE '%account%'
          OR failed LIKE '%partition%'
          OR failed LIKE '%queue%'
          OR failed LIKE '%QOS%'
          OR failed LIKE '%batch job%'
        THEN 'does the batch system take such jobs (account, partition, limits)?'
      WHEN failed LIKE '%did not return a job ID%'
        THEN 'the provider gave no job id: parsl.log has what it printed when it submitted'
      WHEN failed LIKE '%No such file or directory%'
          OR failed LIKE '%command not found%'
          OR failed LIKE '%Permission denied%'
        THEN 'is what it names there, where the driver runs, and may it be used?'
    END,
    CASE
      WHEN failed LIKE 'started no worker%' THEN 'ask for less for each worker, or for larger '
            || 'nodes'
      WHEN failed LIKE 'ended (%TIMEOUT%'
        THEN 'its time was over: a longer walltime, or less before workers start (worker_init)'
      WHEN failed LIKE 'ended (%NODE_FAIL%' OR failed LIKE 'ended (%CANCELLED%' OR failed ISNULL
        THEN NULL
      ELSE 'what its script runs failed: worker_init, or the start of workers after it'
          || ifnull('; see submit_scripts/' || job_name || '.*err', '')
    END) AS ask
FROM (
    SELECT span, executor, block, asked_ns, launched_ns, began_ns, scaled_in_ns,
      CASE
        WHEN workers = 0
          THEN 'started no worker'
              || CASE
                WHEN each_gb > gb
                  THEN printf(': mem_per_worker=%.5g (GB) is more than the %.3g GB of its node',
                      each_gb, gb)
                WHEN each_cpus > cpus
                  THEN printf(': cores_per_worker=%.5g is more than the %d CPUs of its node',
                      each_cpus, cpus)
                WHEN each_gb > 0
                  THEN printf(': with mem_per_worker=%.5g (GB) none fitted into what was free of '
                        || 'the %.3g GB of its node',
                      each_gb, gb)
                ELSE ', as its manager tells'
              END
        WHEN began_ns NOTNULL OR NOT known THEN NULL
        WHEN submit_error NOTNULL AND launched_ns ISNULL
          THEN 'could not be submitted: ' || trim(submit_error)
        WHEN launched_ns ISNULL AND failure LIKE '%Failed to start block ' || block || ':%'
          THEN 'could not be submitted: '
              || (
                SELECT trim(substr(t, 1,
                    min(instr(t || char(10) || char(10), char(10) || char(10)),
                      instr(t || char(10) || 'Error ', char(10) || 'Error '))
                      - 1))
                FROM (
                    SELECT substr(failure,
                        instr(failure, 'Failed to start block ' || block || ':')
                          + 23 + length(block)) AS t))
        WHEN launched_ns ISNULL
            AND asked_ns NOTNULL
            AND strategy
            AND (asked_ns < last_ns OR run.ended_ns > asked_ns + 60000000000)
          THEN 'could not be submitted'
        WHEN NOT managed
            OR (scaled_in_ns NOTNULL
              AND scaled_in_ns < run.end_ns - 1000000000
              AND exit_code ISNULL)
          THEN NULL
        WHEN exit_code GLOB '[1-9]*'
          THEN 'ended with exit code ' || exit_code || ' before a worker was there'
              || iif(instr(failure, 'STDERR: '),
                ': '
                  || trim(substr(failure, instr(failure, 'STDERR: ') + 8,
                    instr(failure || char(10) || char(10), char(10) || char(10))
                      - instr(failure, 'STDERR: ') - 8)),
                '')
        WHEN job_state NOTNULL AND scaled_in_ns ISNULL
          THEN 'ended (' || replace(job_state, 'JobState.', '') || ') before a worker was there'
      END AS failed,
      job_name
    FROM part, run);

-- An executor of Parsl that has blocks, what it may ask for, and held: what in that holds down how
-- many there are.
CREATE TEMP TABLE executor AS
WITH
  x AS MATERIALIZED (
    SELECT s.id AS span, executor, s.parent AS run, count(*) AS blocks,
      max(block.failed NOTNULL) AS failed
    FROM block JOIN sl_span b ON b.id = block.span JOIN sl_span s ON s.id = b.parent
    GROUP BY 1),
  a AS MATERIALIZED (
    SELECT x.span, a.name, a.value
    FROM x CROSS JOIN value_of a ON a.span = x.span
    WHERE a.name IN ('init_blocks', 'min_blocks', 'max_blocks', 'parallelism', 'not_scaled_out',
      'provider')
    UNION ALL
    SELECT x.span, a.name, a.value
    FROM x CROSS JOIN value_of a ON a.span = x.run
    WHERE a.name = 'strategy'),
  at_once AS (
    SELECT executor, max(n) AS n
    FROM (
        SELECT executor,
          sum(step) OVER (
            PARTITION BY executor
            ORDER BY time_ns, step
            ROWS UNBOUNDED PRECEDING) AS n
        FROM (
            SELECT pool AS executor, block, min(from_ns) AS time_ns, 1 AS step
            FROM worker
            WHERE block NOTNULL
            GROUP BY 1, 2
            UNION ALL
            SELECT pool, block, max(to_ns), -1
            FROM worker
            WHERE block NOTNULL
            GROUP BY 1, 2))
    GROUP BY 1),
  v AS (
    SELECT x.*, at_once.n AS most_blocks,
      (
        SELECT CAST(value AS INTEGER)
        FROM a
        WHERE a.span = x.span AND name = 'init_blocks') AS init_blocks,
      (
        SELECT CAST(value AS INTEGER)
        FROM a
        WHERE a.span = x.span AND name = 'min_blocks') AS min_blocks,
      (
        SELECT CAST(value AS INTEGER)
        FROM a
        WHERE a.span = x.span AND name = 'max_blocks') AS max_blocks,
      (
        SELECT CAST(value AS REAL)
        FROM a
        WHERE a.span = x.span AND name = 'parallelism') AS parallelism,
      (
        SELECT max(value)
        FROM a
        WHERE a.span = x.span AND name = 'not_scaled_out') AS not_scaled_out,
      (SELECT max(value) FROM a WHERE a.span = x.span AND name = 'provider') AS provider,
      (SELECT max(value) FROM a WHERE a.span = x.span AND name = 'strategy') AS strategy
    FROM x LEFT JOIN at_once USING (executor))
SELECT v.span, v.executor, provider, strategy, init_blocks, min_blocks, max_blocks, parallelism,
  v.blocks, most_blocks,
  CASE
    WHEN v.failed THEN NULL
    WHEN strategy = 'none' AND v.blocks = init_blocks
      THEN 'strategy=''none'' starts init_blocks=' || init_blocks || ' and no more'
    WHEN lower(strategy) <> 'none' AND most_blocks >= max_blocks
      THEN 'max_blocks=' || max_blocks || ' lets Parsl ask for no more'
          || ifnull(' (parsl.log: ' || not_scaled_out || ' so not scaling out)', '')
    WHEN lower(strategy) <> 'none'
        AND parallelism < 1
        AND most_blocks < max_blocks
        AND v.blocks = most_blocks
        AND parallelism * p.tasks <= p.places
      THEN printf('with parallelism=%.3g Parsl asks for a place for each %.3g tasks',
          parallelism, 1 / nullif(parallelism, 0))
  END AS held
FROM v LEFT JOIN pool p ON p.pool = v.executor;

-- A pool that had no worker any more until the end, though tasks waited for one, and how the last
-- left. Where no log has the end, what was killed looks so, too: it counts if they are known to
-- have left.
CREATE TEMP TABLE gone AS
WITH
  last AS (
    SELECT pool, max(executor) AS executor, max(to_ns) AS since_ns, count(*) AS workers,
      count(DISTINCT block) AS blocks,
      sum(drained_ns NOTNULL) = count(*) AS drained
    FROM worker
    GROUP BY 1),
  waits AS (
    SELECT last.*,
      (
        SELECT count(*)
        FROM task t
        WHERE t.ended ISNULL AND ifnull(t.executor, last.pool) = last.pool) AS waiting,
      run.end_ns, run.ended_ns
    FROM run CROSS JOIN last
    WHERE undone > 0)
SELECT *
FROM (
    SELECT pool, since_ns, end_ns AS to_ns, workers, waiting, ended_ns,
      CASE
        WHEN drained THEN 'drained'
        WHEN EXISTS (
            SELECT 1
            FROM block b
            WHERE b.executor = pool AND scaled_in_ns < since_ns + 1000000000)
          THEN 'scaled in'
        WHEN EXISTS (SELECT 1 FROM lost) THEN 'lost'
        ELSE 'ended'
      END AS how
    FROM waits
    WHERE waiting > 0 AND NOT EXISTS (SELECT 1 FROM silent))
WHERE to_ns - since_ns > 5000000000 OR (ended_ns ISNULL AND how IN ('drained', 'scaled in'));
