-- SPDX-License-Identifier: Apache-2.0
-- What workflows.c asks of the store.

-- name: workflows
-- Workflows that are not part of another one, or, where there are none, batch systems, whose jobs
-- are tasks then; and the views of each (as_id, itself among them); of facets the first, which has
-- none before itself that it is linked with. CROSS JOIN, and a subquery for a parent: else SQLite
-- reads all spans.
WITH RECURSIVE
  kind(id, role) AS MATERIALIZED (
    SELECT n.id, r.role
    FROM sl_role r CROSS JOIN sl_name n ON n.name = r.type
    WHERE r.role IN ('workflow', 'batch') AND EXISTS (SELECT 1 FROM sl_span s WHERE s.type = n.id)),
  flow(id) AS MATERIALIZED (
    SELECT s.id
    FROM kind k CROSS JOIN sl_span s ON s.type = k.id
    WHERE k.role = (SELECT max(role) FROM kind)),
  first(id) AS MATERIALIZED (
    SELECT id
    FROM flow f
    WHERE NOT EXISTS (
      SELECT 1
      FROM sl_link
      WHERE left_span = f.id AND kind = SL_FACET AND right_span < f.id AND right_span IN flow)
      AND NOT EXISTS (
        SELECT 1
        FROM sl_link
        WHERE right_span = f.id AND kind = SL_FACET AND left_span < f.id AND left_span IN flow)),
  same(id, as_id) AS MATERIALIZED (
    SELECT id, id
    FROM first
    UNION
    SELECT same.id, iif(l.left_span = same.as_id, l.right_span, l.left_span)
    FROM same
      JOIN sl_link l
        ON l.kind = SL_FACET AND (l.left_span = same.as_id OR l.right_span = same.as_id)),
  up(id, above) AS MATERIALIZED (
    SELECT id, as_id
    FROM same
    UNION
    SELECT up.id, (SELECT parent FROM sl_span WHERE id = up.above)
    FROM up
    WHERE (SELECT parent FROM sl_span WHERE id = up.above) NOTNULL
    UNION
    SELECT up.id, l.left_span
    FROM up JOIN sl_link l ON l.right_span = up.above AND l.kind = SL_IN)
SELECT f.id, same.as_id
FROM first f JOIN same ON same.id = f.id
WHERE f.id NOT IN (SELECT id FROM same WHERE as_id < id AND as_id IN flow)
  AND f.id NOT IN (
    SELECT id
    FROM (
        SELECT id, above
        FROM up
        WHERE above IN flow
        EXCEPT
        SELECT id, as_id
        FROM same))
  AND NOT EXISTS (
    SELECT 1
    FROM sl_span b CROSS JOIN flow g CROSS JOIN sl_span a ON a.id = g.id
    WHERE b.id = f.id AND substr(b.key, 1, length(a.key) + 1) = a.key || '/')
ORDER BY f.id, same.as_id;
