-- SPDX-License-Identifier: Apache-2.0
-- What run_names.c asks of the store.

-- name: run
SELECT s.key, coalesce((SELECT min(scope) FROM sl_shared WHERE value = s.key), (SELECT max(value) FROM attributes WHERE span = s.id AND name = 'rundir'),
    iif(s.key LIKE '/%', s.key, ''))
FROM sl_span s
WHERE s.id = ?1;
