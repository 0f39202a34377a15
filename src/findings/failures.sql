-- SPDX-License-Identifier: Apache-2.0
-- What failures.c asks of the facts.

-- name: failures
-- Exceptions are alike by their class, what stands before the bracket; name and exception are of
-- one of the tasks; without one, how it ended, such as 'cancelled'. Lost is what it ran on workers
-- in vain.
WITH
  f AS (
    SELECT f.*, coalesce(f.exception, iif(t.ended IN ('failed', 'done'), NULL, t.ended)) AS why, t.*
    FROM temp.failure f JOIN temp.task t ON t.span = f.task)
SELECT count(*), sum(tries), sum(ended IS 'done'), sum(ended IS 'failed'), round(sum(vain_s), 9),
  app, host, name, max(why), unit
FROM f
GROUP BY app, host, substr(why, 1, instr(why || '(', '(') - 1)
ORDER BY 5 DESC, 1 DESC;

-- name: dependents
SELECT count(*), t.name, ifnull(t.exception, 'nothing says'), t.unit
FROM temp.never_ran n JOIN temp.task t ON t.span = n.because
GROUP BY t.span
ORDER BY 1 DESC, t.span;
