-- SPDX-License-Identifier: Apache-2.0
-- What cmd_rejects.c asks of the store.

-- name: known
SELECT count(*)
FROM sl_source
WHERE replaced_by IS NULL AND instr(path || ifnull('#' || part, ''), %Q);
