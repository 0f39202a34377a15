-- SPDX-License-Identifier: Apache-2.0
-- What run_state.c asks of the tables of a run (facts.sql).

-- name: seen
-- Of a run that goes on.
UPDATE temp.run SET seen_ns = max(seen_ns, 1000000000 * strftime('%s', 'now'));

-- name: logs
-- Paths of what lies where the workflow's own log does.
WITH
  it(id) AS (
    SELECT workflow
    FROM temp.run
    UNION
    SELECT right_span
    FROM sl_link, temp.run
    WHERE left_span = workflow AND kind = SL_FACET
    UNION
    SELECT left_span
    FROM sl_link, temp.run
    WHERE right_span = workflow AND kind = SL_FACET),
  own(folder) AS (
    SELECT DISTINCT rtrim(o.path, replace(o.path, '/', ''))
    FROM it JOIN sl_span s USING (id) JOIN sl_source o ON o.id = s.source
    WHERE o.part ISNULL)
SELECT DISTINCT o.path
FROM own JOIN sl_source o ON substr(o.path, 1, length(folder)) = folder;
