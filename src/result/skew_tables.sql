-- SPDX-License-Identifier: Apache-2.0
-- What skew.c asks of the store.

-- name: skew
-- Of sources that tell of spans of the run ?1; NULL: of all.
SELECT *
FROM clock_skew()
WHERE ?1 IS NULL
  OR source IN (
    SELECT s.source
    FROM descendants(?1) d JOIN sl_span s ON s.id = d.span
    UNION
    SELECT e.source
    FROM descendants(?1) d JOIN sl_event e ON e.span = d.span);

-- name: by_path
SELECT *
FROM clock_skew()
WHERE ?1 IS NULL
  OR source IN (
    SELECT s.source
    FROM descendants(?1) d JOIN sl_span s ON s.id = d.span
    UNION
    SELECT e.source
    FROM descendants(?1) d JOIN sl_event e ON e.span = d.span)
ORDER BY source <> reference, path;
