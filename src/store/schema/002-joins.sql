-- SPDX-License-Identifier: Apache-2.0
-- What users and rules add to what logs say: bindings, inferred links, doubts, layers that analyses look through.

-- Links whose rule was unbound: kept, in no view, until it is bound again.
CREATE TABLE sl_unbound (
    rule TEXT PRIMARY KEY           -- as links.rule has it
) WITHOUT ROWID;

CREATE TABLE sl_link_off (
    left_span INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    right_span INTEGER NOT NULL,
    rule INTEGER,
    source INTEGER,
    place INTEGER,
    confidence REAL,
    weak INTEGER
);

-- Rules of users (spanloom bind, and the project file), applied at the end of every import.
CREATE TABLE sl_bind (
    name TEXT PRIMARY KEY,          -- what links.rule says of its links
    rule TEXT NOT NULL,             -- as the user wrote it
    project TEXT                    -- the project file that holds it; NULL: given by hand
) WITHOUT ROWID;

-- Links that a rule could have made, had it known which.
CREATE TABLE sl_doubt (
    left_span INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    right_span INTEGER NOT NULL,
    rule INTEGER NOT NULL REFERENCES sl_name,
    PRIMARY KEY (rule, left_span, right_span)
) WITHOUT ROWID;

-- The root spans that a source names.
CREATE TABLE sl_root (
    source INTEGER NOT NULL,
    root INTEGER NOT NULL,
    PRIMARY KEY (source, root)
) WITHOUT ROWID;

-- What was seen on spans of a type: the columns of its table view.
CREATE TABLE sl_seen (
    type INTEGER NOT NULL,
    kind INTEGER NOT NULL,          -- 1: an event, 2: attributes of a shape
    what INTEGER NOT NULL,          -- sl_name, sl_shape
    PRIMARY KEY (type, kind, what)
) WITHOUT ROWID;

-- A record says that a span wrote the file at this path; or that one of its subspans of a type did (of_type).
CREATE TABLE sl_wrote (
    path TEXT NOT NULL,
    span INTEGER NOT NULL,
    source INTEGER NOT NULL,
    place INTEGER NOT NULL,
    rule INTEGER NOT NULL,
    of_type INTEGER,
    PRIMARY KEY (path, span, source, place)
) WITHOUT ROWID;

-- Spans that lie in whoever wrote the file that names them.
CREATE TABLE sl_written (
    span INTEGER NOT NULL,
    source INTEGER NOT NULL,
    PRIMARY KEY (span, source)
) WITHOUT ROWID;

-- What analyses look through: layers that are ignored, names that are one, events that are one.
CREATE TABLE sl_lens (
    id INTEGER PRIMARY KEY,         -- in this order
    kind TEXT NOT NULL,             -- ignore, rename, merge
    what TEXT NOT NULL,             -- SPAN_TYPE, or SPAN_TYPE/EVENT, with * for any text; merge: several, blank between
    becomes TEXT,                   -- rename, merge: the new name
    within_ns INTEGER,              -- merge: events no further apart than that are one
    project TEXT                    -- the project file that holds it; NULL: given by hand
);

-- Which input of its recipe read the file; NULL: it told no events and no samples.
ALTER TABLE sl_source ADD COLUMN input INTEGER;

-- What a file tells again that another form of the same log (an earlier input of the recipe) tells: columns as in
-- sl_event and sl_sample, where it moves when that form is gone.
CREATE TABLE sl_event_also (
    span INTEGER NOT NULL,
    time_ns INTEGER NOT NULL,
    type INTEGER NOT NULL,
    source INTEGER NOT NULL,
    place INTEGER NOT NULL,
    zone INTEGER,
    PRIMARY KEY (span, time_ns, type, source, place)
) WITHOUT ROWID;

CREATE TABLE sl_sample_also (
    span INTEGER NOT NULL,
    time_ns INTEGER NOT NULL,
    shape INTEGER NOT NULL,
    source INTEGER NOT NULL,
    place INTEGER NOT NULL,
    zone INTEGER,
    vals TEXT NOT NULL,
    PRIMARY KEY (span, time_ns, shape, source, place)
) WITHOUT ROWID;

-- dnpcsql names a subspan anew in each of its superspans: the key of a subspan that its scripts insert, beside its note.
ALTER TABLE sl_note ADD COLUMN key TEXT;
