-- SPDX-License-Identifier: Apache-2.0
-- What utilisation.c asks of the store.

-- name: handed
-- When a record said that a worker of the type has a span.  %s: how far its clock is off.
SELECT sl_query_each(?1, l.left_span, l.right_span, e.time_ns%s)
FROM sl_span w
CROSS JOIN sl_link l ON l.left_span = w.id AND l.kind = SL_IN
CROSS JOIN sl_event e ON e.span = l.right_span AND e.source = l.source AND e.place = l.place
WHERE w.type = (SELECT id FROM sl_name WHERE name = %Q);
