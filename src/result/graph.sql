-- SPDX-License-Identifier: Apache-2.0
-- What graph.c asks of the store.

-- name: chosen
-- The closure of the spans of a type (?1), in a run (?2) where it is given; or of the run.  One recursion for all.
RECURSIVE t(span) AS (SELECT s.id FROM sl_name n JOIN sl_span s ON s.type = n.id WHERE n.name = ?1 AND (?2 IS NULL OR
    s.id IN (SELECT span FROM descendants(?2))) UNION SELECT s.id FROM t JOIN sl_span s ON s.parent = t.span UNION
    SELECT right_span FROM t JOIN sl_link ON left_span = t.span AND kind IN (SL_IN, SL_FACET) UNION SELECT left_span
    FROM t JOIN sl_link ON right_span = t.span AND kind = SL_FACET), c(span) AS MATERIALIZED (SELECT span FROM t
    WHERE ?1 IS NOT NULL UNION ALL SELECT span FROM descendants(?2) WHERE ?1 IS NULL),

-- name: types
WITH %sg(type, n) AS (SELECT s.type, count(*) FROM sl_span s WHERE %s GROUP BY 1)
SELECT n.name, g.n
FROM g
JOIN sl_name n ON n.id = g.type
ORDER BY 1;

-- name: relations
-- Facets have no direction: their types stand in the order of the alphabet.
WITH %se(kind, a, b) AS (SELECT SL_IN, s.parent, s.id FROM sl_span s WHERE s.parent IS NOT NULL AND NOT EXISTS (SELECT
    1 FROM sl_link WHERE left_span = s.parent AND kind = SL_IN AND right_span = s.id) UNION ALL SELECT kind,
    left_span, right_span FROM sl_link), g(kind, a, b, n) AS (SELECT e.kind, x.type, y.type, count(*) FROM e JOIN
    sl_span x ON x.id = e.a JOIN sl_span y ON y.id = e.b WHERE %s GROUP BY 1, 2, 3)
SELECT kind, iif(kind = SL_FACET, min(n.name, m.name), n.name), iif(kind = SL_FACET, max(n.name, m.name), m.name),
    sum(g.n)
FROM g
JOIN sl_name n ON n.id = g.a
JOIN sl_name m ON m.id = g.b
GROUP BY 1, 2, 3
ORDER BY 1, 2, 3;
