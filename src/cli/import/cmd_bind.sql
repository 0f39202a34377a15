-- SPDX-License-Identifier: Apache-2.0
-- What cmd_bind.c asks of the store.

-- name: list
-- All that is bound or could be, by name.
WITH
  b AS (
    SELECT name, rule, ifnull(project, 'by hand') AS origin
    FROM sl_bind
    UNION ALL
    SELECT name, rule, origin
    FROM temp.built_in
    UNION ALL
    SELECT rule, NULL, NULL
    FROM sl_unbound
    WHERE rule NOT IN (SELECT name FROM temp.built_in))
SELECT b.name,
  iif(EXISTS (SELECT 1 FROM sl_unbound u WHERE u.rule = b.name), 'no', 'yes') AS bound,
  (SELECT count(*) FROM sl_link WHERE rule = n.id) AS links,
  (SELECT count(*) FROM sl_doubt WHERE rule = n.id) AS doubts,
  b.origin,
  iif(?1 = 'people' AND length(b.rule) > 100, substr(b.rule, 1, 97) || '...', b.rule) AS rule
FROM b LEFT JOIN sl_name n ON n.name = b.name
ORDER BY 1;

-- name: types_of
WITH
  t AS (
    SELECT name
    FROM sl_name n
    WHERE (name = ?1 OR substr(name, -length(?1) - 1) = '.' || ?1)
      AND EXISTS (SELECT 1 FROM sl_span s WHERE s.type = n.id)
    UNION
    SELECT name
    FROM sqlite_schema
    WHERE name = ?1 COLLATE NOCASE)
SELECT group_concat(name, ', '), count(*), max(name = ?1)
FROM t;

-- name: is_rule
SELECT 1
FROM sl_name n JOIN sl_link l ON l.rule = n.id AND l.confidence IS NULL
WHERE n.name = ?1;
