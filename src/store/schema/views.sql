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
DROP VIEW IF EXISTS zones;
DROP VIEW IF EXISTS node_samples;
DROP VIEW IF EXISTS node_metrics;
DROP VIEW IF EXISTS task_metrics;

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

-- What nodes were doing (docs/monitor.md), a row a sample; counters are since the monitor began.  elapsed_s: since the
-- sample before, or since the monitor began, suspension included.
CREATE VIEW node_samples AS
    WITH p AS MATERIALIZED (SELECT id AS shape,
            max(path) FILTER (WHERE name = 'uptime_s') AS uptime_s,
            max(path) FILTER (WHERE name = 'cpu_pct_per_cpu_avg') AS cpu_pct_per_cpu_avg,
            max(path) FILTER (WHERE name = 'cpu_pct_per_cpu_min') AS cpu_pct_per_cpu_min,
            max(path) FILTER (WHERE name = 'cpu_pct_per_cpu_max') AS cpu_pct_per_cpu_max,
            max(path) FILTER (WHERE name = 'mem_percent') AS mem_percent,
            max(path) FILTER (WHERE name = 'disk_usage_percent') AS disk_usage_percent,
            max(path) FILTER (WHERE name = 'disk_io_read_mb') AS disk_io_read_mb,
            max(path) FILTER (WHERE name = 'disk_io_write_mb') AS disk_io_write_mb,
            max(path) FILTER (WHERE name = 'net_io_lo_sent_mb') AS net_io_lo_sent_mb,
            max(path) FILTER (WHERE name = 'net_io_ext_sent_mb') AS net_io_ext_sent_mb,
            max(path) FILTER (WHERE name = 'net_io_lo_recv_mb') AS net_io_lo_recv_mb,
            max(path) FILTER (WHERE name = 'net_io_ext_recv_mb') AS net_io_ext_recv_mb,
            max(path) FILTER (WHERE name = 'cpus') AS cpus,
            max(path) FILTER (WHERE name = 'cpu_busy_s') AS cpu_busy_s,
            max(path) FILTER (WHERE name = 'cpu_capacity_s') AS cpu_capacity_s,
            max(path) FILTER (WHERE name = 'mem_available_mb') AS mem_available_mb
        FROM sl_shape GROUP BY id),
    n AS MATERIALIZED (SELECT s.id, (SELECT min(e.time_ns) FROM sl_event e WHERE e.span = s.id) AS began_ns,
            (SELECT value FROM attributes WHERE span = s.id AND name = 'uptime_s' AND typeof(value) <> 'text') AS uptime_s,
            (SELECT value FROM attributes WHERE span = s.id AND name = 'cpus' AND typeof(value) <> 'text') AS cpus
        FROM sl_span s WHERE s.type = (SELECT id FROM sl_name WHERE name = 'node'))
    SELECT s.span AS node, s.time_ns AS time_ns,
        max(0.0, coalesce(json_extract(s.vals, p.uptime_s) - lag(json_extract(s.vals, p.uptime_s), 1, n.uptime_s) OVER w,
            (s.time_ns - lag(s.time_ns, 1, n.began_ns) OVER w) / 1e9, 0.0)) AS elapsed_s,
        json_extract(s.vals, p.cpu_pct_per_cpu_avg) AS cpu_pct_per_cpu_avg,
        json_extract(s.vals, p.cpu_pct_per_cpu_min) AS cpu_pct_per_cpu_min,
        json_extract(s.vals, p.cpu_pct_per_cpu_max) AS cpu_pct_per_cpu_max,
        json_extract(s.vals, p.mem_percent) AS mem_percent,
        json_extract(s.vals, p.disk_usage_percent) AS disk_usage_percent,
        json_extract(s.vals, p.disk_io_read_mb) AS disk_io_read_mb,
        json_extract(s.vals, p.disk_io_write_mb) AS disk_io_write_mb,
        json_extract(s.vals, p.net_io_lo_sent_mb) AS net_io_lo_sent_mb,
        json_extract(s.vals, p.net_io_ext_sent_mb) AS net_io_ext_sent_mb,
        json_extract(s.vals, p.net_io_lo_recv_mb) AS net_io_lo_recv_mb,
        json_extract(s.vals, p.net_io_ext_recv_mb) AS net_io_ext_recv_mb,
        coalesce(json_extract(s.vals, p.cpus), n.cpus) AS cpus,
        json_extract(s.vals, p.cpu_busy_s) AS cpu_busy_s,
        json_extract(s.vals, p.cpu_capacity_s) AS cpu_capacity_s,
        json_extract(s.vals, p.mem_available_mb) AS mem_available_mb
    FROM n CROSS JOIN sl_sample s ON s.span = n.id JOIN p ON p.shape = s.shape
    WINDOW w AS (PARTITION BY s.span ORDER BY s.time_ns, s.place);

-- One row a node: what it came to while it was monitored.  Shares of time are weighted by elapsed_s.
CREATE VIEW node_metrics AS
    SELECT s.node AS node, (SELECT value FROM attributes WHERE span = s.node AND name = 'host') AS host,
        (SELECT CAST(value AS INTEGER) FROM attributes WHERE span = s.node AND name = 'rank') AS rank,
        (SELECT min(time_ns) FROM sl_event WHERE span = s.node) AS began_ns, s.last_ns AS last_ns, s.sampled_s AS sampled_s,
        s.samples AS samples, s.cpus AS cpus, s.cpu_avg_utilization_pct AS cpu_avg_utilization_pct,
        s.over20 AS cpu_avg_utilization_over20_pct, s.over40 AS cpu_avg_utilization_over40_pct,
        s.over80 AS cpu_avg_utilization_over80_pct, s.at100 AS cpu_avg_utilization_at100_pct,
        s.max_avg AS max_t_cpu_pct_per_cpu_avg, s.max_max AS max_t_cpu_pct_per_cpu_max, s.max_min AS max_t_cpu_pct_per_cpu_min,
        s.node_cpu_hours AS node_cpu_hours, s.node_cpu_hours * (1 - s.cpu_avg_utilization_pct / 100.0) AS node_unused_cpu_hours,
        s.mem AS max_t_mem_percent, s.disk AS max_t_disk_usage_percent,
        s.disk_read AS total_disk_io_read_mb, s.disk_write AS total_disk_io_write_mb, s.lo_sent AS total_net_io_lo_sent_mb,
        s.ext_sent AS total_net_io_ext_sent_mb, s.lo_recv AS total_net_io_lo_recv_mb, s.ext_recv AS total_net_io_ext_recv_mb
    FROM (SELECT node, max(time_ns) AS last_ns, sum(elapsed_s) AS sampled_s, count(*) AS samples, max(cpus) AS cpus,
            coalesce(100.0 * max(cpu_busy_s) / nullif(max(cpu_capacity_s), 0),
                sum(cpu_pct_per_cpu_avg * elapsed_s) / nullif(sum(iif(cpu_pct_per_cpu_avg NOTNULL, elapsed_s, 0)), 0)) AS cpu_avg_utilization_pct,
            100.0 * sum(iif(cpu_pct_per_cpu_avg >= 20, elapsed_s, 0)) / nullif(sum(iif(cpu_pct_per_cpu_avg NOTNULL, elapsed_s, 0)), 0) AS over20,
            100.0 * sum(iif(cpu_pct_per_cpu_avg >= 40, elapsed_s, 0)) / nullif(sum(iif(cpu_pct_per_cpu_avg NOTNULL, elapsed_s, 0)), 0) AS over40,
            100.0 * sum(iif(cpu_pct_per_cpu_avg >= 80, elapsed_s, 0)) / nullif(sum(iif(cpu_pct_per_cpu_avg NOTNULL, elapsed_s, 0)), 0) AS over80,
            100.0 * sum(iif(cpu_pct_per_cpu_avg >= 100, elapsed_s, 0)) / nullif(sum(iif(cpu_pct_per_cpu_avg NOTNULL, elapsed_s, 0)), 0) AS at100,
            max(cpu_pct_per_cpu_avg) AS max_avg, max(cpu_pct_per_cpu_max) AS max_max, max(cpu_pct_per_cpu_min) AS max_min,
            sum(elapsed_s * cpus) / 3600.0 AS node_cpu_hours, max(mem_percent) AS mem, max(disk_usage_percent) AS disk,
            max(disk_io_read_mb) AS disk_read, max(disk_io_write_mb) AS disk_write, max(net_io_lo_sent_mb) AS lo_sent,
            max(net_io_ext_sent_mb) AS ext_sent, max(net_io_lo_recv_mb) AS lo_recv, max(net_io_ext_recv_mb) AS ext_recv
        FROM node_samples GROUP BY node) s;

-- The same of Parsl's tries, from the resource rows of its monitoring.  Parsl measures the worker process and its
-- children since they began, so that what a try used is the difference between its rows.  CPU: 100 % is one core.
CREATE VIEW task_metrics AS
    WITH p AS MATERIALIZED (SELECT id AS shape,
            max(path) FILTER (WHERE name = 'psutil_process_time_user') AS u, max(path) FILTER (WHERE name = 'psutil_process_time_system') AS s,
            max(path) FILTER (WHERE name = 'psutil_process_memory_percent') AS mem, max(path) FILTER (WHERE name = 'psutil_process_memory_resident') AS rss,
            max(path) FILTER (WHERE name = 'psutil_process_disk_read') AS r, max(path) FILTER (WHERE name = 'psutil_process_disk_write') AS w
        FROM sl_shape GROUP BY id HAVING u NOTNULL OR mem NOTNULL OR rss NOTNULL),
    v AS MATERIALIZED (SELECT x.span AS try, x.time_ns AS time_ns, json_extract(x.vals, p.u) + json_extract(x.vals, p.s) AS cpu_s,
            json_extract(x.vals, p.mem) AS mem, json_extract(x.vals, p.rss) AS rss, json_extract(x.vals, p.r) AS r, json_extract(x.vals, p.w) AS w
        FROM sl_sample x JOIN p ON p.shape = x.shape JOIN sl_span t ON t.id = x.span
        WHERE t.type = (SELECT id FROM sl_name WHERE name = 'parsl.monitoring.try')),
    d AS (SELECT *, (time_ns - lag(time_ns) OVER w) / 1e9 AS elapsed_s, cpu_s - lag(cpu_s) OVER w AS used_s FROM v
        WINDOW w AS (PARTITION BY try ORDER BY time_ns))
    SELECT d.try AS try, t.parent AS task, (SELECT value FROM attributes WHERE span = t.parent AND name = 'task_func_name') AS app,
        (SELECT value FROM attributes WHERE span = d.try AND name = 'hostname') AS host,
        min(d.time_ns) AS began_ns, max(d.time_ns) AS last_ns, total(d.elapsed_s) AS sampled_s, count(*) AS samples,
        100.0 * (max(d.cpu_s) - min(d.cpu_s)) / nullif(sum(d.elapsed_s), 0) AS cpu_avg_utilization_pct,
        100.0 * sum(iif(d.used_s / d.elapsed_s >= 0.2, d.elapsed_s, 0)) / nullif(sum(d.elapsed_s), 0) AS cpu_avg_utilization_over20_pct,
        100.0 * sum(iif(d.used_s / d.elapsed_s >= 0.4, d.elapsed_s, 0)) / nullif(sum(d.elapsed_s), 0) AS cpu_avg_utilization_over40_pct,
        100.0 * sum(iif(d.used_s / d.elapsed_s >= 0.8, d.elapsed_s, 0)) / nullif(sum(d.elapsed_s), 0) AS cpu_avg_utilization_over80_pct,
        100.0 * sum(iif(d.used_s / d.elapsed_s >= 1.0, d.elapsed_s, 0)) / nullif(sum(d.elapsed_s), 0) AS cpu_avg_utilization_at100_pct,
        max(100.0 * d.used_s / nullif(d.elapsed_s, 0)) AS max_t_cpu_pct, iif(count(*) > 1, (max(d.cpu_s) - min(d.cpu_s)) / 3600.0, NULL) AS cpu_hours,
        max(d.mem) AS max_t_mem_percent, max(d.rss) / 1048576.0 AS max_t_mem_mb,
        iif(count(*) > 1, (max(d.r) - min(d.r)) / 1048576.0, NULL) AS total_disk_io_read_mb,
        iif(count(*) > 1, (max(d.w) - min(d.w)) / 1048576.0, NULL) AS total_disk_io_write_mb
    FROM d JOIN sl_span t ON t.id = d.try GROUP BY d.try;

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
