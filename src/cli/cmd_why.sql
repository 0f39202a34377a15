-- SPDX-License-Identifier: Apache-2.0
-- What cmd_why.c asks of the store.

-- name: is_below
-- When the span ?2 last happened, where a file of the path ?1, or below it, tells of it.
SELECT (SELECT max(time_ns) FROM sl_event e WHERE e.span = s.id)
FROM sl_span s
WHERE s.id = ?2 AND EXISTS (SELECT 1 FROM sources o WHERE (o.path = ?1 OR substr(o.path, 1, length(?1) + 1) = ?1 || '/')
    AND (o.id = s.source OR o.id IN (SELECT source FROM sl_event e WHERE e.span = s.id)));
