-- SPDX-License-Identifier: Apache-2.0
-- What common.c asks of the store.

-- name: count_type
SELECT count(*)
FROM (
    SELECT 1
    FROM sl_name n CROSS JOIN sl_span s ON s.type = n.id
    WHERE n.name = %Q
    LIMIT 1);

-- name: cli_type
SELECT n.name
FROM sl_name n
WHERE substr(n.name, -length(?1) - 1) = '.' || ?1
  AND EXISTS (SELECT 1 FROM sl_span WHERE type = n.id)
ORDER BY 1;

-- name: task_type
-- As sl_task_type() (analyse/load/root_events.h), of what the span ?1 holds.
SELECT r.type
FROM sl_role r JOIN sl_name n ON n.name = r.type
WHERE r.role = 'task'
  AND EXISTS (
    SELECT 1
    FROM descendants(?1) d JOIN sl_span s ON s.id = d.span
    WHERE s.type = n.id)
ORDER BY (SELECT min(rank) FROM sl_state WHERE span_type = r.type), r.type
LIMIT 1;

-- name: rules
SELECT name
FROM sl_bind
UNION
SELECT name
FROM sl_name
WHERE id IN (
  SELECT rule
  FROM sl_link
  UNION
  SELECT rule
  FROM sl_doubt
  UNION
  SELECT rule
  FROM sl_weak);

-- name: is_within
-- A condition on a span s: it belongs to that of this number.
s.id IN (SELECT span FROM descendants(%lld))
