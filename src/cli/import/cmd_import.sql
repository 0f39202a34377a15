-- SPDX-License-Identifier: Apache-2.0
-- What cmd_import.c asks of the store.

-- name: by_folder
-- By folder, and many folders of one folder (one for each task) by that.
WITH
  f AS (
    SELECT folder,
      rtrim(folder, replace(folder, '/', '')) AS above,
      count(*) AS n, sum(bytes) AS bytes, min(path) AS one
    FROM t
    WHERE recipe IS NULL
    GROUP BY folder),
  g AS (SELECT *, count(*) OVER (PARTITION BY above) AS folders FROM f)
SELECT recipe, bytes, path
FROM t
WHERE recipe IS NOT NULL
UNION ALL
SELECT '(nothing)', bytes, iif(n = 1, one, n || ' files in ' || folder)
FROM g
WHERE folders <= 8
UNION ALL
SELECT '(nothing)', sum(bytes),
  sum(n) || ' files in ' || count(*) || ' folders of ' || rtrim(above, '/')
FROM g
WHERE folders > 8
GROUP BY above;

-- name: say_idle
SELECT b.name, b.project
FROM sl_bind b LEFT JOIN sl_name n ON n.name = b.name
WHERE b.project IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM sl_link WHERE rule = n.id)
  AND NOT EXISTS (SELECT 1 FROM sl_doubt WHERE rule = n.id)
  AND b.name NOT IN (SELECT rule FROM sl_unbound)
ORDER BY 1;

-- name: say_faults
SELECT r.reason, s.path || ifnull('#' || s.part, '') || ':' || min(r.place)
FROM sl_source s JOIN sl_reject r ON r.source = s.id
WHERE s.imported_ns >= ?1
GROUP BY s.id, r.reason
ORDER BY s.path, s.part, r.place
LIMIT 100;

-- name: is_new
-- A condition on a span s: it is of a file that was imported since then.
s.id IN (
  SELECT r.root
  FROM sl_source f CROSS JOIN sl_root r ON r.source = f.id
  WHERE f.imported_ns >= %lld)
