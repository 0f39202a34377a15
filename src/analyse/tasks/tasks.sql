-- SPDX-License-Identifier: Apache-2.0
-- What tasks.c asks of the store.

-- name: waits
SELECT sl_query_each(?1, left_span, kind, right_span)
FROM sl_link NOT INDEXED
WHERE kind IN (SL_AFTER, SL_FLOW);

-- name: these_waits
SELECT sl_query_each(?1, l.left_span, l.kind, l.right_span)
FROM json_each(?2) j
CROSS JOIN sl_link l ON l.left_span = j.value AND l.kind IN (SL_AFTER, SL_FLOW);
