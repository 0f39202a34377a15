-- SPDX-License-Identifier: Apache-2.0
-- What contents.c asks of the store.

-- name: types
SELECT n.name AS type, count(*) AS spans
FROM sl_span s JOIN sl_name n ON n.id = s.type
WHERE ?1 IS NULL OR s.id IN (SELECT span FROM descendants(?1))
GROUP BY n.name
ORDER BY n.name;

-- name: events
SELECT n.name AS type, m.name AS event, sum(c) AS events, count(*) AS spans
FROM (
    SELECT s.type AS st, e.type AS et, count(*) AS c
    FROM sl_event e JOIN sl_span s ON s.id = e.span
    WHERE ?1 IS NULL OR s.id IN (SELECT span FROM descendants(?1))
    GROUP BY e.span, e.type)
  JOIN sl_name n ON n.id = st
  JOIN sl_name m ON m.id = et
GROUP BY st, et
ORDER BY n.name, m.name;

-- name: info
WITH
  t(n, what, value) AS (
    SELECT 1, 'sources', (SELECT count(*) FROM sl_source WHERE replaced_by IS NULL AND id > 0)
    UNION ALL
    SELECT 2, 'records', (SELECT ifnull(sum(records), 0) FROM sl_source WHERE replaced_by IS NULL)
    UNION ALL
    SELECT 3, 'rejected records',
      (SELECT ifnull(sum(rejected), 0) FROM sl_source WHERE replaced_by IS NULL)
    UNION ALL
    SELECT 4, 'spans', (SELECT count(*) FROM sl_span)
    UNION ALL
    SELECT 5, 'span types', (SELECT count(DISTINCT type) FROM sl_span)
    UNION ALL
    SELECT 6, 'events', (SELECT count(*) FROM sl_event)
    UNION ALL
    SELECT 6.5, 'events not recorded', n
    FROM (SELECT sum(events) AS n FROM (%s))
    WHERE n > 0
    UNION ALL
    SELECT 7, 'spans in another', (SELECT count(*) FROM sl_span WHERE parent IS NOT NULL)
    UNION ALL
    SELECT 8, 'further containments', (SELECT count(*) FROM sl_link WHERE kind = SL_IN)
    UNION ALL
    SELECT 9, 'facets', (SELECT count(*) FROM sl_link WHERE kind = SL_FACET)
    UNION ALL
    SELECT 10, 'after and flow links',
      (SELECT count(*) FROM sl_link WHERE kind IN (SL_AFTER, SL_FLOW))
    UNION ALL
    SELECT 11, 'records with attributes',
      (SELECT count(*) FROM sl_attr)
        + (
          SELECT count(*)
          FROM sl_span s JOIN sl_alike k ON k.id = s.alike
          WHERE NOT EXISTS (
            SELECT 1
            FROM sl_attr a
            WHERE a.span = s.id AND a.source = k.source AND a.place = s.place))
    UNION ALL
    SELECT 12, 'records with samples', (SELECT count(*) FROM sl_sample)
    UNION ALL
    SELECT 13, 'first event',
      (
        SELECT strftime('%%Y-%%m-%%dT%%H:%%M:%%fZ', min(time_ns) / 1e9, 'unixepoch')
        FROM sl_event)
    UNION ALL
    SELECT 14, 'last event',
      (
        SELECT strftime('%%Y-%%m-%%dT%%H:%%M:%%fZ', max(time_ns) / 1e9, 'unixepoch')
        FROM sl_event)
    UNION ALL
    SELECT 15, 'local times',
      (
        SELECT group_concat(DISTINCT printf('UTC%%s%%02d:%%02d %%s', iif(offset_s < 0, '-', '+'),
            abs(offset_s) / 3600, abs(offset_s) / 60 %% 60,
            iif(how = 'given',
              'as --zone says',
              iif(how = 'assumed', 'assumed', 'as the logs say'))))
        FROM sl_zone)
    UNION ALL
    SELECT 16, 'links to spans not known yet', (SELECT count(*) FROM sl_weak)
    UNION ALL
    SELECT 17, 'bytes', (SELECT page_count * page_size FROM pragma_page_count, pragma_page_size)
    UNION ALL
    SELECT 18, 'schema', (SELECT value FROM sl_meta WHERE name = 'schema'))
SELECT what, value
FROM t
ORDER BY n;

-- name: info_of
-- The same of one run: its spans, and the sources that tell of them or lie in its directory.
WITH
  d AS MATERIALIZED (SELECT span FROM descendants(?1)),
  o AS MATERIALIZED (%s),
  e AS MATERIALIZED (
    SELECT count(*) AS n, min(time_ns) AS first_ns, max(time_ns) AS last_ns
    FROM d JOIN sl_event USING (span)),
  k AS MATERIALIZED (
    SELECT kind, count(*) AS n
    FROM d JOIN sl_link l ON l.left_span = d.span
    GROUP BY 1),
  t(n, what, value) AS (
    SELECT 1, 'sources', (SELECT count(*) FROM o)
    UNION ALL
    SELECT 2, 'records', (SELECT ifnull(sum(records), 0) FROM sl_source WHERE id IN o)
    UNION ALL
    SELECT 3, 'rejected records', (SELECT ifnull(sum(rejected), 0) FROM sl_source WHERE id IN o)
    UNION ALL
    SELECT 4, 'spans', (SELECT count(*) FROM d)
    UNION ALL
    SELECT 5, 'span types', (SELECT count(DISTINCT s.type) FROM d JOIN sl_span s ON s.id = d.span)
    UNION ALL
    SELECT 6, 'events', (SELECT n FROM e)
    UNION ALL
    SELECT 6.5, 'events not recorded', n
    FROM (SELECT sum(events) AS n FROM (%s))
    WHERE n > 0
    UNION ALL
    SELECT 7, 'spans in another',
      (
        SELECT count(*)
        FROM d JOIN sl_span s ON s.id = d.span
        WHERE parent IS NOT NULL)
    UNION ALL
    SELECT 8, 'further containments', (SELECT ifnull(sum(n), 0) FROM k WHERE kind = SL_IN)
    UNION ALL
    SELECT 9, 'facets', (SELECT ifnull(sum(n), 0) FROM k WHERE kind = SL_FACET)
    UNION ALL
    SELECT 10, 'after and flow links',
      (SELECT ifnull(sum(n), 0) FROM k WHERE kind IN (SL_AFTER, SL_FLOW))
    UNION ALL
    SELECT 12, 'records with samples', (SELECT count(*) FROM d JOIN sl_sample USING (span))
    UNION ALL
    SELECT 13, 'first event',
      (
        SELECT strftime('%%Y-%%m-%%dT%%H:%%M:%%fZ', first_ns / 1e9, 'unixepoch')
        FROM e)
    UNION ALL
    SELECT 14, 'last event',
      (
        SELECT strftime('%%Y-%%m-%%dT%%H:%%M:%%fZ', last_ns / 1e9, 'unixepoch')
        FROM e))
SELECT what, value
FROM t
ORDER BY n;

-- name: lost
-- Processes of traced programs that could not record all of their events.
SELECT s.id AS span,
  (
    SELECT value
    FROM attributes
    WHERE span = s.id AND name = 'program'
    LIMIT 1) AS program,
  (
    SELECT CAST(value AS INTEGER)
    FROM attributes
    WHERE span = s.id AND name = 'lost'
    LIMIT 1) AS events,
  (
    SELECT value
    FROM attributes
    WHERE span = s.id AND name = 'lost_why'
    LIMIT 1) AS why
FROM (
    SELECT s.id
    FROM sl_span s
    WHERE s.type = (SELECT id FROM sl_name WHERE name = 'trace.process') AND (%s)
    LIMIT -1) s
WHERE events > 0
-- name: sources_of
-- Of the run ?1.
SELECT id
FROM sl_source
WHERE replaced_by IS NULL
  AND (id IN (
    SELECT s.source
    FROM descendants(?1) d JOIN sl_span s ON s.id = d.span
    UNION
    SELECT e.source
    FROM descendants(?1) d JOIN sl_event e ON e.span = d.span
    UNION
    SELECT m.source
    FROM descendants(?1) d JOIN sl_sample m ON m.span = d.span)
    OR EXISTS (
      SELECT 1
      FROM sl_span s JOIN sl_shared h ON h.value = s.key
      WHERE s.id IN (SELECT span FROM descendants(?1) WHERE depth < 2)
        AND s.parent IS NULL
        AND substr(path, 1, length(h.scope) + 1) = h.scope || '/'))
-- name: runs
-- The root spans of the kinds that people think of as runs, and where they come from.
SELECT n.name AS type, s.key AS run,
  ifnull((SELECT min(scope) FROM sl_shared WHERE value = s.key), '') AS directory,
  (SELECT count(*) FROM sl_span c WHERE c.parent = s.id) AS children,
  s.id AS span
FROM sl_span s JOIN sl_name n ON n.id = s.type
WHERE s.parent IS NULL AND (?1 IS NULL OR s.id IN (SELECT span FROM descendants(?1)))
ORDER BY n.name, s.id;

-- name: rejects
SELECT path || ':' || place AS place, reason, text
FROM rejects
WHERE (instr(path, ?2) OR ?2 = '') AND (?1 IS NULL OR source IN (%s))
ORDER BY path, rejects.place;

-- name: reject_counts
SELECT count(*) AS records, reason, path
FROM rejects
WHERE (instr(path, ?2) OR ?2 = '') AND (?1 IS NULL OR source IN (%s))
GROUP BY path, reason
ORDER BY 1 DESC, path;

-- name: workflows
WITH
  at AS MATERIALIZED (
    SELECT r.span, min(e.time_ns) AS first_ns, max(e.time_ns) AS last_ns
    FROM temp.sl_run_name r JOIN descendants(r.span) d JOIN sl_event e ON e.span = d.span
    GROUP BY 1),
  -- Has it tasks itself?  Else those of its facets are its tasks.
  own AS MATERIALIZED (
    SELECT span,
      EXISTS (
        SELECT 1
        FROM sl_span s
          JOIN sl_name n ON n.id = s.type
          JOIN sl_role o ON o.type = n.name AND o.role = 'task'
        WHERE s.parent = r.span) AS it
    FROM temp.sl_run_name r),
  view(run, span) AS (
    SELECT span, span
    FROM own
    UNION
    SELECT run, right_span
    FROM view
      JOIN own ON own.span = run
      JOIN sl_link l ON l.left_span = view.span AND l.kind = SL_FACET
    WHERE NOT it
    UNION
    SELECT run, left_span
    FROM view
      JOIN own ON own.span = run
      JOIN sl_link l ON l.right_span = view.span AND l.kind = SL_FACET
    WHERE NOT it),
  task AS MATERIALIZED (
    SELECT r.run, s.id
    FROM view r
      JOIN sl_span s ON s.parent = r.span
      JOIN sl_name n ON n.id = s.type
      JOIN sl_role o ON o.type = n.name AND o.role = 'task'),
  -- The spans that say what became of a task: itself, its attempts, or a job of a batch.
  part AS MATERIALIZED (
    SELECT run, id, id AS span
    FROM task
    UNION ALL
    SELECT t.run, t.id, y.id
    FROM task t
      JOIN sl_span y ON y.parent = t.id
      JOIN sl_name m ON m.id = y.type
      JOIN sl_role a ON a.type = m.name AND a.role = 'attempt'
    UNION ALL
    SELECT r.span, s.id, s.id
    FROM temp.sl_run_name r
      JOIN sl_span j ON j.parent = r.span
      JOIN sl_span s ON s.id = j.id OR s.parent = j.id
      JOIN sl_name n ON n.id = s.type
      JOIN sl_role o ON o.type = n.name AND o.role = 'job'
    WHERE EXISTS (SELECT 1 FROM sl_event e WHERE e.span = s.id)
      AND r.span IN (
        SELECT s.id
        FROM sl_role b JOIN sl_name n ON n.name = b.type JOIN sl_span s ON s.type = n.id
        WHERE b.role = 'batch')),
  ended AS MATERIALIZED (
    SELECT run, p.id,
      CASE
        WHEN max(d.state = 'done' AND m.name NOT IN ('returned', 'end', 't_inactive', 'clean'))
          THEN 1
        WHEN max(d.state <> 'done') THEN 0
        ELSE max(d.state = 'done')
      END AS done
    FROM part p
      LEFT JOIN sl_span s ON s.id = p.span
      LEFT JOIN sl_name n ON n.id = s.type
      LEFT JOIN sl_event e ON e.span = p.span
      LEFT JOIN sl_name m ON m.id = e.type
      LEFT JOIN sl_state d ON d.span_type = n.name AND d.event_type = m.name AND d.kind = 'done'
    GROUP BY 1, 2),
  -- unknown: events say that tasks ran, and nothing says which.
  count AS (
    SELECT o.span,
      (SELECT count(*) FROM ended WHERE run = o.span) AS n,
      NOT it
        AND EXISTS (
          SELECT 1
          FROM descendants(o.span) d
            JOIN sl_span s ON s.id = d.span
            JOIN sl_name n ON n.id = s.type
            JOIN sl_state p ON p.span_type = n.name AND p.kind = 'run') AS unknown
    FROM own o)
SELECT r.name AS run,
  (
    SELECT max(value)
    FROM attributes
    WHERE span = r.span AND name = 'workflow_name') AS script,
  strftime('%Y-%m-%dT%H:%M:%S.', first_ns / 1000000000, 'unixepoch')
    || printf('%09dZ', first_ns % 1000000000) AS start,
  (last_ns - first_ns) / 1e9 AS seconds,
  iif(n OR NOT unknown, n, NULL) AS tasks,
  iif(n OR NOT unknown,
    (SELECT count(*) FROM ended WHERE run = r.span AND NOT ifnull(done, 0)),
    NULL) AS "not done",
  r.directory, r.span
FROM temp.sl_run_name r LEFT JOIN at USING (span) LEFT JOIN count USING (span)
ORDER BY first_ns, r.span;
