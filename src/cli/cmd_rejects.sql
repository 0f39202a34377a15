-- SPDX-License-Identifier: Apache-2.0
-- What cmd_rejects.c asks of the store.

-- name: any
-- NULL: no source has this in its path.
SELECT sum(rejected > 0)
FROM sl_source
WHERE replaced_by IS NULL AND (instr(path || ifnull('#' || part, ''), %Q) OR %Q = '');
