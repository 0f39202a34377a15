-- SPDX-License-Identifier: Apache-2.0
-- What diff.c asks of the store.

-- name: read_path
SELECT component, state, sum(end_ns - start_ns) / 1e9, min(start_ns), max(end_ns)
FROM critical_path(?1)
GROUP BY 1, 2;
