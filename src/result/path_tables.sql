-- SPDX-License-Identifier: Apache-2.0
-- What critical_path.c asks of the store.

-- name: keep_path_app
-- The app of a task is looked up: span_groups() reads all of the store.
CREATE TEMP TABLE sl_path AS
SELECT *, coalesce(iif(component = 'driver', component, NULL), app, '(none)') AS name
FROM (
    SELECT p.*, p.tasks, p.undone,
      row_number() OVER (ORDER BY start_ns) AS i,
      (
        SELECT json_extract(a.vals, f.path)
        FROM (
            SELECT p.task_span AS id
            UNION
            SELECT right_span
            FROM sl_link
            WHERE left_span = p.task_span AND kind = SL_FACET
            UNION
            SELECT left_span
            FROM sl_link
            WHERE right_span = p.task_span AND kind = SL_FACET) v
          CROSS JOIN sl_attr a ON a.span = v.id
          CROSS JOIN sl_shape f ON f.id = a.shape
        WHERE f.name IN ('app', 'task_func_name', 'category')
        LIMIT 1) AS app
    FROM critical_path(%lld) p);

-- name: keep_path
-- BY_WORD of its own part first, then of the task.
CREATE TEMP TABLE sl_path AS
SELECT p.*, p.tasks, p.undone,
  row_number() OVER (ORDER BY start_ns) AS i,
  t.app,
  coalesce(iif(component = 'driver', component, NULL),
    iif('BY_WORD' IN ('app'), NULL, s.BY_WORD),
    t.BY_WORD, '(none)') AS name
FROM critical_path(%lld) p
  LEFT JOIN span_groups() s ON s.span = p.span
  LEFT JOIN span_groups() t ON t.span = p.task_span;

-- name: path
SELECT sl_time_text(start_ns) AS start,
  sl_time_text(end_ns) AS "end", seconds, task, component, state, p.span,
  (
    SELECT json_extract(a.vals, f.path)
    FROM (
        SELECT p.task_span AS id
        UNION
        SELECT right_span
        FROM sl_link
        WHERE left_span = p.task_span AND kind = SL_FACET
        UNION
        SELECT left_span
        FROM sl_link
        WHERE right_span = p.task_span AND kind = SL_FACET) v
      CROSS JOIN sl_attr a ON a.span = v.id
      CROSS JOIN sl_shape f ON f.id = a.shape
    WHERE f.name IN ('app', 'task_func_name', 'category')
    LIMIT 1) AS app,
  lost
FROM critical_path(?1) p
ORDER BY start_ns;

-- name: path_grouped
SELECT coalesce(iif(component = 'driver', component, NULL),
    iif('BY_WORD' = 'app', NULL, s.BY_WORD),
    t.BY_WORD, '(none)') AS BY_WORD,
  sl_time_text(start_ns) AS start,
  sl_time_text(end_ns) AS "end", seconds, task, component, state, p.span, lost
FROM critical_path(?1) p
  LEFT JOIN span_groups() s ON s.span = p.span
  LEFT JOIN span_groups() t ON t.span = p.task_span
ORDER BY start_ns;

-- name: head
SELECT sum(end_ns - start_ns) / 1e9, min(start_ns), max(end_ns), count(DISTINCT task_span),
  max(tasks), max(undone),
  (
    SELECT iif(EXISTS (
          SELECT 1
          FROM sl_span s JOIN sl_name n ON n.id = s.type JOIN sl_role r ON r.type = n.name
          WHERE s.id = ?1 AND r.role = 'batch'),
        'job',
        'task')),
  (
    SELECT max(json_extract(a.vals, f.path))
    FROM sl_attr a JOIN sl_shape f ON f.id = a.shape
    WHERE a.span = ?1 AND f.name = 'workflow_name'),
  sum(end_ns - start_ns) FILTER (WHERE state LIKE '% queue%'
      AND EXISTS (
        SELECT 1
        FROM sl_role r CROSS JOIN sl_name n ON n.name = r.type CROSS JOIN sl_span s ON s.type = n.id
        WHERE r.role = 'worker')) / 1e9
FROM temp.sl_path;

-- name: rows
-- What follows each other of one task in the same words is one row: a try that was lost went
-- through several states.
CREATE TEMP TABLE sl_path_row AS
WITH
  said AS (
    SELECT *, iif(lost, 'lost to a failed try', state) AS words
    FROM temp.sl_path),
  edge AS (
    SELECT *,
      task_span IS NOT lag(task_span) OVER w
        OR component IS NOT lag(component) OVER w
        OR words IS NOT lag(words) OVER w AS begins
    FROM said
    WINDOW w AS (ORDER BY i))
SELECT *, sum(begins) OVER (ORDER BY i) AS row
FROM edge;

-- name: blame
SELECT sum(end_ns - start_ns) / 1e9 AS s, count(DISTINCT row), %s, %s
FROM temp.sl_path_row
GROUP BY 3, 4
ORDER BY 1 DESC;

-- name: parts
SELECT (min(start_ns) - (SELECT min(start_ns) FROM temp.sl_path)) / 1e9,
  (max(end_ns) - min(start_ns)) / 1e9,
  task, component, words,
  rank() OVER (ORDER BY max(end_ns) - min(start_ns) DESC, row),
  app
FROM temp.sl_path_row
GROUP BY row
ORDER BY row;

-- name: slack
SELECT task, round(slack_s, 9) AS slack_s, round(path_s, 9) AS path_s,
  sl_time_text(first_ns) AS first,
  sl_time_text(done_ns) AS done, s.span,
  (
    SELECT json_extract(a.vals, f.path)
    FROM (
        SELECT s.span AS id
        UNION
        SELECT right_span
        FROM sl_link
        WHERE left_span = s.span AND kind = SL_FACET
        UNION
        SELECT left_span
        FROM sl_link
        WHERE right_span = s.span AND kind = SL_FACET) v
      CROSS JOIN sl_attr a ON a.span = v.id
      CROSS JOIN sl_shape f ON f.id = a.shape
    WHERE f.name IN ('app', 'task_func_name', 'category')
    LIMIT 1) AS app
FROM slack(?1) s
ORDER BY slack_s, first_ns;
