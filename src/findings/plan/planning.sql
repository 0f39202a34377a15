-- SPDX-License-Identifier: Apache-2.0
-- What planning.c asks of the tables of a run (facts.sql).

-- name: nodes
-- On how many nodes workers were, and for how long in all.
SELECT nullif(count(*), 0), sum(to_ns - from_ns) / 3.6e12
FROM (
    SELECT min(from_ns) AS from_ns, max(to_ns) AS to_ns
    FROM temp.worker
    WHERE from_ns NOTNULL AND to_ns NOTNULL
    GROUP BY coalesce(host, manager, block, 'one'));

-- name: pools
-- Of each pool: its places, for how many more its nodes have CPUs, NULL: no log tells, and how many
-- these nodes are.
SELECT pool, places, room,
  (SELECT count(DISTINCT coalesce(host, manager, block, 'one')) FROM temp.worker w
   WHERE w.pool = pool.pool)
FROM temp.pool;
