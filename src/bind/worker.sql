-- SPDX-License-Identifier: Apache-2.0
-- What worker.c asks of the store.

-- name: worker_tasks
-- ---- a worker, and its tasks ----
SELECT t.id, (SELECT min(time_ns) FROM events WHERE span = t.id AND type = 'worker_received_task') AS b, (SELECT
    max(time_ns) FROM events WHERE span = t.id AND type IN ('worker_completed_task', 'worker_all_finished_task'))
FROM sl_span m
JOIN sl_name mn ON mn.id = m.type AND mn.name = 'parsl.executor.htex.manager'
JOIN sl_span w ON w.parent = m.id AND w.key = ?2
JOIN sl_name wn ON wn.id = w.type AND wn.name = 'parsl.executor.htex.worker'
JOIN sl_span t ON t.parent = w.id
JOIN sl_name tn ON tn.id = t.type AND tn.name = 'parsl.executor.htex.worker.task'
WHERE m.key = ?1
ORDER BY b;

-- name: worker_pids
SELECT DISTINCT CAST(a.value AS TEXT)
FROM sl_span m
JOIN sl_name mn ON mn.id = m.type AND mn.name = 'parsl.executor.htex.manager'
JOIN sl_span w ON w.parent = m.id AND w.key = ?2
JOIN sl_name wn ON wn.id = w.type AND wn.name = 'parsl.executor.htex.worker'
JOIN attributes a ON a.span = w.id AND a.name = 'pid'
WHERE m.key = ?1;

-- name: outermost
SELECT c.id, c.b, coalesce(c.e, c.b)
FROM (%s) c
WHERE NOT EXISTS (SELECT 1 FROM sl_link k JOIN sl_span o ON o.id = k.left_span WHERE k.right_span = c.id AND k.kind
    = SL_IN AND o.type = (SELECT id FROM sl_name WHERE name = 'trace.call'));
