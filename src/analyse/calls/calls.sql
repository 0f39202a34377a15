-- SPDX-License-Identifier: Apache-2.0
-- What calls.c asks of the store.

-- name: attribute
-- Materialized, because `attributes` is a union, of which SQLite would read all where an aggregate
-- joins it.
WITH
  a AS MATERIALIZED (
    SELECT a.span, a.value
    FROM %s s CROSS JOIN attributes a ON a.span = s.id
    WHERE a.name = '%s')
SELECT sl_query_each(?1, span, value)
FROM a;

-- name: of_all
(
  SELECT id
  FROM sl_span
  WHERE type = (SELECT id FROM sl_name WHERE name = '%s'))
-- name: of_these
-- A subquery, not a join: see find_span.sql.
(
  SELECT value AS id
  FROM json_each(?2)
  WHERE (SELECT type FROM sl_span WHERE id = value) = (SELECT id FROM sl_name WHERE name = '%s'))
