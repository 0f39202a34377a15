-- SPDX-License-Identifier: Apache-2.0
-- What spans.c asks of the store.

-- What is exported: of one run all that belongs to it, and what that is named in.

-- name: of_run
CREATE TEMP TABLE sl_exported AS
WITH RECURSIVE up(id) AS (
    SELECT span FROM descendants(?1)
    UNION
    SELECT s.parent FROM up CROSS JOIN sl_span s ON s.id = up.id WHERE s.parent NOTNULL)
SELECT id FROM up;

-- name: of_run_index
CREATE UNIQUE INDEX temp.sl_exported_id ON sl_exported (id);

-- name: of_all
CREATE TEMP VIEW sl_exported AS SELECT id FROM sl_span;

-- name: span
SELECT s.id, n.name, s.key, s.parent, s.type, (SELECT component FROM sl_source WHERE id = s.source),
    (SELECT min(time_ns) FROM sl_event WHERE span = s.id), (SELECT max(time_ns) FROM sl_event WHERE span = s.id)
FROM sl_span s
JOIN sl_name n ON n.id = s.type
WHERE s.id = ?1;

-- name: identity
SELECT n.name, s.key, s.parent
FROM sl_span s
JOIN sl_name n ON n.id = s.type
WHERE s.id = ?1;

-- name: each
SELECT s.id, n.name, s.key, s.parent, s.type, (SELECT component FROM sl_source WHERE id = s.source),
    (SELECT min(time_ns) FROM sl_event WHERE span = s.id), (SELECT max(time_ns) FROM sl_event WHERE span = s.id)
FROM sl_exported x
CROSS JOIN sl_span s ON s.id = x.id
CROSS JOIN sl_name n ON n.id = s.type
ORDER BY x.id;

-- What lies in a span that has no events of its own says when it was.

-- name: contained
SELECT min(time_ns), max(time_ns)
FROM (SELECT id FROM sl_span WHERE parent = ?1
    UNION ALL SELECT right_span FROM sl_link WHERE left_span = ?1 AND kind = SL_IN) c
CROSS JOIN sl_event e ON e.span = c.id;

-- Of one span, so often that nothing may need a table of its own in SQLite, which is a page cache each time: the key of
-- the table sorts (events), or spans.c, and a column is not one IN several.

-- name: events
SELECT e.time_ns, n.name
FROM sl_event e
CROSS JOIN sl_name n ON n.id = e.type
WHERE e.span = ?1
ORDER BY e.time_ns, e.type;

-- name: attributes
SELECT name, value
FROM attributes
WHERE span = ?1;

-- name: samples
SELECT DISTINCT time_ns, metric, value
FROM samples
WHERE span = ?1
ORDER BY time_ns, metric;

-- name: sampled
SELECT 1
FROM sl_sample
WHERE span = ?1;

-- Links of a span, told with the one that came of the other: what contains it, what it waited for, who handed over.

-- name: links
SELECT l.kind, l.left_span, (SELECT name FROM sl_name WHERE id = l.rule), ifnull(l.confidence, 1.0)
FROM sl_link l
WHERE l.right_span = ?1 AND l.kind <> SL_AFTER AND EXISTS (SELECT 1 FROM sl_exported WHERE id = l.left_span)
UNION ALL
SELECT l.kind, l.right_span, (SELECT name FROM sl_name WHERE id = l.rule), ifnull(l.confidence, 1.0)
FROM sl_link l
WHERE l.left_span = ?1 AND l.kind = SL_AFTER AND EXISTS (SELECT 1 FROM sl_exported WHERE id = l.right_span);

-- What a span is called by, the best first, and in which attributes that stands.

-- name: names
CREATE TEMP TABLE sl_export_name (
    shape INTEGER NOT NULL,
    rank INTEGER NOT NULL,
    path TEXT NOT NULL,
    PRIMARY KEY (shape, rank, path)
) WITHOUT ROWID;

-- name: fill_names
INSERT OR IGNORE INTO sl_export_name
SELECT id, instr('name app task_func_name category JobName', name), path
FROM sl_shape
WHERE name IN ('name', 'app', 'task_func_name', 'category', 'JobName');

-- The value is that of the row of the minimum (SQLite).

-- name: named
SELECT value, min(rank)
FROM (SELECT json_extract(a.vals, f.path) AS value, f.rank AS rank
    FROM sl_attr a CROSS JOIN sl_export_name f ON f.shape = a.shape WHERE a.span = ?1
    UNION ALL
    SELECT json_extract(a.vals, f.path), f.rank
    FROM sl_span s CROSS JOIN sl_alike a ON a.id = s.alike CROSS JOIN sl_export_name f ON f.shape = a.shape WHERE s.id = ?1)
WHERE value NOTNULL;

-- What a span may be called by: what it lies in, but for tasks and the like of other types of work.

-- name: around
SELECT parent
FROM sl_span
WHERE id = ?1 AND parent NOTNULL
UNION ALL
SELECT left_span
FROM sl_link
WHERE right_span = ?1 AND kind = SL_IN;
