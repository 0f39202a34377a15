-- SPDX-License-Identifier: Apache-2.0
-- What call_tables.c asks of the store.

-- name: tops
-- What ran on its own, and has calls of traced programs: processes that nothing in the store has
-- started, by the time in their key, and workflows; the last first.
WITH
  top AS (
    SELECT s.id, CAST(substr(s.key, instr(s.key, '@') + 1) AS INTEGER) AS began
    FROM sl_name n JOIN sl_span s ON s.type = n.id
    WHERE n.name = 'trace.process'
      AND NOT EXISTS (SELECT 1 FROM sl_link l WHERE l.kind = SL_IN AND l.right_span = s.id)
    UNION ALL
    SELECT s.id, (SELECT min(time_ns) FROM sl_event e WHERE e.span = s.id)
    FROM sl_role r JOIN sl_name n ON n.name = r.type JOIN sl_span s ON s.type = n.id
    WHERE r.role = 'workflow'
      AND s.parent IS NULL
      AND NOT EXISTS (
        SELECT 1
        FROM sl_link l
        WHERE l.kind = SL_FACET
          AND (l.right_span = s.id AND l.left_span < s.id
            OR l.left_span = s.id AND l.right_span < s.id)))
SELECT id
FROM top
WHERE EXISTS (
  SELECT 1
  FROM descendants(top.id) d JOIN sl_span s ON s.id = d.span
  WHERE s.type = (SELECT id FROM sl_name WHERE name = 'trace.call'))
ORDER BY began DESC, id DESC
LIMIT 2;

-- name: tree
SELECT depth, name, path, exclusive_s, total_s, from_s
FROM call_tree(?1, NULL, ?2);
