-- SPDX-License-Identifier: Apache-2.0
-- What cmd_forget.c asks of the store.

-- name: sources
DELETE FROM sl_old_event
WHERE source IN (SELECT id FROM temp.sl_retracted);
UPDATE sl_source
SET replaced_by = NULL
WHERE replaced_by IN (SELECT id FROM temp.sl_retracted);
DELETE FROM sl_source
WHERE id IN (SELECT id FROM temp.sl_retracted)

-- name: one_path
SELECT DISTINCT path
FROM sl_source
WHERE id IN (SELECT id FROM temp.sl_retracted)
ORDER BY path;
