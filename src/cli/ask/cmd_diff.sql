-- SPDX-License-Identifier: Apache-2.0
-- What cmd_diff.c asks of the store.

-- name: has_type
SELECT 1
FROM descendants(%lld) d
JOIN sl_span s ON s.id = d.span
JOIN sl_name n ON n.id = s.type
WHERE n.name = %Q
LIMIT 1;
