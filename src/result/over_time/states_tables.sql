-- SPDX-License-Identifier: Apache-2.0
-- What states.c asks of the store.

-- name: all
SELECT * FROM occupancy(?1, ?2, ?3);

-- name: query
SELECT time_ns, span_type || '/' || event_type, spans, ended, roots, ends, width_s
FROM occupancy(?1, ?2, ?3);

-- name: grouped
SELECT name AS BY_WORD, *
FROM occupancy(?1, ?2, ?3, 'BY_WORD');

-- name: keep_groups
CREATE TEMP TABLE sl_states AS
SELECT time_ns, span_type || '/' || event_type AS state, spans, ended, ends, width_s, name
FROM occupancy(%Q, %s, %s, 'BY_WORD');

-- name: groups
SELECT name, sum(n)
FROM (SELECT name, max(ends) AS n FROM temp.sl_states GROUP BY name, state)
GROUP BY 1
ORDER BY name = '(none)', 2 DESC, 1;

-- name: of_group
SELECT time_ns, state, spans, ended, ?5, ends, width_s
FROM temp.sl_states
WHERE name = ?4
ORDER BY time_ns, state;
