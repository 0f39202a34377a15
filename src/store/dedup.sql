-- SPDX-License-Identifier: Apache-2.0
-- What dedup.c asks of the store.

-- name: any_forms
-- Hardly any run has a log in two forms; the others are not searched.
SELECT 1
FROM sl_source
WHERE id IN (SELECT source FROM sl_root WHERE root IN (SELECT id FROM temp.sl_touched))
  AND replaced_by IS NULL
  AND input IS NOT NULL
GROUP BY recipe
HAVING min(input) < max(input)
LIMIT 1;

-- name: forms
CREATE TEMP TABLE sl_moved AS
WITH RECURSIVE
  below(id) AS (
    SELECT id
    FROM temp.sl_touched
    UNION ALL
    SELECT k.id
    FROM below JOIN sl_span k ON k.parent = below.id AND k.id > below.id)
SELECT e.span, e.time_ns, e.type, e.source, e.place, e.zone
FROM below CROSS JOIN sl_event e ON e.span = below.id CROSS JOIN sl_source s ON s.id = e.source
WHERE s.input > 0
  AND EXISTS (
    SELECT 1
    FROM sl_event f CROSS JOIN sl_source o ON o.id = f.source
    WHERE f.span = e.span
      AND f.time_ns = e.time_ns
      AND f.type = e.type
      AND o.recipe = s.recipe
      AND o.input < s.input);
CREATE TEMP TABLE sl_moved_sample AS
WITH RECURSIVE
  below(id) AS (
    SELECT id
    FROM temp.sl_touched
    UNION ALL
    SELECT k.id
    FROM below JOIN sl_span k ON k.parent = below.id AND k.id > below.id)
SELECT e.span, e.time_ns, e.shape, e.source, e.place, e.zone, e.vals
FROM below CROSS JOIN sl_sample e ON e.span = below.id CROSS JOIN sl_source s ON s.id = e.source
WHERE s.input > 0
  AND EXISTS (
    SELECT 1
    FROM sl_sample f CROSS JOIN sl_source o ON o.id = f.source
    WHERE f.span = e.span
      AND f.time_ns = e.time_ns
      AND f.shape = e.shape
      AND f.vals = e.vals
      AND o.recipe = s.recipe
      AND o.input < s.input)

-- name: any_copies
-- * Two files of one content, whose spans do not depend on where they lie (traces that someone copied).  A run
-- that was copied is known as such before it is read.
SELECT 1
FROM sl_source
WHERE id IN (SELECT source FROM sl_root WHERE root IN (SELECT id FROM temp.sl_touched))
  AND replaced_by IS NULL
  AND part IS NULL
  AND bytes >= 200
GROUP BY recipe, hash
HAVING count(*) > 1
LIMIT 1;

-- name: copies
CREATE TEMP TABLE sl_copy AS
WITH
  s AS MATERIALIZED (
    SELECT id, recipe, hash, path
    FROM sl_source
    WHERE id IN (SELECT source FROM sl_root WHERE root IN (SELECT id FROM temp.sl_touched))
      AND replaced_by IS NULL
      AND part IS NULL
      AND bytes >= 200)
SELECT s.id AS id, o.id AS original
FROM s JOIN s o ON o.recipe = s.recipe AND o.hash = s.hash AND o.path < s.path;
CREATE INDEX temp.sl_copy_id ON sl_copy (id);
CREATE TEMP TABLE sl_moved AS
WITH RECURSIVE
  below(id) AS (
    SELECT id
    FROM temp.sl_touched
    UNION ALL
    SELECT k.id
    FROM below JOIN sl_span k ON k.parent = below.id AND k.id > below.id)
SELECT e.span, e.time_ns, e.type, e.source, e.place, e.zone
FROM below CROSS JOIN sl_event e ON e.span = below.id
WHERE e.source IN (SELECT id FROM temp.sl_copy)
  AND EXISTS (
    SELECT 1
    FROM sl_event f
    WHERE f.span = e.span
      AND f.time_ns = e.time_ns
      AND f.type = e.type
      AND f.source IN (SELECT original FROM temp.sl_copy c WHERE c.id = e.source));
CREATE TEMP TABLE sl_moved_sample AS
WITH RECURSIVE
  below(id) AS (
    SELECT id
    FROM temp.sl_touched
    UNION ALL
    SELECT k.id
    FROM below JOIN sl_span k ON k.parent = below.id AND k.id > below.id)
SELECT e.span, e.time_ns, e.shape, e.source, e.place, e.zone, e.vals
FROM below CROSS JOIN sl_sample e ON e.span = below.id
WHERE e.source IN (SELECT id FROM temp.sl_copy)
  AND EXISTS (
    SELECT 1
    FROM sl_sample f
    WHERE f.span = e.span
      AND f.time_ns = e.time_ns
      AND f.shape = e.shape
      AND f.vals = e.vals
      AND f.source IN (SELECT original FROM temp.sl_copy c WHERE c.id = e.source))

-- name: move
INSERT INTO sl_sample_also
SELECT *
FROM temp.sl_moved_sample;
DELETE FROM sl_sample
WHERE (span, time_ns, shape, source, place) IN (
  SELECT span, time_ns, shape, source, place FROM temp.sl_moved_sample);
INSERT INTO sl_event_also
SELECT *
FROM temp.sl_moved;
DELETE FROM sl_event
WHERE (span, time_ns, type, source, place) IN (
  SELECT span, time_ns, type, source, place FROM temp.sl_moved)

-- name: end
DROP TABLE IF EXISTS temp.sl_moved;
DROP TABLE IF EXISTS temp.sl_moved_sample;
DROP TABLE IF EXISTS temp.sl_copy
