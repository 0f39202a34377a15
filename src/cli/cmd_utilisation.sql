-- SPDX-License-Identifier: Apache-2.0
-- What cmd_utilisation.c asks of the store.

-- name: find_type
SELECT r.type
FROM sl_role r
JOIN sl_name n ON n.name = r.type
WHERE r.role = 'worker' AND EXISTS (SELECT 1 FROM sl_span WHERE type = n.id)
ORDER BY 1;
