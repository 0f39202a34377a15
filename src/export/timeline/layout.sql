-- SPDX-License-Identifier: Apache-2.0
-- What layout.c asks of the store.

-- Which types of spans are work; the others are places that work lies in. Work are tasks and their
-- attempts, types that nothing is named in, and what is named in work; but workflows, workers and
-- what was measured are places.

-- name: work_types
WITH
  named(super, sub) AS MATERIALIZED (
    SELECT DISTINCT p.type, s.type
    FROM sl_exported x CROSS JOIN sl_span s ON s.id = x.id LEFT JOIN sl_span p ON p.id = s.parent),
  role(type, role) AS (SELECT n.id, r.role FROM sl_role r JOIN sl_name n ON n.name = r.type),
  work(type) AS (
    SELECT type
    FROM role
    WHERE role IN ('task', 'attempt')
    UNION
    SELECT sub
    FROM named a
    WHERE NOT EXISTS (SELECT 1 FROM named b WHERE b.super = a.sub AND b.sub <> a.sub)
      AND sub NOT IN (SELECT type FROM role WHERE role IN ('workflow', 'worker'))
      AND sub NOT IN (SELECT s.type FROM sl_sample m JOIN sl_span s ON s.id = m.span)
    UNION
    SELECT n.sub
    FROM work w JOIN named n ON n.super = w.type
    WHERE n.sub NOT IN (SELECT type FROM role WHERE role = 'worker'))
SELECT type
FROM work
WHERE type IN (SELECT sub FROM named);

-- name: times
SELECT span, time_ns FROM sl_event ORDER BY span, time_ns;

-- name: times_of_part
SELECT e.span, e.time_ns
FROM sl_exported x CROSS JOIN sl_event e ON e.span = x.id
ORDER BY x.id, e.time_ns;
