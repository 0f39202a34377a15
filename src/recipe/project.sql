-- SPDX-License-Identifier: Apache-2.0
-- What project.c asks of the store.

-- name: digest
SELECT group_concat(t, char(10))
FROM (
    SELECT 'bind ' || quote(name) || quote(rule) AS t
    FROM sl_bind
    WHERE project = %Q
    UNION ALL
    SELECT 'lens ' || quote(kind) || quote(what) || quote(becomes) || quote(within_ns)
    FROM sl_lens
    WHERE project = %Q
    ORDER BY t);
