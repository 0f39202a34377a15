-- SPDX-License-Identifier: Apache-2.0
-- What logs.c asks of the store.

-- name: named
-- What the column ?2 says of each run of experiment ?1, and the file that says so.
SELECT s.id, json_extract(a.vals, f.path), x.path
FROM sl_span s
  JOIN sl_attr a ON a.span = s.id
  JOIN sl_shape f ON f.id = a.shape AND f.name = ?2
  JOIN sl_source x ON x.id = a.source
WHERE s.parent = ?1 AND json_extract(a.vals, f.path) <> ''
ORDER BY s.id, x.path;

-- name: roots
-- Spans without a parent, and the files that name them.
SELECT x.path, r.root, s.key
FROM sl_root r
  JOIN sl_source x ON x.id = r.source
  JOIN sl_span s ON s.id = r.root
  JOIN sl_name n ON n.id = s.type
WHERE r.weak IS NULL AND x.replaced_by IS NULL AND n.name NOT IN ('experiment', 'campaign')
ORDER BY x.path, r.root;

-- name: inside
-- Does ?1 lie in another one of ?2, a JSON list?
WITH RECURSIVE
  up(id) AS (
    SELECT ?1
    UNION
    SELECT l.left_span
    FROM up JOIN sl_link l ON l.right_span = up.id AND l.kind IN (SL_IN, SL_FACET)
    UNION
    SELECT l.right_span
    FROM up JOIN sl_link l ON l.left_span = up.id AND l.kind = SL_FACET
    UNION
    SELECT s.parent
    FROM up JOIN sl_span s ON s.id = up.id
    WHERE s.parent IS NOT NULL)
SELECT 1
FROM up
WHERE id IN (SELECT value FROM json_each(?2)) AND id <> ?1
LIMIT 1;
