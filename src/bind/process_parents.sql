-- SPDX-License-Identifier: Apache-2.0
-- What process.c asks of the store.

-- name: bind_processes
SELECT EXISTS (
  SELECT 1 FROM sl_span s WHERE s.type = (SELECT id FROM sl_name WHERE name = 'trace.process'));

-- name: any_touched
-- Also those that nothing names any more.
SELECT EXISTS (
  SELECT 1
  FROM sl_name n CROSS JOIN temp.sl_touched t CROSS JOIN sl_span s ON s.id = t.id AND s.type = n.id
  WHERE n.name = 'trace.process')
  OR EXISTS (
    SELECT 1
    FROM sl_name n
      CROSS JOIN temp.sl_touched t
      CROSS JOIN sl_ghost s ON s.id = t.id AND s.type = n.id
    WHERE n.name = 'trace.process');

-- name: any_other_touched
SELECT EXISTS (
  SELECT 1
  FROM sl_name n CROSS JOIN temp.sl_touched t CROSS JOIN sl_span s ON s.id = t.id AND s.type <> n.id
  WHERE n.name = 'trace.process')
  OR EXISTS (
    SELECT 1
    FROM sl_name n
      CROSS JOIN temp.sl_touched t
      CROSS JOIN sl_ghost s ON s.id = t.id AND s.type <> n.id
    WHERE n.name = 'trace.process');

-- name: any_variable
SELECT EXISTS (SELECT 1 FROM sl_shape WHERE name = 'env.%q');

-- name: begin
-- processes that are bound anew; and those that may be what these lie in, too
CREATE TEMP TABLE sl_asker (id INTEGER PRIMARY KEY);
CREATE TEMP TABLE sl_near (id INTEGER PRIMARY KEY);

-- name: choose_all
INSERT INTO temp.sl_asker
SELECT id
FROM sl_span
WHERE type = (SELECT id FROM sl_name WHERE name = 'trace.process');
INSERT INTO temp.sl_near
SELECT id
FROM temp.sl_asker

-- name: choose_touched
-- Some more do no harm.  What lies in a process has a higher id.
INSERT INTO temp.sl_asker
SELECT s.id
FROM sl_name n
CROSS JOIN temp.sl_touched t
CROSS JOIN sl_span s ON s.id = t.id AND s.type = n.id
WHERE n.name = 'trace.process';
INSERT OR IGNORE INTO temp.sl_asker
SELECT s.id
FROM
  (
    SELECT 'parent_id' AS name, value
    FROM sl_handle
    WHERE span >= (SELECT min(id) FROM temp.sl_asker) AND +name = 'span_id'
    UNION
    SELECT 'ppid', h.value
    FROM temp.sl_asker a CROSS JOIN sl_handle h ON h.span = a.id AND h.name = 'pid') answer
  CROSS JOIN sl_handle h ON h.name = answer.name AND h.value = answer.value
  CROSS JOIN sl_span s ON s.id = h.span
  CROSS JOIN sl_name n ON n.id = s.type
WHERE n.name = 'trace.process'
UNION
SELECT s.id
FROM temp.sl_asker a
  CROSS JOIN sl_handle answer ON answer.span = a.id AND answer.name = 'instance_path'
  CROSS JOIN sl_handle h ON h.name = 'instance_path'
    AND h.value > answer.value || '.'
    AND h.value < answer.value || '/'
  CROSS JOIN sl_span s ON s.id = h.span
  CROSS JOIN sl_name n ON n.id = s.type
WHERE n.name = 'trace.process';
INSERT INTO temp.sl_near
SELECT id
FROM temp.sl_asker;
WITH
  ask(name, value) AS (
    SELECT CASE h.name WHEN 'parent_id' THEN 'span_id' WHEN 'ppid' THEN 'pid' ELSE h.name END,
      CASE h.name
        WHEN 'instance_path' THEN substr(
          h.value, 1, length(rtrim(h.value, replace(h.value, '.', ''))) - 1)
        ELSE h.value
        END
    FROM temp.sl_asker a
      CROSS JOIN sl_handle h ON h.span = a.id AND h.name IN ('parent_id', 'ppid', 'instance_path'))
INSERT OR IGNORE INTO temp.sl_near
SELECT CASE n.name
  WHEN 'trace.call' THEN (SELECT parent FROM sl_span WHERE id = s.parent)
  WHEN 'trace.thread' THEN s.parent
  ELSE s.id
  END
FROM (SELECT DISTINCT name, value FROM ask) ask
  CROSS JOIN sl_handle h ON h.name = ask.name AND h.value = ask.value
  CROSS JOIN sl_span s ON s.id = h.span
  CROSS JOIN sl_name n ON n.id = s.type
WHERE n.name IN ('trace.call', 'trace.thread', 'trace.process');
INSERT OR IGNORE INTO temp.sl_settle
SELECT id
FROM temp.sl_asker

-- name: clear_all
DELETE FROM sl_link
WHERE confidence IS NOT NULL AND rule IN (%s);
DELETE FROM sl_doubt
WHERE rule IN (%s);
INSERT OR IGNORE INTO temp.sl_settle
SELECT id
FROM temp.sl_asker

-- name: clear_touched
DELETE FROM sl_link
WHERE right_span IN (SELECT id FROM temp.sl_asker)
  AND kind = SL_IN
  AND confidence IS NOT NULL
  AND +rule IN (% s);
DELETE FROM sl_doubt
WHERE right_span IN (SELECT id FROM temp.sl_asker) AND +rule IN (%s);

-- name: clear_flows
-- These are always bound anew: a number of a flow may come again anywhere.
DELETE FROM sl_link
WHERE confidence IS NOT NULL AND rule = %lld;
DELETE FROM sl_doubt
WHERE rule = %lld;
