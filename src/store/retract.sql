-- SPDX-License-Identifier: Apache-2.0
-- What retract.c asks of the store. No loop from a recursive table to sl_span has a condition of sl_span alone: SQLite would
-- first read the whole table for a Bloom filter.

-- name: begin
-- sources, and the place of the first record that is
CREATE TEMP TABLE sl_retracted (id INTEGER PRIMARY KEY, since INTEGER NOT NULL);
CREATE TEMP TABLE sl_named (id INTEGER PRIMARY KEY);
-- the roots that retracted sources name, and new ones; and all that may lie below these; in both -1: look everywhere
DROP TABLE IF EXISTS temp.sl_touched;
CREATE TEMP TABLE sl_touched (id INTEGER PRIMARY KEY);
CREATE TEMP TABLE sl_below (id INTEGER PRIMARY KEY);

-- name: many
-- Much is spoken of, or by sources of which not all roots are known (of an older version).
WITH
  whole AS (
    SELECT head, records
    FROM sl_source
    WHERE id IN (SELECT id FROM temp.sl_retracted WHERE since < 0))
SELECT EXISTS (SELECT 1 FROM whole WHERE head IS NULL)
  OR (SELECT total(records) FROM whole) * 8 > (SELECT max(id) FROM sl_span);

-- name: below
INSERT OR IGNORE INTO temp.sl_touched
SELECT root
FROM sl_root
WHERE source IN (SELECT id FROM temp.sl_retracted WHERE since < 0);
INSERT OR IGNORE INTO temp.sl_below
WITH RECURSIVE below(id) AS (
    SELECT id FROM temp.sl_touched
    UNION ALL SELECT s.id FROM below JOIN sl_span s ON s.parent = below.id AND s.id > below.id)
SELECT id
FROM below
LIMIT (SELECT 1000 + max(id) / 4 FROM sl_span)

-- name: most
SELECT count(*) >= (SELECT 1000 + max(id) / 4 FROM sl_span)
FROM temp.sl_below;

-- name: join
-- What waits because another form of the log told it comes back, and is looked at again at the end.
INSERT OR IGNORE INTO temp.sl_touched
SELECT root
FROM sl_root
WHERE source IN (SELECT id FROM temp.sl_retracted);
INSERT OR IGNORE INTO sl_event
SELECT *
FROM sl_event_also
WHERE BELOW(span);
INSERT OR IGNORE INTO sl_sample
SELECT *
FROM sl_sample_also
WHERE BELOW(span);
DELETE FROM sl_sample_also
WHERE BELOW(span);
DELETE FROM sl_event_also
WHERE BELOW(span)

-- name: rows
-- the next of those who assert the link takes its place
INSERT INTO sl_old_event
SELECT e.source, e.place, e.time_ns, n.name || ' ' || s.key, m.name
FROM sl_event e
  JOIN sl_span s ON s.id = e.span
  JOIN sl_name n ON n.id = s.type
  JOIN sl_name m ON m.id = e.type
WHERE BELOW(e.span)
  AND RETRACTED(e.)
  AND e.source IN (SELECT id FROM sl_source WHERE replaced_by IS NOT NULL);
DELETE FROM sl_event
WHERE BELOW(span) AND RETRACTED();
DELETE FROM sl_attr
WHERE BELOW(span) AND RETRACTED();
UPDATE sl_span
SET place = NULL, alike = NULL
WHERE BELOW(id)
  AND alike IS NOT NULL
  AND EXISTS (
    SELECT 1
    FROM sl_alike a CROSS JOIN temp.sl_retracted r ON r.id = a.source
    WHERE a.id = sl_span.alike AND sl_span.place >= r.since);
DELETE FROM sl_alike
WHERE source IN (SELECT id FROM temp.sl_retracted WHERE since < 0);
DELETE FROM sl_handle
WHERE BELOW(span) AND RETRACTED();
DELETE FROM sl_sample
WHERE BELOW(span) AND RETRACTED();
DELETE FROM sl_raw
WHERE RETRACTED();
DELETE FROM sl_reject
WHERE RETRACTED();
DELETE FROM sl_root
WHERE source IN (
  SELECT id FROM temp.sl_retracted WHERE since < 0 OR root IN (SELECT id FROM temp.sl_below));
DELETE FROM sl_wrote
WHERE RETRACTED();
DELETE FROM sl_written
WHERE BELOW(span) AND source IN (SELECT id FROM temp.sl_retracted WHERE since < 0);
DELETE FROM sl_link_off
WHERE RETRACTED();
DELETE FROM sl_weak
WHERE BELOW(left_span) AND RETRACTED();
DELETE FROM sl_link_also
WHERE BELOW(left_span) AND RETRACTED();
DELETE FROM sl_link
WHERE BELOW(left_span) AND RETRACTED();
INSERT OR IGNORE INTO sl_link (left_span, kind, right_span, rule, source, place, weak)
SELECT left_span, kind, right_span, rule, source, place, weak
FROM sl_link_also
WHERE BELOW(left_span)
ORDER BY source;
DELETE FROM sl_link_also
WHERE BELOW(left_span)
  AND EXISTS (
    SELECT 1
    FROM sl_link l
    WHERE l.left_span = sl_link_also.left_span
      AND l.kind = sl_link_also.kind
      AND l.right_span = sl_link_also.right_span
      AND l.source = sl_link_also.source)

-- name: each
SELECT id
FROM sl_span
WHERE BELOW(id) AND source IN (SELECT id FROM temp.sl_retracted);

-- name: tail
-- Spans of the last record of a file that has grown, and those around them.
INSERT OR IGNORE INTO temp.sl_below
WITH RECURSIVE up(id) AS (
    SELECT value FROM json_each(?1)
    UNION SELECT s.parent FROM up JOIN sl_span s ON s.id = up.id WHERE s.parent < up.id)
SELECT id
FROM up;

-- name: spans
-- What speaks for a span: events, values, links of a record that knows it, and children that are spoken for.
-- the dead: their weak links wait again
-- the living: a source that is there
-- then those of which only what lies in them is known
CREATE TEMP TABLE sl_live (id INTEGER PRIMARY KEY);
CREATE TEMP TABLE sl_dead (id INTEGER PRIMARY KEY);
INSERT INTO temp.sl_dead
SELECT id
FROM sl_span
WHERE BELOW(id) AND source IN (SELECT id FROM temp.sl_retracted);
INSERT INTO temp.sl_live
WITH RECURSIVE
  up(id) AS (
    SELECT id
    FROM temp.sl_dead AS d
    WHERE id IN (SELECT id FROM temp.sl_named)
      OR EXISTS (SELECT 1 FROM sl_event WHERE span = d.id)
      OR EXISTS (SELECT 1 FROM sl_attr WHERE span = d.id)
      OR (SELECT alike FROM sl_span WHERE id = d.id) IS NOT NULL
      OR EXISTS (SELECT 1 FROM sl_sample WHERE span = d.id)
      OR EXISTS (SELECT 1 FROM sl_root WHERE root = d.id AND weak IS NULL)
      OR EXISTS (
        SELECT 1
        FROM sl_link
        WHERE left_span = d.id AND source IS NOT NULL AND ifnull(weak, 0) NOT IN (1, 3))
      OR EXISTS (
        SELECT 1
        FROM sl_link
        WHERE right_span = d.id AND source IS NOT NULL AND ifnull(weak, 0) NOT IN (2, 3))
      OR EXISTS (
        SELECT 1 FROM sl_span k WHERE k.parent = d.id AND k.id NOT IN (SELECT id FROM temp.sl_dead))
    UNION
    SELECT p.id
    FROM up CROSS JOIN sl_span s ON s.id = up.id CROSS JOIN temp.sl_dead p ON p.id = s.parent)
SELECT id
FROM up;
DELETE FROM temp.sl_dead
WHERE id IN (SELECT id FROM temp.sl_live);
INSERT OR IGNORE INTO sl_weak (left_span, kind, right_span, rule, source, place, weak)
SELECT left_span, kind, right_span, rule, source, place, weak
FROM sl_link
WHERE source IS NOT NULL
  AND weak > 0
  AND (left_span IN (SELECT id FROM temp.sl_dead) OR right_span IN (SELECT id FROM temp.sl_dead));
DELETE FROM sl_link_also
WHERE (left_span, kind, right_span) IN (
  SELECT left_span, kind, right_span
  FROM sl_link
  WHERE left_span IN (SELECT id FROM temp.sl_dead) OR right_span IN (SELECT id FROM temp.sl_dead));
DELETE FROM sl_link
WHERE left_span IN (SELECT id FROM temp.sl_dead) OR right_span IN (SELECT id FROM temp.sl_dead);
DELETE FROM sl_zone
WHERE root IN (SELECT id FROM temp.sl_dead);
DELETE FROM sl_root
WHERE root IN (SELECT id FROM temp.sl_dead);
DELETE FROM sl_wrote
WHERE span IN (SELECT id FROM temp.sl_dead);
DELETE FROM sl_written
WHERE span IN (SELECT id FROM temp.sl_dead);
DELETE FROM sl_doubt
WHERE left_span IN (SELECT id FROM temp.sl_dead) OR right_span IN (SELECT id FROM temp.sl_dead);
INSERT OR IGNORE INTO sl_ghost
SELECT id, type, key, parent
FROM sl_span
WHERE id IN (SELECT id FROM temp.sl_dead);
DELETE FROM sl_span
WHERE id IN (SELECT id FROM temp.sl_dead);
UPDATE sl_span
SET source = coalesce(
    (SELECT source FROM sl_event WHERE span = sl_span.id LIMIT 1),
    (SELECT source FROM sl_attr WHERE span = sl_span.id LIMIT 1),
    (SELECT source FROM sl_alike WHERE id = sl_span.alike),
    (
      SELECT source
      FROM sl_link
      WHERE right_span = sl_span.id AND source IS NOT NULL AND ifnull(weak, 0) NOT IN (2, 3)
      LIMIT 1),
    (
      SELECT source
      FROM sl_link
      WHERE left_span = sl_span.id AND source IS NOT NULL AND ifnull(weak, 0) NOT IN (1, 3)
      LIMIT 1),
    (SELECT source FROM sl_root WHERE root = sl_span.id AND weak IS NULL LIMIT 1),
    source)
WHERE id IN (SELECT id FROM temp.sl_live)
  AND source IN (SELECT id FROM temp.sl_retracted WHERE since < 0);
UPDATE sl_span
SET source = coalesce(
    (
      WITH RECURSIVE
        d(id, source) AS (
          SELECT sl_span.id, NULL
          UNION
          SELECT k.id, k.source
          FROM d JOIN sl_span k ON k.parent = d.id)
      SELECT source
      FROM d
      WHERE source NOT IN (SELECT id FROM temp.sl_retracted)
      LIMIT 1),
    (SELECT replaced_by FROM sl_source WHERE id = sl_span.source),
    iif(id IN (SELECT id FROM temp.sl_named), source, NULL),
    (
      SELECT min(id)
      FROM sl_source
      WHERE id > 0 AND replaced_by IS NULL AND id NOT IN (SELECT id FROM temp.sl_retracted)),
    source)
WHERE id IN (SELECT id FROM temp.sl_live)
  AND source IN (SELECT id FROM temp.sl_retracted WHERE since < 0)

-- name: end
DROP TABLE IF EXISTS temp.sl_retracted;
DROP TABLE IF EXISTS temp.sl_named;
DROP TABLE IF EXISTS temp.sl_below;
DROP TABLE IF EXISTS temp.sl_live;
DROP TABLE IF EXISTS temp.sl_dead

-- name: rebind
-- What was unbound comes back first, as new records may speak of the same spans; at the end it goes again.
INSERT OR IGNORE INTO sl_link (left_span, kind, right_span, rule, source, place, confidence, weak)
SELECT left_span, kind, right_span, rule, source, place, confidence, weak
FROM sl_link_off
WHERE confidence IS NULL
  AND left_span IN (SELECT id FROM sl_span)
  AND right_span IN (SELECT id FROM sl_span);
DELETE FROM sl_link_off
