-- SPDX-License-Identifier: Apache-2.0
-- What descendants.c asks of the store.

-- What leads from span ?1 to others. CROSS JOIN: first the link, then the span at its end, if there
-- is one.

-- name: itself
SELECT id FROM sl_span WHERE id = ?1;

-- name: named
SELECT id FROM sl_span WHERE parent = ?1;

-- name: linked
SELECT s.id
FROM sl_link CROSS JOIN sl_span s ON s.id = right_span
WHERE left_span = ?1 AND kind IN (SL_IN, SL_FACET);

-- name: facets
SELECT s.id
FROM sl_link CROSS JOIN sl_span s ON s.id = left_span
WHERE right_span = ?1 AND kind = SL_FACET;
