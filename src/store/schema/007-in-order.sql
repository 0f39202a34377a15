-- SPDX-License-Identifier: Apache-2.0
-- Tables without rowids whose columns stand in the order of their key: of others SQLite's integrity_check (3.40) takes
-- one column for another, and finds NULLs that are none.

CREATE TEMP TABLE sl_doubt_was AS SELECT rule, left_span, right_span, kind FROM main.sl_doubt;
DROP TABLE main.sl_doubt;
CREATE TABLE sl_doubt (
    rule INTEGER NOT NULL REFERENCES sl_name,
    left_span INTEGER NOT NULL,
    right_span INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    PRIMARY KEY (rule, left_span, right_span)
) WITHOUT ROWID;
INSERT INTO sl_doubt SELECT rule, left_span, right_span, kind FROM temp.sl_doubt_was ORDER BY 1, 2, 3;
DROP TABLE temp.sl_doubt_was;
CREATE INDEX sl_doubt_right ON sl_doubt (right_span);

CREATE TEMP TABLE sl_weak_was AS SELECT left_span, kind, right_span, source, rule, place, weak FROM main.sl_weak;
DROP TABLE main.sl_weak;
CREATE TABLE sl_weak (
    left_span INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    right_span INTEGER NOT NULL,
    source INTEGER NOT NULL,
    rule INTEGER,
    place INTEGER,
    weak INTEGER NOT NULL,          -- as in sl_link
    PRIMARY KEY (left_span, kind, right_span, source)
) WITHOUT ROWID;
INSERT INTO sl_weak SELECT left_span, kind, right_span, source, rule, place, weak FROM temp.sl_weak_was ORDER BY 1, 2, 3, 4;
DROP TABLE temp.sl_weak_was;
CREATE INDEX sl_weak_right ON sl_weak (right_span);
