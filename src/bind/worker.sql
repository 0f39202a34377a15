-- SPDX-License-Identifier: Apache-2.0
-- What worker.c asks of the store.

-- name: outermost
SELECT c.id, c.b, coalesce(c.e, c.b)
FROM (%s) c
WHERE NOT EXISTS (
  SELECT 1
  FROM sl_link k JOIN sl_span o ON o.id = k.left_span
  WHERE k.right_span = c.id
    AND k.kind = SL_IN
    AND o.type = (SELECT id FROM sl_name WHERE name = 'trace.call'));

-- name: clear_calls
DELETE FROM sl_link
WHERE confidence IS NOT NULL
  AND +rule = ?2
  AND kind = SL_IN
  AND right_span IN (
    SELECT c.id
    FROM sl_span t CROSS JOIN sl_span c ON c.parent = t.id
    WHERE t.parent = ?1);
