-- SPDX-License-Identifier: Apache-2.0
-- What failures.c asks of the facts.

-- name: failures
-- Exceptions are alike by their class, what stands before the bracket; name and exception are of one of the tasks.  Lost is what it ran
-- on workers in vain.
SELECT count(*), sum(tries), sum(ended IS 'done'), sum(ended IS 'failed'), round(sum(vain_s), 9), app, f.host, name, max(f.exception), unit
FROM temp.failure f
JOIN temp.task t ON t.span = f.task
GROUP BY app, f.host, substr(f.exception, 1, instr(f.exception || '(', '(') - 1)
ORDER BY 5 DESC, 1 DESC;

-- name: dependents
SELECT count(*), t.name, ifnull(t.exception, 'nothing says'), t.unit
FROM temp.never_ran n
JOIN temp.task t ON t.span = n.because
GROUP BY t.span
ORDER BY 1 DESC, t.span;
