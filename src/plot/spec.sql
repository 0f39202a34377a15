-- SPDX-License-Identifier: Apache-2.0
-- What spec.c asks of a specification, ?1, which is JSON.

-- name: about
-- Where "$schema" is missing, or null, keys say what it is.
SELECT CASE
    WHEN json_extract(?1, '$."$schema"') NOTNULL THEN json_extract(?1, '$."$schema"')
    WHEN EXISTS (SELECT 1 FROM json_each(?1) WHERE key IN ('marks', 'signals')) THEN '/vega/'
    WHEN EXISTS (
        SELECT 1
        FROM json_each(?1)
        WHERE key IN ('mark', 'encoding', 'layer', 'facet', 'repeat', 'concat', 'hconcat',
          'vconcat', 'spec'))
      THEN '/vega-lite/'
  END,
  json_extract(?1, '$.usermeta.spanloom.answers'),
  (
    SELECT group_concat(value, char(10))
    FROM json_each(?1, '$.usermeta.spanloom.title')),
  json_extract(?1, '$.usermeta.spanloom.result'),
  json_extract(?1, '$.usermeta.spanloom.needs')
WHERE json_type(?1) = 'object';

-- name: mistake
-- What is not as plot.h says, the first of it.
WITH
  meta AS (
    SELECT json_extract(?1, '$.usermeta.spanloom') AS meta,
      json_type(?1, '$.usermeta.spanloom') AS kind),
  known(what, key) AS (
    VALUES
      ('object', 'answers'),
      ('object', 'arguments'),
      ('object', 'data'),
      ('object', 'title'),
      ('object', 'result'),
      ('object', 'needs'),
      ('argument', 'name'),
      ('argument', 'kind'),
      ('argument', 'about'),
      ('argument', 'optional'),
      ('data', 'sql'),
      ('data', 'columns'),
      ('data', 'input'),
      ('column', 'type'),
      ('column', 'unit'),
      ('column', 'about'),
      ('column', 'optional')),
  all_known(what, keys) AS (SELECT what, group_concat(key, ', ') FROM known GROUP BY what),
  argument AS (
    SELECT a.key AS i, a.value, a.type,
      CASE a.type WHEN 'object' THEN json_extract(a.value, '$.name') END AS name
    FROM json_each(?1, '$.usermeta.spanloom.arguments') a),
  data AS (
    SELECT key AS name, value, type
    FROM json_each(?1, '$.usermeta.spanloom.data')),
  col AS (
    SELECT data.name AS data, c.key AS name, c.value, c.type
    FROM data
      JOIN json_each(CASE data.type WHEN 'object' THEN data.value ELSE '{}' END, '$.columns') c),
  fed AS (
    SELECT fullkey
    FROM json_each(?1, '$.data')
    WHERE type = 'object'
      AND json_type(value, '$.source') ISNULL
      AND json_type(value, '$.name') = 'text'
    ORDER BY json_type(value, '$.values') NOTNULL, key
    LIMIT 1),
  -- as vega_name
  text_or_lines(name, path, value, type) AS (
    SELECT 'title', '$.usermeta.spanloom.title', NULL, json_type(?1, '$.usermeta.spanloom.title')
    UNION ALL
    SELECT 'sql of data set ' || name, NULL, value,
      json_type(CASE type WHEN 'object' THEN value ELSE '{}' END, '$.sql')
    FROM data)
SELECT 'usermeta.spanloom must be an object'
FROM meta
WHERE kind <> 'object'
UNION ALL
SELECT printf('usermeta.spanloom has an unknown key ''%.80s''; known: %s', e.key, keys)
FROM meta
  JOIN json_each(CASE kind WHEN 'object' THEN meta ELSE '{}' END) e
  JOIN all_known ON what = 'object'
WHERE e.key NOT IN (SELECT key FROM known WHERE what = 'object')
UNION ALL
SELECT 'usermeta.spanloom.answers must be a text: the question that the picture answers'
WHERE json_type(?1, '$.usermeta.spanloom.answers') <> 'text'
UNION ALL
SELECT 'usermeta.spanloom.needs must be a text: what a store must hold for the picture'
WHERE json_type(?1, '$.usermeta.spanloom.needs') <> 'text'
UNION ALL
SELECT 'usermeta.spanloom.arguments must be a list: [{"name": ..., "kind": ...}]'
WHERE json_type(?1, '$.usermeta.spanloom.arguments') <> 'array'
UNION ALL
SELECT printf('argument %d must be an object with a name of letters, digits and _, and a kind',
    i + 1)
FROM argument
WHERE type <> 'object'
  OR ifnull(json_type(value, '$.name'), '') <> 'text'
  OR name GLOB '[0-9]*'
  OR name = ''
  OR name GLOB '*[^A-Za-z0-9_]*'
UNION ALL
SELECT printf('there is no argument called %s: every SQL has :%s already', name, name)
FROM argument
WHERE name IN ('run', 'bin', 'store', 'calls')
UNION ALL
SELECT printf('there are two arguments called %s', name)
FROM argument
GROUP BY name
HAVING count(*) > 1
UNION ALL
SELECT printf('argument %s has an unknown key ''%.80s''; known: %s', a.name, e.key, keys)
FROM argument a
  JOIN json_each(CASE a.type WHEN 'object' THEN a.value ELSE '{}' END) e
  JOIN all_known ON what = 'argument'
WHERE e.key NOT IN (SELECT key FROM known WHERE what = 'argument')
UNION ALL
SELECT printf('argument %s is of the kind ''%.80s''; known: %s',
    name, json_extract(value, '$.kind'),
    (SELECT group_concat(value, ', ') FROM json_each(?2)))
FROM argument
WHERE type = 'object'
  AND ifnull(json_extract(value, '$.kind'), '') NOT IN (SELECT value FROM json_each(?2))
UNION ALL
SELECT printf('argument %s: a %s takes all words that are left, so it must be the last',
    name, json_extract(value, '$.kind'))
FROM argument
WHERE type = 'object'
  AND json_extract(value, '$.kind') IN ('span', 'workflow')
  AND i < (SELECT max(i) FROM argument)
UNION ALL
SELECT printf('argument %s cannot be left out, but %s before it can: give them the other way round',
    a.name, b.name)
FROM argument a JOIN argument b ON b.i < a.i
WHERE a.type = 'object'
  AND b.type = 'object'
  AND json_extract(b.value, '$.optional')
  AND NOT ifnull(json_extract(a.value, '$.optional'), 0)
UNION ALL
SELECT 'usermeta.spanloom.result is "diff", "calls" or nothing'
FROM meta
WHERE kind = 'object' AND ifnull(json_extract(meta, '$.result'), 'diff') NOT IN ('diff', 'calls')
UNION ALL
SELECT 'usermeta.spanloom.data must be an object: {"rows": {"sql": ..., "columns": {...}}}'
WHERE json_type(?1, '$.usermeta.spanloom.data') <> 'object'
UNION ALL
SELECT printf('a data set cannot be called ''%.80s'': names are of letters, digits and _, and do '
      || 'not begin with a digit or sl_',
    name)
FROM data
WHERE name GLOB '*[^A-Za-z0-9_]*'
  OR name GLOB '[0-9]*'
  OR name = ''
  OR lower(name) GLOB 'sl_*'
  OR lower(name) GLOB 'sqlite_*'
UNION ALL
SELECT printf('there are two data sets called %s', name)
FROM data
GROUP BY lower(name)
HAVING count(*) > 1
UNION ALL
SELECT printf('data set %s has no sql, a text or a list of lines', name)
FROM data
WHERE type <> 'object' OR json_type(value, '$.sql') ISNULL
UNION ALL
SELECT printf('%s must be a text or a list of lines', t.name)
FROM text_or_lines t
WHERE t.type NOT IN ('text', 'array')
  OR (t.type = 'array'
    AND EXISTS (
      SELECT 1
      FROM json_each(ifnull(t.value, ?1), ifnull(t.path, '$.sql')) l
      WHERE l.type <> 'text'))
UNION ALL
SELECT printf('data set %s has an unknown key ''%.80s''; known: %s', d.name, e.key, keys)
FROM data d
  JOIN json_each(CASE d.type WHEN 'object' THEN d.value ELSE '{}' END) e
  JOIN all_known ON what = 'data'
WHERE e.key NOT IN (SELECT key FROM known WHERE what = 'data')
UNION ALL
SELECT printf('data set %s: columns must be an object: {"time_ms": {"type": "real", "unit": "ms", '
      || '"about": ...}}',
    name)
FROM data
WHERE type = 'object' AND json_type(value, '$.columns') <> 'object'
UNION ALL
SELECT printf('column %s of data set %s must be an object: {"type": ..., "unit": ..., "about": '
      || '...}',
    name, data)
FROM col
WHERE type <> 'object'
UNION ALL
SELECT printf('column %s of data set %s has an unknown key ''%.80s''; known: %s',
    c.name, c.data, e.key, keys)
FROM col c
  JOIN json_each(CASE c.type WHEN 'object' THEN c.value ELSE '{}' END) e
  JOIN all_known ON what = 'column'
WHERE e.key NOT IN (SELECT key FROM known WHERE what = 'column')
UNION ALL
SELECT printf('column %s of data set %s is of the type ''%.80s''; known: text, integer, real, any',
    name, data, json_extract(value, '$.type'))
FROM col
WHERE type = 'object'
  AND ifnull(json_extract(value, '$.type'), 'any') NOT IN ('text', 'integer', 'real', 'any')
UNION ALL
SELECT printf('%s must be true or false', substr(fullkey, 3))
FROM json_tree(?1, '$.usermeta.spanloom')
WHERE type NOT IN ('true', 'false')
  AND ((key = 'optional' AND (path GLOB '*.arguments[[]*]' OR path GLOB '*.columns.*'))
    OR (key = 'input' AND path GLOB '$.usermeta.spanloom.data.*' AND path NOT GLOB '*.columns*'))
UNION ALL
SELECT printf('%s: a picture has no data but those of the store: take ''url'' (%.80s) away, and '
      || 'name a data set: "data": {"name": "rows"}',
    fullkey, atom)
FROM json_tree(?1)
WHERE key = 'url'
  AND (path GLOB '*.data' OR path GLOB '*.data[[][0-9]*]' OR path GLOB '*.datasets*')
  AND NOT (?3 AND path IN ('$.data', (SELECT fullkey FROM fed)))
  AND path NOT GLOB '$.usermeta*'
  AND path NOT GLOB '$.datasets*'
LIMIT 1;

-- name: used
-- The data sets that the picture names and does not bring.  ?2: Vega-Lite.
SELECT DISTINCT json_extract(t.value, '$.name')
FROM json_tree(?1) t
WHERE t.type = 'object'
  AND t.fullkey NOT GLOB '$.usermeta*'
  AND t.fullkey NOT GLOB '$.datasets*'
  AND CASE WHEN ?2 THEN t.key = 'data' ELSE t.path GLOB '*.data' END
  AND json_type(t.value, '$.name') = 'text'
  AND NOT EXISTS (
    SELECT 1
    FROM json_each(t.value)
    WHERE key IN ('values', 'url', 'source', 'sequence', 'sphere', 'graticule'))
  AND NOT EXISTS (
    SELECT 1
    FROM json_each(?1, '$.datasets') d
    WHERE d.key = json_extract(t.value, '$.name'))
  AND (?2 OR t.path = '$.data');

-- name: arguments
SELECT json_extract(value, '$.name'), json_extract(value, '$.kind'),
  json_extract(value, '$.about'),
  json_extract(value, '$.optional')
FROM json_each(?1, '$.usermeta.spanloom.arguments');

-- name: data
SELECT d.key,
  (SELECT group_concat(value, char(10)) FROM json_each(d.value, '$.sql')),
  json_extract(d.value, '$.input')
FROM json_each(?1, '$.usermeta.spanloom.data') d;

-- name: columns
SELECT d.key, c.key,
  json_extract(c.value, '$.type'),
  json_extract(c.value, '$.unit'),
  json_extract(c.value, '$.about'),
  json_extract(c.value, '$.optional')
FROM json_each(?1, '$.usermeta.spanloom.data') d JOIN json_each(d.value, '$.columns') c;

-- name: vega_name
-- Of a specification of Vega: the data set that has neither source nor values.
SELECT json_extract(value, '$.name')
FROM json_each(?1, '$.data')
WHERE type = 'object'
  AND json_type(value, '$.source') ISNULL
  AND json_type(value, '$.name') = 'text'
ORDER BY json_type(value, '$.values') NOTNULL, key
LIMIT 1;
