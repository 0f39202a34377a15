-- SPDX-License-Identifier: Apache-2.0
-- What relations.c asks of the store.

-- name: links
SELECT sl_query_each(?1, left_span, kind, right_span, rule, confidence)
FROM sl_link NOT INDEXED;

-- name: these_links
-- By where they lead to, as in graph.sql; ?2 is the list of spans.
SELECT sl_query_each(?1, l.left_span, l.kind, l.right_span, l.rule, l.confidence)
FROM json_each(?2) j
CROSS JOIN sl_link l ON l.right_span = j.value;
