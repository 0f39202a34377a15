-- SPDX-License-Identifier: Apache-2.0
-- What find_span.c asks of the store.

-- name: is_run
SELECT 1
FROM sl_span s
WHERE s.id = ?1 AND (s.key = ?2 OR (length(?2) >= 4 AND substr(s.key, 1, length(?2)) = ?2) OR substr(s.key,
    -length(?2) - 1) = '/' || ?2)
UNION ALL
SELECT 1
FROM sl_span s
JOIN sl_shared h ON h.value = s.key
WHERE s.id = ?1 AND (h.scope = ?2 OR substr(h.scope, -length(?2) - 1) = '/' || ?2);

-- name: root_of
WITH RECURSIVE up(id) AS (SELECT %lld UNION SELECT s.parent FROM sl_span s JOIN up ON s.id = up.id)
SELECT up.id
FROM up
JOIN sl_span s ON s.id = up.id
WHERE s.parent IS NULL;

-- name: are_facets
SELECT count(*)
FROM sl_link
WHERE kind = SL_FACET AND left_span IN (%lld, %lld) AND right_span IN (%lld, %lld);

-- name: find_all
SELECT s.id, n.name
FROM sl_name n
CROSS JOIN sl_span s ON s.type = n.id AND %s
WHERE ifnull(n.name IN (%s), n.name = ?1 OR substr(n.name, -length(?1) - 1) = '.' || ?1)
ORDER BY n.name <> ?1, n.name, s.id;

-- name: resembling
SELECT s.key
FROM sl_name n
CROSS JOIN sl_span s ON s.type = n.id AND instr(s.key, ?2) > 0
WHERE length(?2) > 2 AND (n.name = ?1 OR substr(n.name, -length(?1) - 1) = '.' || ?1)
ORDER BY s.key
LIMIT 3;

-- name: runs
-- Roots that answer to the name of a run, exactly if any do, workflows first; not what lies in another of them.
WITH c AS (SELECT s.id, s.key, s.type IN (SELECT n.id FROM sl_role JOIN sl_name n ON n.name = sl_role.type WHERE
    role = 'workflow') AS flow, s.key = ?1 OR s.key IN (SELECT value FROM sl_shared WHERE scope = ?1) AS exact FROM
    sl_span s WHERE s.parent IS NULL AND (s.key = ?1 OR (length(?1) >= 4 AND substr(s.key, 1, length(?1)) = ?1) OR
    substr(s.key, -length(?1) - 1) = '/' || ?1 OR s.key IN (SELECT value FROM sl_shared WHERE scope = ?1 OR
    substr(scope, -length(?1) - 1) = '/' || ?1)))
SELECT id, flow
FROM c
WHERE exact = (SELECT max(exact) FROM c) AND NOT EXISTS (SELECT 1 FROM c AS d WHERE d.flow AND substr(c.key, 1,
    length(d.key) + 1) = d.key || '/')
ORDER BY flow DESC, id;
