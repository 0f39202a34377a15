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
-- Of each pool: its places, and how many more its nodes have CPUs for; NULL: no log tells. Tasks
-- that wait for files or servers leave their CPU to others: what was read of them says how much.
WITH
  computed AS (
    SELECT max(0.1, min(1, sum(cpu_s) / sum(seen_s))) AS share
    FROM used
    WHERE readings > 1
    HAVING count(*) >= 4 AND sum(seen_s) > 0)
SELECT pool, places,
  max(0, cpus / ifnull((SELECT share FROM computed), 1) - places - ifnull(beside, 0)),
  (SELECT count(DISTINCT coalesce(host, manager, block, 'one')) FROM temp.worker w
   WHERE w.pool = pool.pool)
FROM temp.pool;
