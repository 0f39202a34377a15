-- SPDX-License-Identifier: Apache-2.0
-- What findings of traced programs ask: temporary tables of the processes of one run of programs;
-- docs/findings.md describes them. PATH is a text in quotes, or NULL: whose files tell of the
-- processes; WITHIN a JSON list of processes, or NULL: all.

-- name: programs
DROP TABLE IF EXISTS temp.call;
DROP TABLE IF EXISTS temp.process;
DROP TABLE IF EXISTS temp.function;
DROP TABLE IF EXISTS temp.program;
-- Those that run at one time are of one run, of which the last is told: from the first call of any
-- to the last.
CREATE TEMP TABLE process AS
WITH
  extent AS MATERIALIZED (
    SELECT process AS span, min(begin_ns) AS begin_ns, max(end_ns) AS end_ns
    FROM call_times(WITHIN)
    WHERE process NOTNULL
    GROUP BY 1),
  asked AS MATERIALIZED (
    SELECT e.*, s.key, s.source
    FROM extent e JOIN sl_span s ON s.id = e.span
    WHERE PATH ISNULL
      OR s.source IN (
        SELECT id
        FROM sources
        WHERE path = PATH OR substr(path, 1, length(PATH) + 1) = PATH || '/')),
  starts AS (
    SELECT *,
      begin_ns > ifnull(max(end_ns) OVER (
          ORDER BY begin_ns, span
          ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
        -1) AS new
    FROM asked),
  numbered AS MATERIALIZED (SELECT *, sum(new) OVER (ORDER BY begin_ns, span) AS run FROM starts),
  said AS MATERIALIZED (
    SELECT a.span, a.name, a.value
    FROM attributes a
    WHERE a.span IN (SELECT span FROM asked) AND a.name IN ('rank', 'hostname', 'program', 'ended'))
SELECT span, begin_ns, end_ns,
  (SELECT max(value) FROM said s WHERE s.span = n.span AND name = 'rank') AS rank,
  (
    SELECT max(value)
    FROM said s
    WHERE s.span = n.span AND name = 'hostname') AS host,
  (SELECT max(value) FROM said s WHERE s.span = n.span AND name = 'program') AS program,
  (SELECT min(value) FROM said s WHERE s.span = n.span AND name = 'ended') AS ended,
  run AS runs, 0 AS starts
FROM numbered n
WHERE run = (SELECT max(run) FROM numbered);
CREATE TEMP TABLE call AS
SELECT span, caller, thread, process, name, begin_ns, end_ns, unfinished, own_s, share_s, alone_s,
  at_once
FROM call_times((SELECT json_group_array(span) FROM process))
WHERE process IN (SELECT span FROM process);
CREATE INDEX temp.call_span ON call (span);
-- Spanloom's own process, in which the command that was traced is a call.
UPDATE temp.process SET starts = 1
WHERE program = 'spanloom'
  AND NOT EXISTS (SELECT 1 FROM call c WHERE c.process = process.span AND c.caller NOTNULL);
CREATE TEMP TABLE function AS
SELECT name, process, count(*) AS calls,
  count(DISTINCT thread) AS threads,
  sum(end_ns - begin_ns) / 1e9 AS all_s,
  sum(own_s) AS own_s, sum(share_s) AS share_s, sum(alone_s) AS alone_s
FROM call
GROUP BY 1, 2;
CREATE TEMP TABLE program AS
SELECT min(begin_ns) AS start_ns, max(end_ns) AS end_ns,
  (max(end_ns) - min(begin_ns)) / 1e9 AS makespan_s,
  count(*) FILTER (WHERE NOT starts) AS processes,
  (
    SELECT count(DISTINCT thread)
    FROM call JOIN process p ON p.span = call.process
    WHERE NOT starts) AS threads,
  count(DISTINCT rank) AS ranks, count(DISTINCT host) AS hosts,
  (SELECT count(*) FROM call) AS calls,
  (SELECT max(at_once) FROM call) AS at_once,
  max(runs) AS runs
FROM process;

-- name: program
-- What it is called: by what Spanloom started, else by its programs.
WITH
  root AS (
    SELECT group_concat(DISTINCT c.name) AS names
    FROM temp.call c JOIN temp.process p ON p.span = c.process
    WHERE p.starts),
  those AS (
    SELECT group_concat(DISTINCT program) AS names
    FROM temp.process
    WHERE program <> 'spanloom' AND NOT starts)
SELECT coalesce(root.names
      || iif(those.names <> root.names AND root.names NOT LIKE '%.py',
        ' (' || those.names || ')',
        ''),
    those.names, 'a traced program'),
  start_ns, end_ns, makespan_s, processes, threads, ranks, hosts,
  calls
    - (
      SELECT count(*)
      FROM temp.call c JOIN temp.process p ON p.span = c.process
      WHERE p.starts),
  runs
FROM temp.program, root, those;

-- name: functions
SELECT f.name || iif(starts AND (SELECT processes FROM temp.program) > 0, ' itself', ''),
  sum(share_s) AS s
FROM temp.function f JOIN temp.process p ON p.span = f.process
GROUP BY 1
UNION ALL
SELECT 'outside of traced functions', makespan_s - (SELECT sum(share_s) FROM temp.function)
FROM temp.program
ORDER BY 2 DESC, 1;

-- name: is_there
SELECT EXISTS (
    SELECT 1
    FROM sl_name n CROSS JOIN sl_span s ON s.type = n.id
    WHERE n.name = 'trace.call'
      AND (?1 ISNULL
        OR s.source IN (
          SELECT id
          FROM sources
          WHERE path = ?1 OR substr(path, 1, length(?1) + 1) = ?1 || '/')));

-- name: ranks
-- Of the tasks that the critical path was in for longest, the first that is a program of several
-- ranks, and its processes.
WITH
  part AS (
    SELECT task, sum(seconds) AS s
    FROM temp.path
    WHERE runs AND task NOTNULL AND EXISTS (SELECT 1 FROM sl_name WHERE name = 'trace.process')
    GROUP BY 1
    ORDER BY 2 DESC
    LIMIT 20),
  each AS MATERIALIZED (
    SELECT part.task, max(part.s) AS s,
      json_group_array(d.span) AS processes,
      count(DISTINCT a.value) AS ranks
    FROM part
      CROSS JOIN descendants(part.task) d
      CROSS JOIN sl_span s ON s.id = d.span
      CROSS JOIN sl_name n ON n.id = s.type AND n.name = 'trace.process'
      LEFT JOIN attributes a ON a.span = d.span AND a.name = 'rank'
    GROUP BY 1)
SELECT t.task, t.name, t.run_s, processes
FROM each JOIN temp.task t ON t.span = each.task
WHERE ranks > 1 AND t.runs = 1
ORDER BY s DESC
LIMIT 1;
