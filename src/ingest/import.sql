-- SPDX-License-Identifier: Apache-2.0
-- What import.c asks of the store.

-- name: part_of
SELECT s.id
FROM sl_source s
WHERE s.path = (SELECT path FROM sl_source WHERE id = ?1)
  AND s.recipe = ?2
  AND s.part IS ?3
  AND s.replaced_by IS NULL;

-- name: take_back
SELECT s.id
FROM sl_source s
WHERE s.path = (SELECT path FROM sl_source WHERE id = ?1)
  AND s.recipe = ?2
  AND s.replaced_by IS NULL;
