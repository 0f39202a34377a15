-- SPDX-License-Identifier: Apache-2.0
-- The tables of programs.sql, of spans of OpenTelemetry: a service is a process, a span a call.
-- What calls nothing meanwhile is innermost: what is left of a span where those are taken away that
-- have it as their parent. PATH as there.

-- name: otel
DROP TABLE IF EXISTS temp.call;
DROP TABLE IF EXISTS temp.process;
DROP TABLE IF EXISTS temp.function;
DROP TABLE IF EXISTS temp.program;
DROP TABLE IF EXISTS temp.piece;
-- Traces that were there at one time are of one run, of which the last is told.
CREATE TEMP TABLE call AS
WITH
  t AS (SELECT id FROM sl_name WHERE name = 'otel.span'),
  time AS MATERIALIZED (
    SELECT s.id AS span, s.parent AS trace,
      min(e.time_ns) FILTER (WHERE n.name = 'begin') AS begin_ns,
      max(e.time_ns) FILTER (WHERE n.name = 'end') AS end_ns,
      max(e.time_ns) AS last_ns
    FROM sl_span s JOIN sl_event e ON e.span = s.id JOIN sl_name n ON n.id = e.type
    WHERE s.type IN t
      AND (PATH ISNULL
        OR s.source IN (
          SELECT id
          FROM sources
          WHERE path = PATH OR substr(path, 1, length(PATH) + 1) = PATH || '/'))
    GROUP BY 1
    HAVING begin_ns NOTNULL),
  extent AS (
    SELECT trace, min(begin_ns) AS begin_ns, max(last_ns) AS end_ns
    FROM time
    GROUP BY 1),
  starts AS (
    SELECT *,
      begin_ns > ifnull(max(end_ns) OVER (
          ORDER BY begin_ns, trace
          ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
        -1) AS new
    FROM extent),
  numbered AS MATERIALIZED (
    SELECT trace, sum(new) OVER (ORDER BY begin_ns, trace) AS run
    FROM starts)
SELECT x.span,
  (
    SELECT l.left_span
    FROM sl_link l JOIN sl_span p ON p.id = l.left_span
    WHERE l.right_span = x.span AND l.kind = SL_IN AND p.type IN t
    LIMIT 1) AS caller,
  NULL AS thread,
  (
    SELECT l.left_span
    FROM sl_link l JOIN sl_span p ON p.id = l.left_span JOIN sl_name n ON n.id = p.type
    WHERE l.right_span = x.span AND l.kind = SL_IN AND n.name = 'otel.resource'
    LIMIT 1) AS process,
  (
    SELECT value
    FROM attributes a
    WHERE a.span = x.span AND a.name = 'name'
    LIMIT 1) AS name,
  begin_ns,
  max(begin_ns, ifnull(end_ns, last_ns)) AS end_ns,
  end_ns ISNULL AS unfinished, 0.0 AS own_s, 0.0 AS share_s, 0.0 AS alone_s, 0 AS at_once, run
FROM time x JOIN numbered USING (trace)
WHERE run = (SELECT max(run) FROM numbered);
UPDATE temp.call SET name = ifnull(name, 'span without a name');
CREATE INDEX temp.call_span ON call (span);
-- What is left of each where its children, of which those that overlap are one, are taken away.
CREATE TEMP TABLE piece AS
WITH
  child AS (
    SELECT c.caller AS span,
      max(c.begin_ns, p.begin_ns) AS from_ns,
      min(c.end_ns, p.end_ns) AS to_ns
    FROM temp.call c JOIN temp.call p ON p.span = c.caller
    WHERE c.begin_ns < p.end_ns AND c.end_ns > p.begin_ns),
  edge AS (
    SELECT span, begin_ns AS from_ns, begin_ns AS to_ns
    FROM temp.call
    UNION ALL
    SELECT span, from_ns, to_ns
    FROM child
    UNION ALL
    SELECT span, end_ns, end_ns
    FROM temp.call),
  gap AS (
    SELECT span,
      max(to_ns) OVER (
        PARTITION BY span
        ORDER BY from_ns, to_ns
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS from_ns,
      from_ns AS to_ns
    FROM edge)
SELECT span, from_ns, to_ns
FROM gap
WHERE to_ns > from_ns;
-- From the first moment to each: how long, divided by how many were innermost, and while only one
-- was.
WITH
  edge AS (
    SELECT rowid AS piece, from_ns AS at_ns, 1 AS step
    FROM temp.piece
    UNION ALL
    SELECT rowid, to_ns, -1
    FROM temp.piece),
  moment AS (
    SELECT at_ns,
      sum(sum(step)) OVER (ORDER BY at_ns) AS n,
      lead(at_ns) OVER (ORDER BY at_ns) - at_ns AS ns
    FROM edge
    GROUP BY 1),
  sums AS MATERIALIZED (
    SELECT at_ns, n,
      ifnull(sum(iif(n > 0, ns * 1.0 / n, 0)) OVER w, 0) AS share,
      ifnull(sum(iif(n = 1, ns, 0)) OVER w, 0) AS alone
    FROM moment
    WINDOW w AS (ORDER BY at_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)),
  own AS MATERIALIZED (
    SELECT p.span,
      sum(p.to_ns - p.from_ns) / 1e9 AS own_s,
      sum(b.share - a.share) / 1e9 AS share_s,
      sum(b.alone - a.alone) / 1e9 AS alone_s
    FROM temp.piece p JOIN sums a ON a.at_ns = p.from_ns JOIN sums b ON b.at_ns = p.to_ns
    GROUP BY 1) UPDATE temp.call
SET own_s = own.own_s, share_s = own.share_s, alone_s = own.alone_s,
  at_once = (SELECT max(n) FROM sums)
FROM own
WHERE own.span = call.span;
DROP TABLE temp.piece;
CREATE TEMP TABLE process AS
SELECT c.process AS span, min(begin_ns) AS begin_ns, max(end_ns) AS end_ns, NULL AS rank,
  (
    SELECT max(value)
    FROM attributes a
    WHERE a.span = c.process AND a.name = 'host.name') AS host,
  (
    SELECT max(value)
    FROM attributes a
    WHERE a.span = c.process AND a.name = 'service.name') AS program,
  NULL AS ended, max(run) AS runs, 0 AS starts
FROM temp.call c
GROUP BY 1;
CREATE TEMP TABLE function AS
SELECT name, process, count(*) AS calls, 0 AS threads,
  sum(end_ns - begin_ns) / 1e9 AS all_s,
  sum(own_s) AS own_s, sum(share_s) AS share_s, sum(alone_s) AS alone_s
FROM temp.call
GROUP BY 1, 2;
CREATE TEMP TABLE program AS
SELECT min(begin_ns) AS start_ns, max(end_ns) AS end_ns,
  (max(end_ns) - min(begin_ns)) / 1e9 AS makespan_s,
  count(*) AS processes, 0 AS threads, 0 AS ranks, count(DISTINCT host) AS hosts,
  (SELECT count(*) FROM temp.call) AS calls,
  (SELECT max(at_once) FROM temp.call) AS at_once,
  max(runs) AS runs
FROM temp.process;

-- name: otel_is_there
SELECT EXISTS (
    SELECT 1
    FROM sl_name n CROSS JOIN sl_span s ON s.type = n.id
    WHERE n.name = 'otel.span'
      AND (?1 ISNULL
        OR s.source IN (
          SELECT id
          FROM sources
          WHERE path = ?1 OR substr(path, 1, length(?1) + 1) = ?1 || '/')));
