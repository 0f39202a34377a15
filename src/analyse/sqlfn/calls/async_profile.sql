-- SPDX-License-Identifier: Apache-2.0
-- What async_profile.c asks of the store: the rows, of what one of the first two says.

-- name: of_all
-- Calls are looked at only where there is an asynchronous span that one of them may run.
WITH
  async AS MATERIALIZED (
    SELECT s.id, s.key, s.parent, min(iif(e.type = 'begin', e.time_ns, NULL)) AS begin,
      max(iif(e.type = 'end', e.time_ns, NULL)) AS end
    FROM spans s JOIN events e ON e.span = s.id
    WHERE s.type = 'trace.async'
    GROUP BY s.id),
  id(span, value) AS MATERIALIZED (
    SELECT i.span, i.value
    FROM (SELECT 1 FROM async LIMIT 1) CROSS JOIN attributes i
    WHERE i.name = 'id')

-- name: of_these
-- ?1: a list of spans.  They run in calls of these, or of their own processes and what these started.  Subqueries, not
-- joins: see find_span.sql.
WITH
  inside(id) AS MATERIALIZED (
    SELECT DISTINCT d.span FROM json_each(?1) j CROSS JOIN descendants(j.value) d),
  async AS MATERIALIZED (
    SELECT x.id, (SELECT key FROM sl_span WHERE id = x.id) AS key,
      (SELECT parent FROM sl_span WHERE id = x.id) AS parent,
      min(iif(e.type = 'begin', e.time_ns, NULL)) AS begin,
      max(iif(e.type = 'end', e.time_ns, NULL)) AS end
    FROM inside x CROSS JOIN events e ON e.span = x.id
    WHERE
      (SELECT type FROM sl_span WHERE id = x.id)
        = (SELECT id FROM sl_name WHERE name = 'trace.async')
    GROUP BY x.id),
  around(id) AS MATERIALIZED (
    SELECT x.id
    FROM (SELECT 1 FROM async LIMIT 1) CROSS JOIN inside x
    UNION
    SELECT d.span
    FROM (SELECT parent AS id FROM async EXCEPT SELECT id FROM inside) p
      CROSS JOIN descendants(p.id) d),
  id(span, value) AS MATERIALIZED (
    SELECT i.span, i.value
    FROM around x CROSS JOIN attributes i ON i.span = x.id
    WHERE i.name = 'id')

-- name: rows
-- Keys of spans are "NAME ID".  What ran is added up by ids that are whole numbers, or texts of such: an index for the
-- join of the two wants both sides to be numbers.  No aggregate in the query that joins `attributes`: that is
-- a union, of which SQLite would read all.
,
named AS (
  SELECT a.*,
    coalesce(
      (SELECT n.value FROM attributes n WHERE n.span = a.id AND n.name = 'name' ORDER BY 1 LIMIT 1),
      a.key) AS name
  FROM async a),
ran AS MATERIALIZED (
  SELECT CAST(CAST(i.value AS NUMERIC) AS INTEGER) AS id, sum(f.time_ns - b.time_ns) AS ns
  FROM id i
    CROSS JOIN events b ON b.span = i.span AND b.type = 'begin'
    CROSS JOIN events f ON f.span = i.span AND f.type = 'end'
  WHERE CAST(CAST(i.value AS NUMERIC) AS INTEGER) = i.value
    AND (SELECT type FROM sl_span WHERE id = i.span)
      = (SELECT id FROM sl_name WHERE name = 'trace.call')
  GROUP BY 1),
whole AS (
  SELECT n.name, n.end - n.begin AS ns, r.ns AS ran
  FROM named n
    LEFT JOIN ran r ON r.id = CAST(substr(n.key, length(n.name) + 2) AS INTEGER)
      AND n.end - n.begin IS NOT NULL)
SELECT name, count(*), count(*) - count(ns), total(ns) / 1e9, sum(ran) / 1e9,
  sum(iif(ran IS NOT NULL, ns - ran, NULL)) / 1e9, avg(ns) / 1e9, max(ns) / 1e9
FROM whole
GROUP BY name
ORDER BY 6 DESC NULLS LAST, 4 DESC, name;
