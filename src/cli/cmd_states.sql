-- SPDX-License-Identifier: Apache-2.0
-- What cmd_states.c asks of the store.

-- name: query
SELECT time_ns, span_type || '/' || event_type, spans, ended, roots, ends
FROM occupancy(?1, ?2, ?3);
