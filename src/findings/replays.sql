-- SPDX-License-Identifier: Apache-2.0
-- What replays.c asks.

-- name: replays
-- What a finding says besides, and whether it is a number of seconds for some changes.
SELECT key, value, typeof(key) = 'text' AND type IN ('integer', 'real')
FROM json_each(?1);

-- name: doubts
-- Why replays are in doubt, where the run comes out otherwise with nothing changed, by ?1 of
-- itself: in words, a row each.
SELECT printf('with nothing changed the run comes out %.2g %% %s',
    abs(?1) * 100,
    iif(?1 > 0,
      'longer than it was',
      'shorter than it was, as tasks waited while workers were free'))
UNION ALL
SELECT printf('of %d of %d tasks no log says on which worker they ran', n, all_n)
FROM (
    SELECT count(*) FILTER (WHERE worker ISNULL) AS n, count(*) AS all_n
    FROM temp.task
    WHERE runs > 0)
WHERE n > 0.05 * all_n
UNION ALL
SELECT printf('clocks of logs are off by up to %.3g s', most_s)
FROM (SELECT max(abs(offset_s)) AS most_s FROM clock_skew()), temp.run
WHERE most_s > 0.02 * makespan_s;
