-- SPDX-License-Identifier: Apache-2.0
-- What experiment.c asks of the store.

-- name: column
-- What the column ?2 says of each run of experiment ?1.
SELECT s.id, json_extract(a.vals, f.path)
FROM sl_span s
JOIN sl_attr a ON a.span = s.id
JOIN sl_shape f ON f.id = a.shape AND f.name = ?2
WHERE s.parent = ?1
ORDER BY s.id;
