-- SPDX-License-Identifier: Apache-2.0
-- What states.c asks of the store.

-- name: all
SELECT *
FROM occupancy(?1, ?2, ?3);

-- name: range
SELECT first_ns, last_ns
FROM occupancy(?1, 9e9, ?3)
LIMIT 1;

-- name: query
SELECT time_ns, span_type || '/' || event_type, spans, ended, roots, ends
FROM occupancy(?1, ?2, ?3);
