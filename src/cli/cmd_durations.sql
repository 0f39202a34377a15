-- SPDX-License-Identifier: Apache-2.0
-- What cmd_durations.c asks of the store.

-- name: plot
WITH q(a, b) AS (%s
)
SELECT sum(abs(sl_number(b, 2)) / %s > %d), count(b)
FROM q
WHERE abs(sl_number(a, 1)) / %s > %d AND a NOTNULL;

-- name: take_columns
SELECT *, sl_number("end", 'end') - sl_number("start", 'start') AS duration_s, "start" AS start_ns, "end" AS end_ns
FROM (%s
);
