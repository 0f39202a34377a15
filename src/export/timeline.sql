-- SPDX-License-Identifier: Apache-2.0
-- What timeline.c asks of the store.

-- Which types of spans are work, and which are places that work lies in.  Work are tasks and their attempts, types that
-- nothing is named in, and what is named in work; but workflows, workers and what was measured are places.

-- name: types
CREATE TEMP TABLE sl_export_type AS
WITH named(super, sub) AS MATERIALIZED (
    SELECT DISTINCT p.type, s.type
    FROM sl_exported x CROSS JOIN sl_span s ON s.id = x.id LEFT JOIN sl_span p ON p.id = s.parent),
role(type, role) AS (SELECT n.id, r.role FROM sl_role r JOIN sl_name n ON n.name = r.type),
work(type) AS (
    SELECT type FROM role WHERE role IN ('task', 'attempt')
    UNION
    SELECT sub FROM named a WHERE NOT EXISTS (SELECT 1 FROM named b WHERE b.super = a.sub AND b.sub <> a.sub)
        AND sub NOT IN (SELECT type FROM role WHERE role IN ('workflow', 'worker'))
        AND sub NOT IN (SELECT s.type FROM sl_sample m JOIN sl_span s ON s.id = m.span)
    UNION
    SELECT n.sub FROM work w JOIN named n ON n.super = w.type WHERE n.sub NOT IN (SELECT type FROM role WHERE role = 'worker'))
SELECT DISTINCT sub AS type, sub IN (SELECT type FROM work) AS work FROM named;

-- name: types_index
CREATE UNIQUE INDEX temp.sl_export_type_id ON sl_export_type (type);

-- Which place each span lies in, by the spans that it is named in, and of which type the work is that it belongs to.

-- name: lanes
CREATE TEMP TABLE sl_export_lane (
    place INTEGER NOT NULL,
    type INTEGER NOT NULL,
    begin_ns INTEGER NOT NULL,
    before INTEGER NOT NULL,     -- - end_ns: what lasts longer comes first
    id INTEGER NOT NULL,
    PRIMARY KEY (place, type, begin_ns, before, id)
) WITHOUT ROWID;

-- name: places
CREATE TEMP TABLE sl_export_place (
    id INTEGER PRIMARY KEY,
    place INTEGER NOT NULL,
    begin_ns INTEGER
);

-- name: fill_places
INSERT INTO sl_export_place
WITH RECURSIVE inside(id, place) AS (
    SELECT s.id, 0 FROM sl_exported x CROSS JOIN sl_span s ON s.id = x.id CROSS JOIN sl_export_type t ON t.type = s.type
        WHERE s.parent IS NULL AND NOT t.work
    UNION ALL
    SELECT s.id, i.id FROM inside i CROSS JOIN sl_span s ON s.parent = i.id CROSS JOIN sl_export_type t ON t.type = s.type
        WHERE NOT t.work AND EXISTS (SELECT 1 FROM sl_exported WHERE id = s.id))
SELECT id, place, (SELECT min(time_ns) FROM sl_event WHERE span = inside.id) FROM inside;

-- name: fill_lanes
INSERT INTO sl_export_lane
WITH RECURSIVE inside(id, place, top) AS (
    SELECT s.id, 0, s.type FROM sl_exported x CROSS JOIN sl_span s ON s.id = x.id CROSS JOIN sl_export_type t ON t.type = s.type
        WHERE s.parent IS NULL AND t.work
    UNION ALL
    SELECT s.id, p.id, s.type FROM sl_export_place p CROSS JOIN sl_span s ON s.parent = p.id CROSS JOIN sl_export_type t ON t.type = s.type
        WHERE t.work AND EXISTS (SELECT 1 FROM sl_exported WHERE id = s.id)
    UNION ALL
    SELECT s.id, i.place, i.top FROM inside i CROSS JOIN sl_span s ON s.parent = i.id
        WHERE EXISTS (SELECT 1 FROM sl_exported WHERE id = s.id))
SELECT place, top, begin_ns, -end_ns, id
FROM (SELECT id, place, top, (SELECT min(time_ns) FROM sl_event WHERE span = inside.id) AS begin_ns,
    (SELECT max(time_ns) FROM sl_event WHERE span = inside.id) AS end_ns FROM inside)
WHERE begin_ns NOTNULL
ORDER BY 1, 2, 3, 4, 5;

-- name: untimed
SELECT x.id
FROM sl_exported x
CROSS JOIN sl_span s ON s.id = x.id
CROSS JOIN sl_export_type t ON t.type = s.type
WHERE t.work AND NOT EXISTS (SELECT 1 FROM sl_event WHERE span = x.id);

-- Places in a place: by type, as they came to be, and numbers as numbers.

-- name: inner
SELECT p.id, p.begin_ns IS NOT NULL, n.name, s.key, EXISTS (SELECT 1 FROM sl_export_place i WHERE i.place = p.id)
FROM sl_export_place p
JOIN sl_span s ON s.id = p.id
JOIN sl_name n ON n.id = s.type
WHERE p.place = ?1
ORDER BY min(p.begin_ns) OVER (PARTITION BY s.type) IS NULL, min(p.begin_ns) OVER (PARTITION BY s.type), s.type,
    CAST(s.key AS INTEGER), s.key;

-- name: places_index
CREATE INDEX temp.sl_export_place_in ON sl_export_place (place);

-- Kinds of work in a place, the first first.

-- name: kinds
SELECT t.type, n.name, (SELECT begin_ns FROM sl_export_lane l WHERE l.place = ?1 AND l.type = t.type LIMIT 1) AS first_ns
FROM sl_export_type t
JOIN sl_name n ON n.id = t.type
WHERE t.work AND first_ns NOTNULL
ORDER BY first_ns, n.name;

-- name: work
SELECT id
FROM sl_export_lane
WHERE place = ?1 AND type = ?2
ORDER BY begin_ns, before, id;

-- What a span of work may stand inside of, where that is in the same lane.

-- name: containers
SELECT left_span
FROM sl_link
WHERE right_span = ?1 AND kind = SL_IN;

-- Arrows to what came of it and from what it came of: from what contains it, from what it waited for, from what handed
-- over.  Not between spans that are named in one, such as calls: what lies in one of these is seen.

-- name: arrows
SELECT 1, s.parent, s.id, 1 AS to_here, (SELECT min(time_ns) FROM sl_event WHERE span = s.parent)
FROM sl_span s
CROSS JOIN sl_span p ON p.id = s.parent
WHERE s.id = ?1 AND (SELECT work FROM sl_export_type WHERE type = p.type)
UNION ALL
SELECT 1, s.parent, s.id, 0, (SELECT min(time_ns) FROM sl_event WHERE span = s.id)
FROM sl_span s
WHERE s.parent = ?1 AND EXISTS (SELECT 1 FROM sl_exported WHERE id = s.id)
UNION ALL
SELECT l.kind, l.left_span, l.right_span, 1, (SELECT min(time_ns) FROM sl_event WHERE span = l.left_span)
FROM sl_link l
CROSS JOIN sl_span o ON o.id = l.left_span
WHERE l.right_span = ?1 AND +l.kind IN (SL_IN, SL_FLOW) AND EXISTS (SELECT 1 FROM sl_exported WHERE id = o.id)
    AND (SELECT work FROM sl_export_type WHERE type = o.type)
    AND (l.kind <> SL_IN OR o.parent IS NULL OR o.parent IS NOT (SELECT parent FROM sl_span WHERE id = ?1))
UNION ALL
SELECT l.kind, l.left_span, l.right_span, 0, (SELECT min(time_ns) FROM sl_event WHERE span = l.right_span)
FROM sl_link l
CROSS JOIN sl_span o ON o.id = l.right_span
WHERE l.left_span = ?1 AND +l.kind IN (SL_IN, SL_FLOW) AND EXISTS (SELECT 1 FROM sl_exported WHERE id = o.id)
    AND (SELECT work FROM sl_export_type WHERE type = o.type)
    AND (l.kind <> SL_IN OR o.parent IS NULL OR o.parent IS NOT (SELECT parent FROM sl_span WHERE id = ?1))
UNION ALL
SELECT l.kind, l.right_span, l.left_span, 1, (SELECT min(time_ns) FROM sl_event WHERE span = l.right_span)
FROM sl_link l
WHERE l.left_span = ?1 AND l.kind = SL_AFTER AND EXISTS (SELECT 1 FROM sl_exported WHERE id = l.right_span)
UNION ALL
SELECT l.kind, l.right_span, l.left_span, 0, (SELECT min(time_ns) FROM sl_event WHERE span = l.left_span)
FROM sl_link l
WHERE l.right_span = ?1 AND l.kind = SL_AFTER AND EXISTS (SELECT 1 FROM sl_exported WHERE id = l.left_span);
