-- SPDX-License-Identifier: Apache-2.0
-- What many records of a source have in common is kept once: name, category, file and line of the calls of a function.

-- Attributes as in sl_attr, of all spans that name this row.
CREATE TABLE sl_alike (
    id INTEGER PRIMARY KEY,
    source INTEGER NOT NULL,
    shape INTEGER NOT NULL,
    vals TEXT NOT NULL
);
CREATE INDEX sl_alike_source ON sl_alike (source);

-- The record that made the span has these attributes, and stands at this place of their source.
ALTER TABLE sl_span ADD COLUMN place INTEGER;
ALTER TABLE sl_span ADD COLUMN alike INTEGER REFERENCES sl_alike;
