-- SPDX-License-Identifier: Apache-2.0
-- What diff.c asks of the store.

-- name: read_path
SELECT component, state, sum(end_ns - start_ns) / 1e9, min(start_ns), max(end_ns)
FROM critical_path(?1)
GROUP BY 1, 2;

-- name: tasks
SELECT ifnull(g.app, '(none)'), t.task, t.run_s
FROM task_times(?1) t
LEFT JOIN span_groups() g ON g.span = t.span
ORDER BY 1, CAST(t.task AS INTEGER), t.first_ns;
