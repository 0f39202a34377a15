-- SPDX-License-Identifier: Apache-2.0
-- What states.c asks of the store.

-- name: all
SELECT *
FROM occupancy(?1, ?2, ?3);

-- name: query
SELECT time_ns, span_type || '/' || event_type, spans, ended, roots, ends, width_s
FROM occupancy(?1, ?2, ?3);
