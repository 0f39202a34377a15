-- SPDX-License-Identifier: Apache-2.0
-- What graph.c asks of the store. Of a part of it, ?2 is the list of its spans in ascending order;
-- CROSS JOIN: from there to the tables, by their keys.

-- name: spans
SELECT sl_query_each(?1, id, type, parent%s) FROM %s;

-- name: all_spans
sl_span NOT INDEXED
-- name: sorted_spans
(SELECT * FROM sl_span ORDER BY id)
-- name: these_spans
(
  SELECT s.id, s.type, s.parent, s.key
  FROM json_each(?2) j CROSS JOIN sl_span s ON s.id = j.value
  ORDER BY s.id)
-- name: range
-- Apart, each is one look into the tree.
SELECT sl_query_each(?1, (SELECT min(id) FROM sl_span), (SELECT max(id) FROM sl_span));

-- name: part_of_spans
SELECT sl_query_each(?1, id, type, parent)
FROM sl_span NOT INDEXED
WHERE id BETWEEN ?3 AND ?4;

-- name: part_of_links
SELECT sl_query_each(?1, left_span, kind, right_span)
FROM sl_link NOT INDEXED
WHERE left_span BETWEEN ?3 AND ?4 AND kind IN (SL_IN, SL_FACET);

-- name: links
SELECT sl_query_each(?1, left_span, kind, right_span)
FROM sl_link NOT INDEXED
WHERE kind IN (SL_IN, SL_FACET);

-- name: these_links
-- By where they lead to: what a span lies in may have very many others in it.
SELECT sl_query_each(?1, left_span, kind, right_span)
FROM (
    SELECT l.left_span, l.kind, l.right_span
    FROM json_each(?2) j
      CROSS JOIN sl_link l ON l.right_span = j.value AND l.kind IN (SL_IN, SL_FACET)
    ORDER BY 1, 2, 3);

-- name: many
-- A row where more than few spans are named in one, so that they need not be looked up to know
-- that.
SELECT sl_query_each(?1, 0, 0)
FROM (SELECT min(40000, 500 + max(id) / 128) AS few FROM sl_span) m
WHERE (
  SELECT count(*)
  FROM (SELECT 1 FROM sl_span WHERE parent = %lld LIMIT 40001)) > m.few;

-- name: closure
-- Of one span, and how many of them are few: finding one costs 15 times what loading it with all
-- others does.
SELECT sl_query_each(?1, d.span, m.few)
FROM (SELECT min(40000, 500 + max(id) / 128) AS few FROM sl_span) m CROSS JOIN descendants(%lld) d;

-- name: around
-- They, and what they lie in.
SELECT sl_query_each(?1, id)
FROM (
    SELECT value AS id
    FROM json_each(?2)
    UNION
    SELECT s.parent
    FROM json_each(?2) j CROSS JOIN sl_span s ON s.id = j.value
    WHERE s.parent IS NOT NULL
    UNION
    SELECT l.left_span
    FROM json_each(?2) j CROSS JOIN sl_link l ON l.right_span = j.value AND l.kind = SL_IN
    ORDER BY 1);
