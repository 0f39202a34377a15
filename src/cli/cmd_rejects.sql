-- SPDX-License-Identifier: Apache-2.0
-- What cmd_rejects.c asks of the store.

-- name: run
SELECT sum(rejected > 0)
FROM sl_source
WHERE replaced_by IS NULL AND (instr(path || ifnull('#' || part, ''), %Q) OR %Q = '');

-- name: run_2
SELECT count(*) AS records, reason, path
FROM rejects
WHERE instr(path, ?1) OR ?1 = ''
GROUP BY path, reason
ORDER BY 1 DESC, path;

-- name: run_3
SELECT path || ':' || place AS place, reason, text
FROM rejects
WHERE instr(path, ?1) OR ?1 = ''
ORDER BY path, rejects.place;
