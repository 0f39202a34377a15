-- SPDX-License-Identifier: Apache-2.0
-- What data.c makes of a specification, ?1.

-- name: frame
-- All but the data: ?2 is the look (a config; the specification's own goes before), ?3 and ?4 a
-- title and subtitle, ?5 and ?6 a data set and the user's SQL for it, ?7: Vega-Lite, ?8: its data
-- are these whatever it says, ?9: an object of values by place.
-- A patch takes what is null away, and null says something in a config: that is put back.
WITH RECURSIVE
  also(i, path, value) AS (
    SELECT row_number() OVER (), path, value
    FROM (
        SELECT fullkey AS path, NULL AS value
        FROM json_tree(?1, '$.config')
        WHERE type = 'null'
        UNION ALL
        SELECT '$.' || key, value
        FROM json_each(?9))),
  frame(i, json) AS (
    SELECT 0,
      json_patch(json_set(json_set(CASE
              WHEN ?8
                THEN json_set(json_remove(?1, '$.datasets'), '$.data', json_object('name', ?5))
              WHEN ?7 THEN json_remove(?1, '$.datasets')
              ELSE json_remove(?1, '$.data')
            END,
            '$."$schema"',
            ifnull(json_extract(?1, '$."$schema"'),
              printf('https://vega.github.io/schema/%s/v6.json', iif(?7, 'vega-lite', 'vega')))),
          '$.config',
          json_patch(ifnull(?2, '{}'),
            CASE json_type(?1, '$.config')
              WHEN 'object' THEN json_extract(?1, '$.config')
              ELSE '{}'
            END)),
        json_patch(CASE
            WHEN ?3 NOTNULL OR ?4 NOTNULL
              THEN json_object('title',
                  json_patch(CASE json_type(?1, '$.title')
                      WHEN 'text' THEN json_object('text', json_extract(?1, '$.title'))
                      ELSE '{}'
                    END,
                    json_object('text', ?3, 'subtitle', ?4)))
            ELSE '{}'
          END,
          CASE
            WHEN ?6 NOTNULL
              THEN json_object('usermeta',
                  json_object('spanloom',
                    json_object('data', json_object(?5, json_object('sql', ?6)))))
            ELSE '{}'
          END))
    UNION ALL
    SELECT a.i, json_set(json, a.path, a.value)
    FROM frame f JOIN also a ON a.i = f.i + 1)
SELECT json
FROM frame
ORDER BY i DESC
LIMIT 1;

-- name: missing
-- Which place of ?2 it has not.
SELECT key
FROM json_each(?2)
WHERE json_type(?1, '$.' || key) ISNULL;

-- name: own
-- Data sets that it brings, an object.
SELECT json_extract(?1, '$.datasets')
WHERE json_type(?1, '$.datasets') = 'object';

-- name: vega_data
-- Entries of Vega's data, without what they hold where we fill them in.
SELECT value, json_extract(value, '$.name'), json_remove(value, '$.values', '$.url', '$.format')
FROM json_each(?1, '$.data')
WHERE type = 'object';
