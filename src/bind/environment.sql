-- SPDX-License-Identifier: Apache-2.0
-- What environment.c asks of the store.

-- name: by_sandbox
SELECT t.id, (SELECT min(time_ns) FROM events WHERE span = t.id AND type = 'RUNNING'), (SELECT max(time_ns) FROM
    events WHERE span = t.id AND type IN (%s))
FROM sl_span t
JOIN sl_name n ON n.id = t.type
WHERE n.name = '%s' AND t.key = ?1;

-- name: by_job
SELECT j.id
FROM sl_span j
JOIN sl_name n ON n.id = j.type
JOIN sl_span c ON c.id = j.parent
WHERE n.name = 'slurm.job' AND j.key = ?1 AND (?2 IS NULL OR c.key IN (?2, 'slurm'));
