-- SPDX-License-Identifier: Apache-2.0
-- What pairs.c asks of the store.

-- name: binding_begin
CREATE TEMP TABLE IF NOT EXISTS sl_pair (l INTEGER, r INTEGER, confidence REAL,
  PRIMARY KEY (l, r)) WITHOUT ROWID;
DELETE FROM temp.sl_pair
-- name: one
INSERT OR IGNORE INTO sl_link (left_span, kind, right_span, rule, confidence)
SELECT %s, %d, %s, %lld, confidence
FROM temp.sl_pair p
WHERE %s %s
ORDER BY 1, 3;

-- name: insert_doubt
INSERT OR IGNORE INTO sl_doubt (left_span, kind, right_span, rule)
SELECT %s, %d, %s, %lld
FROM temp.sl_pair p
WHERE NOT (%s) %s;

-- name: facet_once
-- A facet is one whichever of the two is left: no link where there is one the other way round, and
-- one of two pairs: by their keys and those of what they lie in, an order of spans that does not
-- depend on ids.
AND NOT EXISTS (
  SELECT 1
  FROM sl_link k
  WHERE k.left_span = r
    AND k.kind = SL_FACET
    AND k.right_span
      = l) AND NOT (EXISTS (SELECT 1 FROM temp.sl_pair o WHERE o.l = p.r AND o.r = p.l)
  AND (
    WITH RECURSIVE
      up(key, parent) AS (
        SELECT key, parent
        FROM sl_span
        WHERE id = l
        UNION ALL
        SELECT s.key, s.parent
        FROM up JOIN sl_span s ON s.id = up.parent)
    SELECT group_concat(key, char(10))
    FROM up) > (
    WITH RECURSIVE
      up(key, parent) AS (
        SELECT key, parent
        FROM sl_span
        WHERE id = r
        UNION ALL
        SELECT s.key, s.parent
        FROM up JOIN sl_span s ON s.id = up.parent)
    SELECT group_concat(key, char(10))
    FROM up))
