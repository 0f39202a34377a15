-- SPDX-License-Identifier: Apache-2.0
-- What cmd_sequences.c asks of the store.

-- name: run_table
SELECT sequence, count, position, cumulative_s, mean_s, min_s, max_s, orderings, roots, span_type, event_type
FROM event_sequences(?1, ?3);

-- name: say_left_out
SELECT count(*)
FROM sl_span s
JOIN sl_name n ON n.id = s.type
WHERE n.name = %Q AND NOT EXISTS (SELECT 1 FROM sl_link WHERE kind = SL_FACET AND left_span = s.id) AND
    NOT EXISTS (SELECT 1 FROM sl_link WHERE kind = SL_FACET AND right_span = s.id);
