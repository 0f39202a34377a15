-- SPDX-License-Identifier: Apache-2.0
-- What bind.c asks of the store.

-- name: find_view
SELECT name
FROM sl_name n
WHERE substr(name, -length(?1) - 1) = '.' || ?1
  AND EXISTS (SELECT 1 FROM sl_span s WHERE s.type = n.id);

-- name: drop_known
DELETE FROM temp.sl_pair
WHERE EXISTS (
  SELECT 1
  FROM sl_link k
  WHERE k.kind = % d
    AND (
      (k.right_span = l AND k.left_span IN (SELECT id FROM temp.sl_right) AND % d)
        OR (k.left_span = l AND k.right_span IN (SELECT id FROM temp.sl_right) AND % d)));

-- name: direct
-- Children of two facets, %lld: the rule, %Q: the types.
INSERT OR IGNORE INTO sl_link (left_span, kind, right_span, rule, confidence)
SELECT a.id, SL_FACET, b.id, % lld, p.confidence
FROM
  (
    SELECT left_span AS x, right_span AS y, confidence
    FROM sl_link
    WHERE kind = SL_FACET AND confidence IS NOT NULL
    UNION ALL
    SELECT right_span, left_span, confidence
    FROM sl_link
    WHERE kind = SL_FACET AND confidence IS NOT NULL) p
  JOIN sl_span a ON a.parent = p.x AND a.type = (SELECT id FROM sl_name WHERE name = % Q)
  JOIN sl_span b ON b.parent = p.y
    AND b.type = (SELECT id FROM sl_name WHERE name = % Q)
    AND b.key = a.key
WHERE NOT EXISTS (
  SELECT 1 FROM sl_link k WHERE k.left_span = b.id AND k.kind = SL_FACET AND k.right_span = a.id);

-- name: deep
-- The same at any depth: there are few of these.
INSERT OR IGNORE INTO sl_link (left_span, kind, right_span, rule, confidence)
SELECT a.id, SL_FACET, b.id, % lld, 1.0
FROM sl_span a JOIN sl_span b ON b.key = a.key
WHERE a.type = (SELECT id FROM sl_name WHERE name = % Q)
  AND b.type = (SELECT id FROM sl_name WHERE name = % Q)
  AND EXISTS (
    WITH RECURSIVE
      x(id) AS (SELECT a.parent UNION SELECT s.parent FROM x JOIN sl_span s ON s.id = x.id),
      y(id) AS (SELECT b.parent UNION SELECT s.parent FROM y JOIN sl_span s ON s.id = y.id)
    SELECT 1
    FROM x
      CROSS JOIN y
      JOIN sl_link f ON f.kind = SL_FACET
        AND f.confidence IS NOT NULL
        AND f.left_span IN (x.id, y.id)
        AND f.right_span IN (x.id, y.id))
  AND NOT EXISTS (
    SELECT 1 FROM sl_link k WHERE k.left_span = b.id AND k.kind = SL_FACET AND k.right_span = a.id);

-- name: unbind
INSERT INTO sl_link_off
SELECT left_span, kind, right_span, rule, source, place, confidence, weak
FROM sl_link
WHERE rule IN (SELECT id FROM sl_name JOIN sl_unbound ON sl_unbound.rule = name);
DELETE FROM sl_link
WHERE rule IN (SELECT id FROM sl_name JOIN sl_unbound ON sl_unbound.rule = name);

-- name: unmerge
-- Facets that followed from one that was unbound: their naming parents are none any more.
INSERT INTO sl_link_off
SELECT l.left_span, l.kind, l.right_span, l.rule, l.source, l.place, l.confidence, l.weak
FROM sl_link l
  JOIN sl_name n ON n.id = l.rule AND n.name LIKE 'merge %'
  JOIN sl_span a ON a.id = l.left_span
  JOIN sl_span b ON b.id = l.right_span
WHERE l.kind = SL_FACET
  AND l.source IS NULL
  AND NOT EXISTS (
    WITH RECURSIVE
      x(id) AS (SELECT a.parent UNION SELECT s.parent FROM x JOIN sl_span s ON s.id = x.id),
      y(id) AS (SELECT b.parent UNION SELECT s.parent FROM y JOIN sl_span s ON s.id = y.id)
    SELECT 1
    FROM x
      CROSS JOIN y
      JOIN sl_link f ON f.kind = SL_FACET
        AND f.left_span IN (x.id, y.id)
        AND f.right_span IN (x.id, y.id));
DELETE FROM sl_link
WHERE kind = SL_FACET
  AND source IS NULL
  AND (left_span, kind, right_span, rule) IN (
    SELECT left_span, kind, right_span, rule FROM sl_link_off)

-- name: settle
-- What is sure of the same kind settles a doubt.
DELETE FROM sl_doubt
WHERE EXISTS (
  SELECT 1
  FROM sl_link l
    JOIN sl_span c ON c.id = l.left_span
    JOIN sl_span d ON d.id = sl_doubt.left_span AND d.type = c.type
  WHERE l.kind = sl_doubt.kind
    AND l.kind = SL_IN
    AND l.right_span = sl_doubt.right_span
    AND ifnull(l.confidence, 1.0) = 1.0);

-- name: begin_touched
-- What is to be settled again: on the right of a doubt.
CREATE TEMP TABLE sl_settle (id INTEGER PRIMARY KEY);
DELETE FROM sl_link
WHERE confidence IS NOT NULL AND rule = (SELECT id FROM sl_name WHERE name = 'file.writer');
DELETE FROM sl_doubt
WHERE rule = (SELECT id FROM sl_name WHERE name = 'file.writer');
INSERT INTO temp.sl_settle
SELECT DISTINCT span
FROM sl_written;

-- name: settle_touched
DELETE FROM sl_doubt
WHERE right_span IN (SELECT id FROM temp.sl_settle)
  AND EXISTS (
    SELECT 1
    FROM sl_link l
      JOIN sl_span c ON c.id = l.left_span
      JOIN sl_span d ON d.id = sl_doubt.left_span AND d.type = c.type
    WHERE l.kind = sl_doubt.kind
      AND l.kind = SL_IN
      AND l.right_span = sl_doubt.right_span
      AND ifnull(l.confidence, 1.0) = 1.0);

-- name: unusual
-- Rules of users, and rows that they wrote, may relate anything.
SELECT EXISTS (SELECT 1 FROM sl_bind)
  OR EXISTS (SELECT 1 FROM sl_unbound)
  OR EXISTS (SELECT 1 FROM sl_note WHERE source = 0);

-- name: any_bound
SELECT EXISTS (SELECT 1 FROM sl_link WHERE confidence IS NOT NULL AND rule = n.id)
  OR EXISTS (SELECT 1 FROM sl_doubt WHERE rule = n.id)
FROM sl_name n
WHERE n.name = % Q;

-- name: handles
-- Those that an unfinished version did not write; names_spans() in writer/flush.c has all.
INSERT OR IGNORE INTO sl_handle
SELECT a.span, h.name, a.source, a.place, json_extract(a.vals, h.path)
FROM sl_attr a
JOIN sl_shape h ON h.id = a.shape AND h.name IN ('parent_id', 'pid', 'ppid', 'instance_path')
WHERE json_valid(a.vals) AND json_extract(a.vals, h.path) IS NOT NULL;

-- name: drop_temp
DROP TABLE IF EXISTS temp.sl_pair;
DROP TABLE IF EXISTS temp.sl_left;
DROP TABLE IF EXISTS temp.sl_right;
DROP TABLE IF EXISTS temp.sl_touched;
DROP TABLE IF EXISTS temp.sl_anew;
DROP TABLE IF EXISTS temp.sl_family;
DROP TABLE IF EXISTS temp.sl_again;
DROP TABLE IF EXISTS temp.sl_settle;
DROP TABLE IF EXISTS temp.sl_asker;
DROP TABLE IF EXISTS temp.sl_near

-- name: has_facet
SELECT EXISTS (SELECT 1 FROM sl_link WHERE confidence IS NOT NULL AND kind = SL_FACET);

-- name: has_facet_off
SELECT EXISTS (SELECT 1 FROM sl_link_off WHERE kind = SL_FACET);
