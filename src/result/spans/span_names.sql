-- SPDX-License-Identifier: Apache-2.0
-- What span_names.c asks of the store.

-- name: span_name
-- What a task is an app of, itself or a facet.
SELECT n.name, s.key, s.parent,
  iif(n.name IN (SELECT type FROM sl_role WHERE role = 'task'),
    (
      SELECT json_extract(a.vals, f.path)
      FROM (
          SELECT ?1 AS id
          UNION
          SELECT right_span
          FROM sl_link
          WHERE left_span = ?1 AND kind = SL_FACET
          UNION
          SELECT left_span
          FROM sl_link
          WHERE right_span = ?1 AND kind = SL_FACET) v
        CROSS JOIN sl_attr a ON a.span = v.id
        CROSS JOIN sl_shape f ON f.id = a.shape
      WHERE f.name IN ('app', 'task_func_name', 'category')
      LIMIT 1),
    NULL)
FROM sl_span s JOIN sl_name n ON n.id = s.type
WHERE s.id = ?1;
