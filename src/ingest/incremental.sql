-- SPDX-License-Identifier: Apache-2.0
-- What incremental.c asks of the store.

-- name: rename_source
UPDATE sl_source SET path = ?2
WHERE (path, recipe) = (SELECT path, recipe FROM sl_source WHERE id = ?1);

-- name: copy_of_folder
SELECT id, bytes, hash
FROM sl_source
WHERE path = ? AND recipe = ? AND replaced_by IS NULL;

-- name: insert_shared
INSERT OR IGNORE INTO sl_shared (field, scope, value)
SELECT field, ?1, value
FROM sl_shared
WHERE scope = ?2;

-- name: as_long
SELECT EXISTS (SELECT 1 FROM sl_source WHERE recipe = ?1 AND head = ?5 AND bytes = ?4)
    OR EXISTS (
      SELECT 1
      FROM sl_source
      WHERE recipe = ?1 AND head IS NULL AND bytes = ?4);

-- name: find_equal
SELECT path, bytes, hash, id
FROM sl_source
WHERE recipe = ?1
  AND head = ?5
  AND bytes = ?4
  AND hash = ?6
  AND +context = ?2
  AND path <> ?3
  AND replaced_by IS NULL
UNION ALL
SELECT path, bytes, hash, id
FROM sl_source
WHERE recipe = ?1
  AND head IS NULL
  AND bytes = ?4
  AND hash = ?6
  AND +context = ?2
  AND path <> ?3
  AND replaced_by IS NULL
ORDER BY id;

-- name: find_begun
SELECT path, bytes, hash, id
FROM sl_source
WHERE recipe = ?1
  AND head = ?5
  AND bytes BETWEEN 200 AND ?4
  AND hash IS NOT NULL
  AND +context = ?2
  AND path <> ?3
  AND replaced_by IS NULL
UNION ALL
SELECT path, bytes, hash, id
FROM sl_source
WHERE recipe = ?1
  AND head IS NULL
  AND bytes BETWEEN 200 AND ?4
  AND hash IS NOT NULL
  AND +context = ?2
  AND path <> ?3
  AND replaced_by IS NULL
ORDER BY bytes, id;

-- name: find_packed
-- Of those only what is compressed: databases all begin alike.
SELECT path, bytes, hash, id
FROM sl_source
WHERE recipe = ?1
  AND (head = ?5 OR head IS NULL)
  AND (path GLOB '*.gz' OR path GLOB '*.zst' OR path GLOB '*.xz' OR path GLOB '*.bz2')
  AND bytes >= 200
  AND hash IS NOT NULL
  AND +context = ?2
  AND path <> ?3
  AND replaced_by IS NULL
ORDER BY bytes, id;

-- name: import_known
-- A tail that no import wrote is none, and the file is read whole.
SELECT id, bytes, ifnull(mtime_ns, 0), hash, recipe_hash, t ->> 'place', t ->> 'hash', t -> 'spans'
FROM (
    SELECT *,
      CASE
        WHEN json_valid(tail)
          THEN iif(json_type(tail, '$.spans') IS NOT 'array'
                OR EXISTS (SELECT 1 FROM json_each(tail, '$.spans') WHERE type <> 'integer'),
              NULL,
              tail)
      END AS t
    FROM sl_source)
WHERE path = ? AND recipe = ? AND replaced_by IS NULL
ORDER BY id;
