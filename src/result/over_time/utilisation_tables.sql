-- SPDX-License-Identifier: Apache-2.0
-- What utilisation.c asks of the store.

-- name: types
SELECT r.type
FROM sl_role r JOIN sl_name n ON n.name = r.type
WHERE r.role = 'worker'
  AND EXISTS (
    SELECT 1
    FROM sl_span s
    WHERE s.type = n.id AND (?1 IS NULL OR s.id IN (SELECT span FROM descendants(?1))))
ORDER BY 1;

-- name: all
SELECT * FROM utilisation(?1, ?2, ?3);

-- name: bins
SELECT time_ns, workers, busy, running, width_s
FROM utilisation(?1, ?2, ?3);

-- name: grid
SELECT time_ns, width_s, workers
FROM utilisation(?1, ?2, ?3);

-- name: runs
-- Workers are grouped, or, by app and type, what they ran.
SELECT r.worker, r.from_ns, r.to_ns, r.span IS NOT NULL, ifnull(g.BY_WORD, '(none)')
FROM worker_runs(?1, ?3) r
  LEFT JOIN span_groups() g
    ON g.span = iif('BY_WORD' IN ('app', 'type'), ifnull(r.span, r.worker), r.worker);
