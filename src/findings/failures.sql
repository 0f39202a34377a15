-- SPDX-License-Identifier: Apache-2.0
-- What failures.c asks of the facts.

-- name: failures
-- Exceptions are alike by their class, what stands before the bracket; name and exception are of one of the tasks.  Lost is what it ran
-- on workers in vain.
WITH failed AS (SELECT task, count(*) AS tries, max(number) AS number FROM temp.attempt WHERE failed AND exception IS NOT 'dep_fail' GROUP BY 1),
each AS (SELECT t.span, t.app, coalesce(x.host, t.host) AS host, t.name, t.ended, f.tries, coalesce(x.exception, t.exception) AS exception,
        t.vain_s AS lost_s
    FROM failed f JOIN temp.task t ON t.span = f.task LEFT JOIN temp.attempt x ON x.task = f.task AND x.number = f.number WHERE t.ended IS NOT 'dependency failed'
    UNION ALL SELECT t.span, t.app, t.host, t.name, t.ended, 1, t.exception, t.vain_s FROM temp.task t
    WHERE t.ended NOT IN ('done', 'dependency failed') AND t.span NOT IN (SELECT task FROM failed) AND t.span NOT IN (SELECT task FROM temp.lost)
    UNION ALL SELECT t.span, t.app, coalesce(l.host, t.host), t.name, t.ended, count(*), 'its worker was lost', t.vain_s FROM temp.lost l JOIN temp.task t ON t.span = l.task
    WHERE l.task NOT IN (SELECT task FROM failed) GROUP BY l.task)
SELECT count(*), sum(tries), sum(ended IS 'done'), sum(ended IS 'failed'), round(sum(lost_s), 9), app, host, name, max(exception)
FROM (SELECT *, substr(exception, 1, instr(exception || '(', '(') - 1) AS kind FROM each)
GROUP BY app, host, kind
ORDER BY 5 DESC, 1 DESC;

-- name: dependents
WITH RECURSIVE never AS MATERIALIZED (SELECT span FROM temp.task WHERE ended = 'dependency failed'),
view(task, span) AS (SELECT span, span FROM never UNION SELECT d.span, l.right_span FROM never d CROSS JOIN sl_link l ON l.left_span = d.span AND l.kind = SL_FACET
    UNION SELECT d.span, l.left_span FROM never d CROSS JOIN sl_link l ON l.right_span = d.span AND l.kind = SL_FACET),
other(task, span) AS (SELECT v.task, l.right_span FROM view v CROSS JOIN sl_link l ON l.left_span = v.span AND l.kind = SL_AFTER),
wait AS MATERIALIZED (SELECT task AS waits, span AS of FROM other UNION SELECT o.task, l.right_span FROM other o CROSS JOIN sl_link l ON l.left_span = o.span AND l.kind = SL_FACET
    UNION SELECT o.task, l.left_span FROM other o CROSS JOIN sl_link l ON l.right_span = o.span AND l.kind = SL_FACET),
up(task, root) AS (SELECT waits, of FROM wait UNION SELECT up.task, w.of FROM up JOIN wait w ON w.waits = up.root)
-- Each for the first of those before it that failed.
SELECT count(*), t.name, ifnull(t.exception, 'nothing says')
FROM (SELECT up.task, x.span, row_number() OVER (PARTITION BY up.task ORDER BY x.done_ns, x.span) AS n FROM up JOIN temp.task x ON x.span = up.root AND x.ended = 'failed') f
JOIN temp.task t ON t.span = f.span
WHERE n = 1
GROUP BY t.span
ORDER BY 1 DESC, t.span;
