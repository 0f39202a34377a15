-- SPDX-License-Identifier: Apache-2.0
-- What common.c asks of the store.

-- name: count_type
SELECT count(*)
FROM (SELECT 1 FROM sl_name n CROSS JOIN sl_span s ON s.type = n.id WHERE n.name = %Q LIMIT 1);

-- name: cli_type
SELECT n.name
FROM sl_name n
WHERE substr(n.name, -length(?1) - 1) = '.' || ?1 AND EXISTS (SELECT 1 FROM sl_span WHERE type = n.id)
ORDER BY 1;
