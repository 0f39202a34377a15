-- SPDX-License-Identifier: Apache-2.0
-- What cmd_links.c asks of the store.

-- name: overview
-- By rule: how many, and between what; to be read as `spanloom bind` is: left in right.
WITH l AS (SELECT kind, iif(kind = 'in', right_span, left_span) AS left_span, iif(kind = 'in', left_span,
    right_span) AS right_span, rule, confidence FROM links WHERE rule <> 'name'), d AS (SELECT kind, iif(kind =
    'in', right_span, left_span) AS left_span, iif(kind = 'in', left_span, right_span) AS right_span, rule FROM
    doubts), t AS (SELECT l.kind, a.type AS left_type, b.type AS right_type, l.rule, count(*) AS links, 0 AS
    doubtful, min(l.confidence) AS confidence FROM l JOIN spans a ON a.id = l.left_span JOIN spans b ON b.id =
    l.right_span GROUP BY 1, 2, 3, 4 UNION ALL SELECT d.kind, a.type, b.type, d.rule, 0, count(DISTINCT
    d.left_span), NULL FROM d JOIN spans a ON a.id = d.left_span JOIN spans b ON b.id = d.right_span GROUP BY 1, 2,
    3, 4)
SELECT left_type, kind, right_type, rule, sum(links) AS links, sum(doubtful) AS doubtful, max(confidence) AS
    confidence
FROM t
GROUP BY 1, 2, 3, 4
ORDER BY 2, 1, 3, 4;
