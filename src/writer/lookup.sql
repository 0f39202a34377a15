-- SPDX-License-Identifier: Apache-2.0
-- What lookup.c asks of the store.

-- name: last_id
SELECT max(ifnull((SELECT max(id) FROM sl_span WHERE id BETWEEN 1 AND 4000000000), 0),
    ifnull((SELECT max(id) FROM sl_ghost WHERE id BETWEEN 1 AND 4000000000), 0));

-- name: find_span
SELECT id
FROM sl_span
WHERE type = ?1 AND key = ?2 AND parent IS ?3 AND id BETWEEN 1 AND 4000000000
ORDER BY id
LIMIT 1;

-- name: find_ghost
SELECT id
FROM sl_ghost
WHERE type = ?1 AND key = ?2 AND parent IS ?3 AND id BETWEEN 1 AND 4000000000
ORDER BY id
LIMIT 1;

-- name: damaged_root
SELECT id
FROM sl_span
WHERE type = ?1 AND key = ?2 AND (parent >= id OR typeof(parent) NOT IN ('integer', 'null'))
LIMIT 1;

-- name: by_id
SELECT id, type, key, parent, 1, source
FROM sl_span
WHERE id = ?1
UNION ALL
SELECT id, type, key, parent, 0, NULL
FROM sl_ghost
WHERE id = ?1
LIMIT 1;

-- name: facets_of
-- Links of bindings are made anew at the end.
SELECT left_span, right_span
FROM sl_link
WHERE left_span = ?1 AND kind = SL_FACET AND confidence IS NULL
UNION ALL
SELECT left_span, right_span
FROM sl_link
WHERE right_span = ?1 AND kind = SL_FACET AND confidence IS NULL;

-- name: zone_of
SELECT id, ifnull(since_ns, 0), offset_s, how, ifnull(until_ns, 0)
FROM sl_zone
WHERE root = ?1
ORDER BY since_ns;

-- name: weak_of
SELECT w.left_span, w.kind, w.right_span, n.name, w.source, w.place, w.weak
FROM sl_weak w JOIN sl_name n ON n.id = w.rule
WHERE w.left_span = ?1
UNION
SELECT w.left_span, w.kind, w.right_span, n.name, w.source, w.place, w.weak
FROM sl_weak w JOIN sl_name n ON n.id = w.rule
WHERE w.right_span = ?1;

-- name: drop_weak
DELETE FROM sl_weak
WHERE left_span = ?1 AND kind = ?2 AND right_span = ?3 AND source = ?4;

-- name: below
WITH RECURSIVE
  below(id) AS (
    SELECT id
    FROM sl_span
    WHERE parent = ?1
    UNION
    SELECT s.id
    FROM below JOIN sl_span s ON s.parent = below.id)
SELECT id
FROM below;

-- name: inside
-- Spans of a type with a key, at any depth below a span.
SELECT s.id
FROM sl_span s
WHERE s.type = ?1
  AND s.key = ?2
  AND EXISTS (
    WITH RECURSIVE
      up(id) AS (
        SELECT s.parent
        UNION
        SELECT p.parent
        FROM up JOIN sl_span p ON p.id = up.id)
    SELECT 1
    FROM up
    WHERE id = ?3);

-- name: tails
-- What is below retracted files as a whole is mentioned again, or is not.
SELECT id
FROM temp.sl_below
WHERE id > 0 AND NOT EXISTS (SELECT 1 FROM temp.sl_retracted WHERE since < 0);

-- name: roots
-- Whose key is this folder, or a path in it.
SELECT id
FROM sl_span
WHERE type = ?1 AND key = ?2 AND +parent IS NULL
UNION
SELECT id
FROM sl_span
WHERE type = ?1 AND key >= ?2 || '/' AND key < ?2 || '0' AND +parent IS NULL
UNION
SELECT id
FROM sl_ghost
WHERE type = ?1 AND key = ?2 AND +parent IS NULL
UNION
SELECT id
FROM sl_ghost
WHERE type = ?1 AND key >= ?2 || '/' AND key < ?2 || '0' AND +parent IS NULL
ORDER BY id;

-- name: load_spans
SELECT id, type, key, parent, 1, source
FROM sl_span
UNION ALL
SELECT id, type, key, parent, 0, NULL
FROM sl_ghost
ORDER BY id;

-- name: load_facets
SELECT left_span, right_span
FROM sl_link
WHERE kind = SL_FACET AND confidence IS NULL;
