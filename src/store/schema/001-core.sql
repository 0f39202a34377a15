-- SPDX-License-Identifier: Apache-2.0
-- The core of a Spanloom store.  Times are integer nanoseconds since the Unix epoch, UTC.  Ids are local to the store.

CREATE TABLE sl_meta (
    name TEXT PRIMARY KEY,          -- schema: the number of the newest schema file applied
    value
) WITHOUT ROWID;

-- Names of span types, event types, attributes, metrics and rules, each once.
CREATE TABLE sl_name (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);

-- A file that was read, or one table of it.
CREATE TABLE sl_source (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL,
    part TEXT,                      -- the table, where the file is a database
    recipe TEXT NOT NULL,
    component TEXT NOT NULL,        -- who wrote it, as people say it: htex worker
    bytes INTEGER,
    mtime_ns INTEGER,
    hash TEXT,                      -- XXH3-128 of the bytes read, hexadecimal
    context TEXT,                   -- the fields that its path gave, JSON
    recipe_hash TEXT,               -- XXH3-64 of the recipe's text: another one means to read the file again
    imported_ns INTEGER,
    records INTEGER NOT NULL DEFAULT 0,  -- = used + skipped + rejected
    used INTEGER NOT NULL DEFAULT 0,
    skipped INTEGER NOT NULL DEFAULT 0,
    rejected INTEGER NOT NULL DEFAULT 0,
    replaced_by INTEGER REFERENCES sl_source  -- a newer version of the file; what this one said is in sl_old_event
);

CREATE INDEX sl_source_path ON sl_source (path, recipe);
CREATE INDEX sl_source_recipe ON sl_source (recipe, context);

-- A stretch of work seen by one source.  Identity is (type, key) inside the naming parent; root spans have no parent.
-- parent is also a subspan relation, which therefore needs no row in sl_link.
CREATE TABLE sl_span (
    id INTEGER PRIMARY KEY,
    type INTEGER NOT NULL REFERENCES sl_name,
    key TEXT NOT NULL,
    parent INTEGER REFERENCES sl_span,
    source INTEGER NOT NULL REFERENCES sl_source, -- one that names it
    note TEXT
);

-- Clustered by span and time: the events of a span lie side by side, and the table is its own index.
CREATE TABLE sl_event (
    span INTEGER NOT NULL,
    time_ns INTEGER NOT NULL,
    type INTEGER NOT NULL,
    source INTEGER NOT NULL,
    place INTEGER NOT NULL,         -- line number, or rowid
    zone INTEGER,                   -- sl_zone, where the source gave naive local time; NULL: it gave absolute time
    PRIMARY KEY (span, time_ns, type, source, place)
) WITHOUT ROWID;

-- Directed relations beside the naming parent: 1 in (left contains right), 2 facet (both are views of one thing,
-- direction means nothing), 3 after (left waited for right), 4 flow (left handed over to right).
CREATE TABLE sl_link (
    left_span INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    right_span INTEGER NOT NULL,
    rule INTEGER REFERENCES sl_name, -- what asserted it: recipe:rule, or the merge of two facets
    source INTEGER,                 -- and the record, where it was one; NULL: derived from other links
    place INTEGER,
    confidence REAL,                -- NULL means 1: a source says so
    weak INTEGER,                   -- 1: the record does not say that left is there, 2: that right is; 3: neither
    PRIMARY KEY (left_span, kind, right_span)
) WITHOUT ROWID;

-- Further sources that assert a link: it stays while one of them is there.
CREATE TABLE sl_link_also (
    left_span INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    right_span INTEGER NOT NULL,
    source INTEGER NOT NULL,
    rule INTEGER,
    place INTEGER,
    weak INTEGER,
    PRIMARY KEY (left_span, kind, right_span, source)
) WITHOUT ROWID;

-- Events of older versions of files that were replaced since; spanloom forget drops them.
CREATE TABLE sl_old_event (
    source INTEGER NOT NULL,
    place INTEGER NOT NULL,
    time_ns INTEGER NOT NULL,
    span TEXT NOT NULL,             -- type and key, as the span may be gone
    type TEXT NOT NULL
);

-- A list of names; attribute and sample rows hold the values in the same order, as a JSON array.
CREATE TABLE sl_shape (
    id INTEGER NOT NULL,
    pos INTEGER NOT NULL,
    name TEXT NOT NULL,
    path TEXT NOT NULL,             -- '$[pos]', for json_extract
    PRIMARY KEY (id, pos)
) WITHOUT ROWID;

CREATE TABLE sl_attr (
    span INTEGER NOT NULL,
    shape INTEGER NOT NULL,
    source INTEGER NOT NULL,
    place INTEGER NOT NULL,
    vals TEXT NOT NULL,
    PRIMARY KEY (span, shape, source, place)
) WITHOUT ROWID;

CREATE TABLE sl_sample (
    span INTEGER NOT NULL,
    time_ns INTEGER NOT NULL,
    shape INTEGER NOT NULL,
    source INTEGER NOT NULL,
    place INTEGER NOT NULL,
    zone INTEGER,
    vals TEXT NOT NULL,
    PRIMARY KEY (span, time_ns, shape, source, place)
) WITHOUT ROWID;

-- Whole records, kept for SQLite's JSON functions.
CREATE TABLE sl_raw (
    source INTEGER NOT NULL,
    place INTEGER NOT NULL,
    span INTEGER,
    json TEXT NOT NULL,
    PRIMARY KEY (source, place)
) WITHOUT ROWID;

-- Records that a recipe claimed but could not use.
CREATE TABLE sl_reject (
    source INTEGER NOT NULL,
    place INTEGER NOT NULL,
    reason TEXT NOT NULL,
    text TEXT,                      -- the beginning of the record
    PRIMARY KEY (source, place, reason)
) WITHOUT ROWID;

-- What naive local times were taken to mean, per root span.  UTC = local - offset_s.
CREATE TABLE sl_zone (
    id INTEGER PRIMARY KEY,
    root INTEGER NOT NULL REFERENCES sl_span,
    since_ns INTEGER,               -- seen first and last with this offset (UTC); NULL: no record says
    until_ns INTEGER,
    offset_s INTEGER NOT NULL,
    how TEXT NOT NULL               -- learned (this root's own records), facet (a faceted root's),
                                    -- inferred (from a faceted root's beginning), given (--zone), assumed
);

-- Spans that were named only by weak links (~alias) so far, and these links.  Ids are shared with sl_span: a ghost that
-- some later record knows moves there under its id.
CREATE TABLE sl_ghost (
    id INTEGER PRIMARY KEY,
    type INTEGER NOT NULL,
    key TEXT NOT NULL,
    parent INTEGER
);

CREATE TABLE sl_weak (
    left_span INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    right_span INTEGER NOT NULL,
    rule INTEGER,
    source INTEGER NOT NULL,
    place INTEGER,
    weak INTEGER NOT NULL,          -- as in sl_link
    PRIMARY KEY (left_span, kind, right_span, source)
) WITHOUT ROWID;

-- Facts about a scope that files of that scope share: (run_id, run directory) -> the run id.
CREATE TABLE sl_shared (
    field TEXT NOT NULL,
    scope TEXT NOT NULL,
    value TEXT NOT NULL,
    source INTEGER,
    PRIMARY KEY (field, scope)
) WITHOUT ROWID;

-- dnpcsql's identifiers of spans that its scripts insert (texts) and ours (integers).
CREATE TABLE sl_uuid (
    uuid TEXT PRIMARY KEY,
    span INTEGER NOT NULL
) WITHOUT ROWID;

-- dnpcsql's notes on events that its scripts insert.
CREATE TABLE sl_note (
    source INTEGER NOT NULL,
    place INTEGER NOT NULL,
    note TEXT,
    PRIMARY KEY (source, place)
) WITHOUT ROWID;
