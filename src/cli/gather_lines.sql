-- SPDX-License-Identifier: Apache-2.0
-- What log_lines.c asks of the store.

-- name: sources_near
-- The files that say something below a span, and what lies in the same run directory.
WITH
  s(source) AS (
    SELECT DISTINCT e.source
    FROM descendants(%lld) d JOIN sl_event e ON e.span = d.span),
  h(scope) AS (
    SELECT DISTINCT scope
    FROM sl_shared
      JOIN sl_source
        ON sl_source.id IN (SELECT source FROM s)
          AND substr(path, 1, length(scope) + 1) = scope || '/')
SELECT source
FROM s
UNION
SELECT id
FROM sl_source, h
WHERE substr(path, 1, length(scope) + 1) = scope || '/';
