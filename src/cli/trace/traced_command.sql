-- SPDX-License-Identifier: Apache-2.0
-- What traced_command.c asks of the store.

-- name: processes
-- From the files of the folder, by their paths; subqueries, not joins: see find_span.sql.
SELECT DISTINCT r.root
FROM sl_source f CROSS JOIN sl_root r ON r.source = f.id
WHERE f.path > ?1 || '/'
  AND f.path < ?1 || '0'
  AND EXISTS (
    SELECT 1
    FROM sl_span s
    WHERE s.id = r.root
      AND s.source = f.id
      AND s.type = (SELECT id FROM sl_name WHERE name = 'trace.process'));

-- name: is_of_folder
-- A condition on a span s: a file of this folder tells of it.
s.id IN (
  SELECT r.root
  FROM sl_source f CROSS JOIN sl_root r ON r.source = f.id
  WHERE f.path > %Q || '/' AND f.path < %Q || '0')
