-- SPDX-License-Identifier: Apache-2.0
-- What groups.c asks of the store: what spans say themselves.

-- name: app
SELECT sl_query_each(?1, span, value)
FROM attributes
WHERE name IN ('app', 'task_func_name', 'category');

-- name: executor
SELECT sl_query_each(?1, id, value)
FROM (
    SELECT span AS id, value
    FROM attributes
    WHERE name = 'executor'
    UNION ALL
    SELECT s.id, s.key
    FROM sl_role r JOIN sl_name n ON n.name = r.type JOIN sl_span s ON s.type = n.id
    WHERE r.role = 'executor');

-- name: node
SELECT sl_query_each(?1, span, value)
FROM attributes
WHERE name = 'hostname';

-- name: worker
SELECT sl_query_each(?1, s.id,
    iif(p.type IS NULL
        OR p.type IN (
          SELECT w.id
          FROM sl_role r JOIN sl_name w ON w.name = r.type
          WHERE r.role = 'workflow'),
      '',
      p.key || '/')
      || s.key)
FROM sl_role r
  JOIN sl_name n ON n.name = r.type
  JOIN sl_span s ON s.type = n.id
  LEFT JOIN sl_span p ON p.id = s.parent
WHERE r.role = 'worker';

-- name: holds
-- Of what has such parts, these are many.
SELECT sl_query_each(?1, type)
FROM sl_role
WHERE role IN ('workflow', 'executor', 'worker');

-- name: last
SELECT max(time_ns) FROM sl_event WHERE span = ?1;
