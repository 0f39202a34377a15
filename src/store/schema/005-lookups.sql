-- SPDX-License-Identifier: Apache-2.0
-- An import looks up what it names, and does not load what is stored.

-- With the parent, so that one look-up finds a span (index.sql has it now).
DROP INDEX IF EXISTS sl_span_type;

-- Attributes of traced processes and their calls by which others name them: found by their value.
CREATE TABLE sl_handle (
    span INTEGER NOT NULL,
    name TEXT NOT NULL,             -- names_spans() in writer/flush.c has them
    source INTEGER NOT NULL,
    place INTEGER NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (span, name, source, place)
) WITHOUT ROWID;
CREATE INDEX sl_handle_name ON sl_handle (name, value);
INSERT OR IGNORE INTO sl_handle
SELECT a.span, h.name, a.source, a.place, json_extract(a.vals, h.path)
FROM sl_attr a
JOIN sl_shape h ON h.id = a.shape AND h.name IN ('span_id', 'child_pid', 'flow_in', 'flow_out',
    'parent_id', 'pid', 'ppid', 'instance_path')
WHERE json_valid(a.vals) AND json_extract(a.vals, h.path) IS NOT NULL;

-- All roots that a source names, for what it said is found below them.
ALTER TABLE sl_root ADD COLUMN weak INTEGER; -- 1: it is named only where a link waits for a span below it
CREATE INDEX sl_root_root ON sl_root (root);

-- XXH3-128 of the first 200 bytes, hexadecimal: a file that may continue another, or be a copy of it, begins as that does.
-- '': it is shorter.  NULL: it was imported before this column was there.
ALTER TABLE sl_source ADD COLUMN head TEXT;
-- Its last record, where each record says what it says whatever follows, so that a longer file is read on: the place, a
-- hash of what else decides what records mean, and the spans (ids) of that record, JSON.
ALTER TABLE sl_source ADD COLUMN tail TEXT;
CREATE INDEX sl_source_head ON sl_source (recipe, head, bytes, hash);
