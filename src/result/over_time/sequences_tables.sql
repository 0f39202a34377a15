-- SPDX-License-Identifier: Apache-2.0
-- What sequences.c asks of the store.

-- name: all
SELECT * FROM event_sequences(?1, ?2);

-- name: most_common
SELECT * FROM event_sequences(?1, ?2) WHERE sequence = 1;

-- name: orderings
SELECT *, orderings, roots, name
FROM event_sequences(?1, ?2, ?3);

-- name: grouped
SELECT name AS BY_WORD, *
FROM event_sequences(?1, ?2, 'BY_WORD')
WHERE sequence = 1 OR ?4;

-- name: left_out
-- The right side of facets first: it is where a database that came beside the log has put the log's
-- spans.
SELECT count(*)
FROM %s
WHERE s.type = (SELECT id FROM sl_name WHERE name = ?1)
  AND NOT EXISTS (SELECT 1 FROM sl_link WHERE kind = SL_FACET AND right_span = s.id)
  AND NOT EXISTS (SELECT 1 FROM sl_link WHERE kind = SL_FACET AND left_span = s.id) %s;

-- name: of_type
sl_span s
-- name: of_run
descendants(?2) d CROSS JOIN sl_span s ON s.id = d.span
-- name: in_run
AND s.id IN (SELECT span FROM descendants(?2))
-- name: is_large
SELECT count(*) > 5000
FROM (SELECT 1 FROM descendants(%lld) LIMIT 5001);
