-- SPDX-License-Identifier: Apache-2.0
-- What facets.c asks of the store.

-- name: goes_left
INSERT OR IGNORE INTO sl_link_also (left_span, kind, right_span, source, rule, place, weak)
SELECT right_span, SL_FACET, left_span, source, rule, place,
  CASE weak
    WHEN 1 THEN 2
    WHEN 2 THEN 1
    ELSE weak
  END
FROM (
    SELECT left_span, kind, right_span, source, rule, place, weak
    FROM sl_link
    UNION ALL
    SELECT left_span, kind, right_span, source, rule, place, weak
    FROM sl_link_also) l
WHERE left_span = ?1
  AND kind = SL_FACET
  AND right_span = ?2
  AND source > 0
  AND EXISTS (
    SELECT 1
    FROM sl_link k
    WHERE k.left_span = ?2 AND k.kind = SL_FACET AND k.right_span = ?1 AND k.source <> l.source);

-- name: delete_link_also
DELETE FROM sl_link_also
WHERE left_span = ?1
  AND kind = SL_FACET
  AND right_span = ?2
  AND EXISTS (
    SELECT 1
    FROM sl_link
    WHERE left_span = ?2 AND kind = SL_FACET AND right_span = ?1);

-- name: delete_link
DELETE FROM sl_link
WHERE left_span = ?1
  AND kind = SL_FACET
  AND right_span = ?2
  AND EXISTS (
    SELECT 1
    FROM sl_link
    WHERE left_span = ?2 AND kind = SL_FACET AND right_span = ?1);
