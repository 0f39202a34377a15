-- SPDX-License-Identifier: Apache-2.0
-- What sequences.c asks of the store.

-- name: all
SELECT *
FROM event_sequences(?1, ?2);

-- name: most_common
SELECT *
FROM event_sequences(?1, ?2)
WHERE sequence = 1;

-- name: orderings
SELECT *, orderings, roots
FROM event_sequences(?1, ?2);

-- name: left_out
SELECT count(*)
FROM sl_span s
JOIN sl_name n ON n.id = s.type
WHERE n.name = %Q AND NOT EXISTS (SELECT 1 FROM sl_link WHERE kind = SL_FACET AND left_span = s.id) AND
    NOT EXISTS (SELECT 1 FROM sl_link WHERE kind = SL_FACET AND right_span = s.id);
