-- SPDX-License-Identifier: Apache-2.0
-- What cmd_why.c asks of the store.

-- name: below
-- Workflows that a file of the path ?1, or below it, tells of, the latest first; of facets the first alone.
SELECT s.id, s.key
FROM sl_span s
WHERE s.parent ISNULL AND s.type IN (SELECT n.id FROM sl_role r JOIN sl_name n ON n.name = r.type WHERE r.role = 'workflow')
    AND NOT EXISTS (SELECT 1 FROM sl_link l JOIN sl_span t ON t.id = l.left_span WHERE l.right_span = s.id AND l.kind IN (SL_FACET, SL_IN) AND t.parent ISNULL)
    AND EXISTS (SELECT 1 FROM sources o WHERE (o.path = ?1 OR substr(o.path, 1, length(?1) + 1) = ?1 || '/')
        AND (o.id = s.source OR o.id IN (SELECT source FROM sl_event e WHERE e.span = s.id)))
ORDER BY (SELECT max(time_ns) FROM sl_event e WHERE e.span = s.id) DESC, s.id DESC;
