-- SPDX-License-Identifier: Apache-2.0
-- What roots.c asks of the store.  As in store/retract.sql, no loop from a small table to sl_span has a condition of
-- sl_span alone, nor of a constant: SQLite would first read the whole table for a Bloom filter.

-- name: begin
CREATE TEMP TABLE IF NOT EXISTS sl_touched (id INTEGER PRIMARY KEY);
-- the roots that a rule looks at, and the families that these are
CREATE TEMP TABLE IF NOT EXISTS sl_anew (id INTEGER PRIMARY KEY);
CREATE TEMP TABLE IF NOT EXISTS sl_family (name TEXT PRIMARY KEY) WITHOUT ROWID;
DELETE FROM temp.sl_anew;
DELETE FROM temp.sl_family

-- name: all
INSERT INTO temp.sl_anew
SELECT id
FROM sl_span
WHERE parent IS NULL

-- name: families
INSERT OR IGNORE INTO temp.sl_family
SELECT % s
FROM sl_name n
  CROSS JOIN (
    SELECT id
    FROM temp.sl_touched
    UNION ALL
    SELECT l.right_span
    FROM temp.sl_anew a CROSS JOIN sl_link l ON l.left_span = a.id AND l.kind = SL_FACET
    UNION ALL
    SELECT l.left_span
    FROM temp.sl_anew a CROSS JOIN sl_link l ON l.right_span = a.id AND l.kind = SL_FACET) t
  CROSS JOIN sl_span s ON s.id = t.id AND s.type = n.id
WHERE n.name = % Q AND s.parent + n.id IS NULL

-- name: families_gone
-- Those of roots that nothing names any more.
INSERT OR IGNORE INTO temp.sl_family
SELECT %s
FROM sl_name n
CROSS JOIN temp.sl_touched t
CROSS JOIN sl_ghost s ON s.id = t.id AND s.type = n.id
WHERE n.name = %Q AND s.parent IS NULL

-- name: roots
INSERT OR IGNORE INTO temp.sl_anew
SELECT s.id
FROM sl_name n
CROSS JOIN temp.sl_family f
CROSS JOIN sl_span s ON s.type = n.id AND %s
WHERE n.name = %Q AND s.parent + n.id IS NULL AND %s = f.name

-- name: inside
-- The spans of these types in the roots, that is, what a rule links there.
CREATE TEMP TABLE IF NOT EXISTS sl_again (id INTEGER PRIMARY KEY);
DELETE FROM temp.sl_again;
INSERT INTO temp.sl_again
WITH RECURSIVE
  inside(id) AS (
    SELECT id
    FROM temp.sl_anew
    UNION ALL
    SELECT s.id
    FROM inside
      CROSS JOIN sl_span s ON s.parent = inside.id
        AND s.id > inside.id
        AND iif(inside.id, s.type, 0) IN (SELECT id FROM sl_name WHERE name IN (% s)))
SELECT id
FROM inside

-- name: clear
-- What rule %Q linked there.
DELETE FROM sl_link
WHERE right_span IN (SELECT id FROM temp.sl_again)
  AND confidence IS NOT NULL
  AND +rule = (SELECT id FROM sl_name WHERE name = % Q);
DELETE FROM sl_link
WHERE left_span IN (SELECT id FROM temp.sl_again)
  AND confidence IS NOT NULL
  AND +rule = (SELECT id FROM sl_name WHERE name = % Q);
DELETE FROM sl_doubt
WHERE rule = (SELECT id FROM sl_name WHERE name = % Q)
  AND left_span IN (SELECT id FROM temp.sl_again);
INSERT OR IGNORE INTO temp.sl_settle
SELECT id
FROM temp.sl_again
