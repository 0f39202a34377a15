-- SPDX-License-Identifier: Apache-2.0
-- What run_names.c asks of the store.

-- name: run
-- Not of the view attributes, a union, which is read whole where an aggregate asks it of one span
-- after the other.
SELECT s.key,
  coalesce((SELECT min(scope) FROM sl_shared WHERE value = s.key),
    (
      SELECT max(json_extract(a.vals, f.path))
      FROM sl_attr a JOIN sl_shape f ON f.id = a.shape
      WHERE a.span = s.id AND f.name = 'rundir'),
    iif(s.key LIKE '/%', s.key, ''))
FROM sl_span s
WHERE s.id = ?1;
