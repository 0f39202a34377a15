-- SPDX-License-Identifier: Apache-2.0
-- What cmd_rate.c asks of the store.

-- name: show_kinds
SELECT n.name, m.name
FROM sl_seen s
JOIN sl_name n ON n.id = s.type
JOIN sl_name m ON m.id = s.what
WHERE s.kind = 1
ORDER BY 1, 2;

-- name: event_rate
WITH RECURSIVE b(i, n) AS MATERIALIZED (SELECT time_ns / %lld - (time_ns %% %lld < 0), count(*) FROM (%s
) WHERE
    time_ns IS NOT NULL GROUP BY 1), f(i) AS (SELECT min(i) FROM b UNION ALL SELECT i + 1 FROM f WHERE i < (SELECT
    max(i) FROM b))
SELECT f.i * %lld, ifnull(n, 0)
FROM f
LEFT JOIN b USING (i)
ORDER BY 1;
