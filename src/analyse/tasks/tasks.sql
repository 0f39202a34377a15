-- SPDX-License-Identifier: Apache-2.0
-- What tasks.c asks of the store.

-- name: waits
SELECT sl_query_each(?1, left_span, kind, right_span)
FROM sl_link NOT INDEXED
WHERE kind IN (SL_AFTER, SL_FLOW);
