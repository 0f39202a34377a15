-- SPDX-License-Identifier: Apache-2.0
-- What diff.c asks of the store.

-- name: read_path
SELECT component, state, sum(end_ns - start_ns) / 1e9, min(start_ns), max(end_ns)
FROM critical_path(?1)
GROUP BY 1, 2;

-- name: tasks
SELECT ifnull((SELECT json_extract(a.vals, f.path) FROM (SELECT t.span AS id
        UNION SELECT right_span FROM sl_link WHERE left_span = t.span AND kind = SL_FACET
        UNION SELECT left_span FROM sl_link WHERE right_span = t.span AND kind = SL_FACET) v
    CROSS JOIN sl_attr a ON a.span = v.id CROSS JOIN sl_shape f ON f.id = a.shape
    WHERE f.name IN ('app', 'task_func_name', 'category') LIMIT 1), '(none)'), t.task, t.run_s
FROM task_times(?1) t
ORDER BY 1, CAST(t.task AS INTEGER), t.first_ns;
