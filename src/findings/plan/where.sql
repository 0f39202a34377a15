-- SPDX-License-Identifier: Apache-2.0
-- What where.c asks of the tables of a run.

-- name: script
-- Of the run: its script's name, and the first log that tells of it.
SELECT a.value, s.path
FROM attributes a
  CROSS JOIN sl_event e ON e.span = a.span
  CROSS JOIN sources s ON s.id = e.source
WHERE a.span = (SELECT workflow FROM temp.run) AND a.name = 'workflow_name'
ORDER BY e.time_ns
LIMIT 1;
