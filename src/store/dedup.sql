-- SPDX-License-Identifier: Apache-2.0
-- What dedup.c asks of the store.

-- name: join
INSERT OR IGNORE INTO sl_event
SELECT *
FROM sl_event_also;
DELETE FROM sl_event_also;
INSERT OR IGNORE INTO sl_sample
SELECT *
FROM sl_sample_also;
DELETE FROM sl_sample_also

-- name: any
-- Hardly any store holds a log in two forms; the others are not searched.
SELECT 1
FROM sl_source
WHERE replaced_by IS NULL AND input IS NOT NULL
GROUP BY recipe
HAVING min(input) < max(input)
LIMIT 1;

-- name: part
INSERT INTO sl_event_also
SELECT e.span, e.time_ns, e.type, e.source, e.place, e.zone
FROM sl_event e
CROSS JOIN sl_source s ON s.id = e.source
WHERE s.input > 0 AND EXISTS (SELECT 1 FROM sl_event f CROSS JOIN sl_source o ON o.id = f.source WHERE f.span =
    e.span AND f.time_ns = e.time_ns AND f.type = e.type AND o.recipe = s.recipe AND o.input < s.input);
DELETE FROM sl_event
WHERE EXISTS (SELECT 1 FROM sl_event_also a WHERE a.span = sl_event.span AND a.time_ns = sl_event.time_ns AND
    a.type = sl_event.type AND a.source = sl_event.source AND a.place = sl_event.place);
INSERT INTO sl_sample_also
SELECT e.span, e.time_ns, e.shape, e.source, e.place, e.zone, e.vals
FROM sl_sample e
CROSS JOIN sl_source s ON s.id = e.source
WHERE s.input > 0 AND EXISTS (SELECT 1 FROM sl_sample f CROSS JOIN sl_source o ON o.id = f.source WHERE f.span =
    e.span AND f.time_ns = e.time_ns AND f.shape = e.shape AND f.vals = e.vals AND o.recipe = s.recipe AND o.input
    < s.input);
DELETE FROM sl_sample
WHERE EXISTS (SELECT 1 FROM sl_sample_also a WHERE a.span = sl_sample.span AND a.time_ns = sl_sample.time_ns AND
    a.shape = sl_sample.shape AND a.source = sl_sample.source AND a.place = sl_sample.place)

-- name: copies
-- * Two files of one content, whose spans do not depend on where they lie (traces that someone copied).  A run
-- that was copied is known as such before it is read.
CREATE TEMP TABLE sl_copy AS SELECT s.id AS id, o.id AS original
FROM sl_source s
JOIN sl_source o ON o.recipe = s.recipe AND o.hash = s.hash AND o.path < s.path
WHERE s.replaced_by IS NULL AND o.replaced_by IS NULL AND s.part IS NULL AND o.part IS NULL AND s.bytes >= 200;

-- name: part_copies
INSERT INTO sl_event_also
SELECT e.span, e.time_ns, e.type, e.source, e.place, e.zone
FROM sl_event e
WHERE e.source IN (SELECT id FROM temp.sl_copy) AND EXISTS (SELECT 1 FROM sl_event f WHERE f.span = e.span AND
    f.time_ns = e.time_ns AND f.type = e.type AND f.source IN (SELECT original FROM temp.sl_copy c WHERE c.id =
    e.source));
DELETE FROM sl_event
WHERE source IN (SELECT id FROM temp.sl_copy) AND EXISTS (SELECT 1 FROM sl_event_also a WHERE a.span =
    sl_event.span AND a.time_ns = sl_event.time_ns AND a.type = sl_event.type AND a.source = sl_event.source AND
    a.place = sl_event.place);
INSERT INTO sl_sample_also
SELECT e.span, e.time_ns, e.shape, e.source, e.place, e.zone, e.vals
FROM sl_sample e
WHERE e.source IN (SELECT id FROM temp.sl_copy) AND EXISTS (SELECT 1 FROM sl_sample f WHERE f.span = e.span AND
    f.time_ns = e.time_ns AND f.shape = e.shape AND f.vals = e.vals AND f.source IN (SELECT original FROM
    temp.sl_copy c WHERE c.id = e.source));
DELETE FROM sl_sample
WHERE source IN (SELECT id FROM temp.sl_copy) AND EXISTS (SELECT 1 FROM sl_sample_also a WHERE a.span =
    sl_sample.span AND a.time_ns = sl_sample.time_ns AND a.shape = sl_sample.shape AND a.source = sl_sample.source
    AND a.place = sl_sample.place)

-- name: part_copies_2
SELECT 1
FROM sl_source
WHERE replaced_by IS NULL AND part IS NULL AND bytes >= 200
GROUP BY recipe, hash
HAVING count(*) > 1
LIMIT 1;
