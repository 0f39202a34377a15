-- SPDX-License-Identifier: Apache-2.0
-- What graph.c asks of the store.

-- name: links
SELECT sl_query_each(?1, left_span, kind, right_span)
FROM sl_link NOT INDEXED
WHERE kind IN (SL_IN, SL_FACET);
