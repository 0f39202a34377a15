-- SPDX-License-Identifier: Apache-2.0
-- What users query.  Made anew when a newer program brings a newer schema, or when a store has others.  Kinds of links
-- are numbers here (1 in, 2 facet), as in all of the schema: stores keep its text.

DROP VIEW IF EXISTS span;
DROP VIEW IF EXISTS event;
DROP VIEW IF EXISTS subspan;
DROP VIEW IF EXISTS facet;
DROP VIEW IF EXISTS spans;
DROP VIEW IF EXISTS events;
DROP VIEW IF EXISTS links;
DROP VIEW IF EXISTS attributes;
DROP VIEW IF EXISTS samples;
DROP VIEW IF EXISTS sources;
DROP VIEW IF EXISTS rejects;
DROP VIEW IF EXISTS raws;
DROP VIEW IF EXISTS raw;
DROP VIEW IF EXISTS doubts;
DROP VIEW IF EXISTS sl_value;
DROP VIEW IF EXISTS sl_key;
DROP VIEW IF EXISTS sl_near;
DROP VIEW IF EXISTS zones;

-- dnpcsql's four tables: its names, its columns, its inserts (below).  Times are seconds.
CREATE VIEW span AS
    SELECT s.id AS uuid, n.name AS type, s.note AS note
    FROM sl_span s JOIN sl_name n ON n.id = s.type;

CREATE VIEW event AS
    SELECT printf('%d.%d.%d.%d.%d', e.span, e.time_ns, e.type, e.source, e.place) AS uuid, e.span AS span_uuid,
        -- exact to the last bit; the cast lets it be compared with quoted numbers, as a column can be
        CAST(e.time_ns / 1000000000 + (e.time_ns % 1000000000) / 1e9 AS REAL) AS time, n.name AS type,
        (SELECT note FROM sl_note WHERE sl_note.source = e.source AND sl_note.place = e.place) AS note
    FROM sl_event e JOIN sl_name n ON n.id = e.type;

CREATE VIEW subspan AS
    SELECT parent AS superspan_uuid, id AS subspan_uuid, key AS key, NULL AS note
    FROM sl_span WHERE parent IS NOT NULL
    UNION ALL
    SELECT l.left_span, l.right_span,
        CAST(ifnull(CASE l.source WHEN 0 THEN (SELECT key FROM sl_note WHERE source = 0 AND place = l.place) END,
            (SELECT key FROM sl_span WHERE id = l.right_span)) AS TEXT),
        CASE WHEN l.source = 0 AND l.place NOTNULL THEN (SELECT note FROM sl_note WHERE source = 0 AND place = l.place)
            ELSE (SELECT name FROM sl_name WHERE id = l.rule) END
    FROM sl_link l WHERE l.kind = 1;

CREATE VIEW facet AS
    SELECT l.left_span AS left_uuid, l.right_span AS right_uuid,
        CASE WHEN l.source = 0 AND l.place NOTNULL THEN (SELECT note FROM sl_note WHERE source = 0 AND place = l.place)
            ELSE (SELECT name FROM sl_name WHERE id = l.rule) END AS note
    FROM sl_link l WHERE l.kind = 2;

-- Ours, in the plural: the same things with all that is known of them.
CREATE VIEW spans AS
    SELECT s.id AS id, n.name AS type, s.key AS key, s.parent AS parent, s.source AS source, s.note AS note
    FROM sl_span s JOIN sl_name n ON n.id = s.type;

CREATE VIEW events AS
    SELECT e.span AS span, e.time_ns AS time_ns,
        strftime('%Y-%m-%dT%H:%M:%S', e.time_ns / 1000000000 - (e.time_ns % 1000000000 < 0), 'unixepoch') ||
            printf('.%09dZ', (e.time_ns % 1000000000 + 1000000000) % 1000000000) AS time,
        n.name AS type, e.source AS source, e.place AS place
    FROM sl_event e JOIN sl_name n ON n.id = e.type;

-- Every relation, containment by name included.
CREATE VIEW links AS
    SELECT 'in' AS kind, parent AS left_span, id AS right_span, 'name' AS rule, source, NULL AS place, 1.0 AS confidence
    FROM sl_span WHERE parent IS NOT NULL
    UNION ALL
    SELECT CASE kind WHEN 1 THEN 'in' WHEN 2 THEN 'facet' WHEN 3 THEN 'after' WHEN 4 THEN 'flow' END,
        left_span, right_span, (SELECT name FROM sl_name WHERE id = rule), source, place, ifnull(confidence, 1.0)
    FROM sl_link;

-- What rules could have linked, had they known which (links, but for these).
CREATE VIEW doubts AS
    SELECT CASE kind WHEN 1 THEN 'in' WHEN 2 THEN 'facet' WHEN 3 THEN 'after' WHEN 4 THEN 'flow' END AS kind,
        left_span, right_span, (SELECT name FROM sl_name WHERE id = rule) AS rule
    FROM sl_doubt;

CREATE VIEW attributes AS
    SELECT a.span AS span, f.name AS name, json_extract(a.vals, f.path) AS value, a.source AS source, a.place AS place
    FROM sl_attr a JOIN sl_shape f ON f.id = a.shape
    WHERE json_extract(a.vals, f.path) IS NOT NULL
    UNION ALL
    SELECT s.id, f.name, json_extract(a.vals, f.path), a.source, s.place
    FROM sl_span s JOIN sl_alike a ON a.id = s.alike JOIN sl_shape f ON f.id = a.shape
    WHERE json_extract(a.vals, f.path) IS NOT NULL;

-- Attributes for the tables of spans: a text that is a plain number is one (not 007, nor 1e5, which may be an id).
CREATE VIEW sl_value AS
    SELECT span, name, iif(value GLOB '[-0-9]*' AND value NOT GLOB '*[^-0-9.]*' AND length(value) < 19 AND
        json_valid(value), json_extract(value, '$'), value) AS value
    FROM attributes;

-- Keys for these tables, also as such numbers.  Nearly all are a few digits, and those cost a quarter of the rest.
CREATE VIEW sl_key AS
    SELECT id, type, parent, key, iif(key NOT GLOB '*[^0-9]*' AND key GLOB '[1-9]*' AND length(key) < 19,
        CAST(key AS INTEGER), iif(key GLOB '[-0-9]*' AND key NOT GLOB '*[^-0-9.]*' AND length(key) < 19 AND
        json_valid(key), json_extract(key, '$'), key)) AS number
    FROM sl_span;

-- For these tables, too: other views of a span, what lies in it and what it lies in, with its type.  In all parts a column has
-- the affinity that it has in the others, or SQLite would make all rows; the cast lets the type choose no index.
CREATE VIEW sl_near AS
    SELECT left_span AS span, right_span AS near, (SELECT type FROM sl_span WHERE id = right_span) AS type
    FROM sl_link WHERE kind < 3
    UNION ALL
    SELECT right_span, left_span, (SELECT type FROM sl_span WHERE id = left_span) FROM sl_link WHERE kind < 3
    UNION ALL
    SELECT parent, id, CAST(type AS INTEGER) FROM sl_span
    UNION ALL
    SELECT s.id, s.parent, (SELECT type FROM sl_span WHERE id = s.parent) FROM sl_span s;

CREATE VIEW samples AS
    SELECT a.span AS span, a.time_ns AS time_ns, f.name AS metric, json_extract(a.vals, f.path) AS value,
        a.source AS source, a.place AS place
    FROM sl_sample a JOIN sl_shape f ON f.id = a.shape
    WHERE json_extract(a.vals, f.path) IS NOT NULL;

CREATE VIEW sources AS
    SELECT id, path, part, recipe, component, bytes, mtime_ns, hash, context, imported_ns, records, used, skipped,
        rejected, replaced_by
    FROM sl_source;

CREATE VIEW rejects AS
    SELECT s.path || ifnull('#' || s.part, '') AS path, r.place AS place, r.reason AS reason, r.text AS text,
        r.source AS source
    FROM sl_reject r JOIN sl_source s ON s.id = r.source;

CREATE VIEW raw AS SELECT span, json, source, place FROM sl_raw;

CREATE VIEW zones AS
    SELECT z.root AS root, n.name AS type, s.key AS key, z.since_ns AS since_ns, z.offset_s AS offset_s, z.how AS how
    FROM sl_zone z JOIN sl_span s ON s.id = z.root JOIN sl_name n ON n.id = s.type;

-- dnpcsql's inserts.  Its ids are texts (uuid4); ours are integers, and sl_uuid translates them.
-- What the script's own statement says of conflicts (INSERT OR REPLACE, OR IGNORE, ...) holds for all statements of a
-- trigger, whatever these say.  So only what stands for the script's row may conflict; all else asks before.
CREATE TRIGGER span_insert INSTEAD OF INSERT ON span BEGIN
    INSERT INTO sl_source (id, path, recipe, component) SELECT 0, '(SQL)', 'sql', 'sql'
        WHERE NOT EXISTS (SELECT 1 FROM sl_source WHERE id = 0);
    INSERT INTO sl_name (name) SELECT NEW.type WHERE NOT EXISTS (SELECT 1 FROM sl_name WHERE name = NEW.type);
    -- under its id of before, and with the name that its superspan has for it; source -1: what must not be replaced
    INSERT INTO sl_span (id, type, key, parent, source, note)
        SELECT n.id, (SELECT id FROM sl_name WHERE name = NEW.type),
            ifnull((SELECT key FROM sl_span WHERE id = n.id AND source = 0), NEW.uuid), NULL,
            iif(EXISTS (SELECT 1 FROM sl_span WHERE id = n.id AND source <> 0), -1, 0), NEW.note
        FROM (SELECT CASE WHEN typeof(NEW.uuid) = 'integer' THEN NEW.uuid
            ELSE ifnull((SELECT span FROM sl_uuid WHERE uuid = NEW.uuid),
                1 + max(ifnull((SELECT max(id) FROM sl_span), 0), ifnull((SELECT max(id) FROM sl_ghost), 0)))
            END AS id) n;
    SELECT RAISE(ABORT, 'a span that was imported cannot be replaced; spans that scripts inserted can')
        WHERE (SELECT source FROM sl_span WHERE id = NEW.uuid) = -1;
    INSERT INTO sl_uuid SELECT NEW.uuid, id FROM sl_span
        WHERE id = (SELECT max(id) FROM sl_span) AND source = 0 AND key = NEW.uuid AND typeof(NEW.uuid) = 'text'
            AND NOT EXISTS (SELECT 1 FROM sl_uuid WHERE uuid = NEW.uuid);
    -- what was said of it before it was inserted itself
    UPDATE OR IGNORE sl_event SET span = (SELECT span FROM sl_uuid WHERE uuid = NEW.uuid)
        WHERE typeof(NEW.uuid) = 'text' AND span = NEW.uuid;
    INSERT INTO sl_seen SELECT DISTINCT s.type, 1, e.type FROM sl_event e JOIN sl_span s ON s.id = e.span
        WHERE typeof(NEW.uuid) = 'text' AND e.span = (SELECT span FROM sl_uuid WHERE uuid = NEW.uuid)
            AND NOT EXISTS (SELECT 1 FROM sl_seen x WHERE x.type = s.type AND x.kind = 1 AND x.what = e.type);
    UPDATE OR IGNORE sl_link SET left_span = (SELECT span FROM sl_uuid WHERE uuid = NEW.uuid)
        WHERE typeof(NEW.uuid) = 'text' AND left_span = NEW.uuid;
    UPDATE OR IGNORE sl_link SET right_span = (SELECT span FROM sl_uuid WHERE uuid = NEW.uuid)
        WHERE typeof(NEW.uuid) = 'text' AND right_span = NEW.uuid;
END;

CREATE TRIGGER event_insert INSTEAD OF INSERT ON event BEGIN
    INSERT INTO sl_source (id, path, recipe, component) SELECT 0, '(SQL)', 'sql', 'sql'
        WHERE NOT EXISTS (SELECT 1 FROM sl_source WHERE id = 0);
    INSERT INTO sl_name (name) SELECT NEW.type WHERE NOT EXISTS (SELECT 1 FROM sl_name WHERE name = NEW.type);
    -- at its place of before; the key says that this statement wrote it, until its event is written, too
    INSERT INTO sl_note (source, place, note, key, uuid)
        VALUES (0, ifnull((SELECT place FROM sl_note WHERE uuid = NEW.uuid),
            1 + ifnull((SELECT max(place) FROM sl_note WHERE source = 0), 0)), NEW.note, 'new', NEW.uuid);
    DELETE FROM sl_event WHERE source = 0 AND place = (SELECT place FROM sl_note WHERE uuid = NEW.uuid AND key = 'new');
    INSERT INTO sl_event (span, time_ns, type, source, place)
        SELECT ifnull((SELECT span FROM sl_uuid WHERE uuid = NEW.span_uuid), NEW.span_uuid),
            CAST(round(NEW.time * 1e6) AS INTEGER) * 1000,
            (SELECT id FROM sl_name WHERE name = NEW.type), 0, place
        FROM sl_note WHERE source = 0 AND key = 'new' AND place = ifnull((SELECT place FROM sl_note
            WHERE uuid = NEW.uuid), (SELECT max(place) FROM sl_note WHERE source = 0));
    UPDATE sl_note SET key = NULL WHERE source = 0 AND key = 'new' AND place = ifnull((SELECT place FROM sl_note
        WHERE uuid = NEW.uuid), (SELECT max(place) FROM sl_note WHERE source = 0));
    INSERT INTO sl_seen -- a column of its type's table
        SELECT s.type, 1, n.id FROM sl_span s, sl_name n
        WHERE s.id = ifnull((SELECT span FROM sl_uuid WHERE uuid = NEW.span_uuid), NEW.span_uuid) AND n.name = NEW.type
            AND NOT EXISTS (SELECT 1 FROM sl_seen x WHERE x.type = s.type AND x.kind = 1 AND x.what = n.id);
END;

CREATE TRIGGER subspan_insert INSTEAD OF INSERT ON subspan BEGIN
    INSERT INTO sl_source (id, path, recipe, component) SELECT 0, '(SQL)', 'sql', 'sql'
        WHERE NOT EXISTS (SELECT 1 FROM sl_source WHERE id = 0);
    INSERT INTO sl_name (name) SELECT 'sql' WHERE NOT EXISTS (SELECT 1 FROM sl_name WHERE name = 'sql');
    INSERT INTO sl_note (source, place, note, key)
        VALUES (0, 1 + ifnull((SELECT max(place) FROM sl_note WHERE source = 0), 0), NEW.note, NEW.key);
    INSERT INTO sl_link (left_span, kind, right_span, rule, source, place)
        SELECT l, 1, r, (SELECT id FROM sl_name WHERE name = 'sql'), 0, (SELECT max(place) FROM sl_note WHERE source = 0)
        FROM (SELECT ifnull((SELECT span FROM sl_uuid WHERE uuid = NEW.superspan_uuid), NEW.superspan_uuid) AS l,
            ifnull((SELECT span FROM sl_uuid WHERE uuid = NEW.subspan_uuid), NEW.subspan_uuid) AS r)
        WHERE NOT EXISTS (SELECT 1 FROM sl_link WHERE left_span = l AND kind = 1 AND right_span = r);
    UPDATE sl_span SET key = NEW.key WHERE NEW.key IS NOT NULL AND source = 0
        AND id = (SELECT span FROM sl_uuid WHERE uuid = NEW.subspan_uuid);
END;

CREATE TRIGGER facet_insert INSTEAD OF INSERT ON facet BEGIN
    INSERT INTO sl_source (id, path, recipe, component) SELECT 0, '(SQL)', 'sql', 'sql'
        WHERE NOT EXISTS (SELECT 1 FROM sl_source WHERE id = 0);
    INSERT INTO sl_name (name) SELECT 'sql' WHERE NOT EXISTS (SELECT 1 FROM sl_name WHERE name = 'sql');
    INSERT INTO sl_note (source, place, note)
        VALUES (0, 1 + ifnull((SELECT max(place) FROM sl_note WHERE source = 0), 0), NEW.note);
    INSERT INTO sl_link (left_span, kind, right_span, rule, source, place)
        SELECT l, 2, r, (SELECT id FROM sl_name WHERE name = 'sql'), 0, (SELECT max(place) FROM sl_note WHERE source = 0)
        FROM (SELECT ifnull((SELECT span FROM sl_uuid WHERE uuid = NEW.left_uuid), NEW.left_uuid) AS l,
            ifnull((SELECT span FROM sl_uuid WHERE uuid = NEW.right_uuid), NEW.right_uuid) AS r)
        WHERE NOT EXISTS (SELECT 1 FROM sl_link WHERE left_span = l AND kind = 2 AND right_span = r);
END;
