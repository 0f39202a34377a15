-- SPDX-License-Identifier: Apache-2.0
-- Rows that no import writes, in the tables that are small: (table, its row).  Those of tables with rows for each file are
-- in indexes of their own (index.sql, with the same words), which are empty, so that nothing is searched.

-- Asked whenever a store is opened, by everybody: what nearly every view joins.  It is short, as most commands are.
SELECT 'sl_name', id FROM sl_name WHERE typeof(name) <> 'text'
UNION ALL SELECT 'sl_source', id FROM sl_source WHERE typeof(path) <> 'text'
UNION ALL SELECT 'sl_shape', id FROM sl_shape WHERE typeof(name) <> 'text'
UNION ALL SELECT 'sl_lens', id FROM sl_lens WHERE typeof(kind) <> 'text'
UNION ALL SELECT 'sl_role', type FROM sl_role WHERE typeof(role) <> 'text'
UNION ALL SELECT 'sl_state', span_type FROM sl_state WHERE typeof(state) <> 'text'
LIMIT 1;

-- Asked by who writes, and so need not doubt what is loaded.  Large tables are not searched: an import looks at each row that it loads.
-- Ids are used as indices: a number beyond 16777215 (names, shapes) or 4000000000 was not given by an import.  >= '' are texts and blobs.
SELECT 'sl_name', id
FROM sl_name
WHERE id NOT BETWEEN 1 AND 16777215 OR typeof(id) <> 'integer'
UNION ALL
SELECT 'sl_source', id
FROM sl_source
WHERE id NOT BETWEEN 0 AND 4000000000
  OR typeof(id) <> 'integer'
  OR typeof(recipe) <> 'text'
  OR typeof(component) <> 'text'
  OR typeof(part) = 'blob'
  OR typeof(hash) = 'blob'
  OR typeof(context) = 'blob'
  OR bytes NOT BETWEEN 0 AND 9223372036854775807
  OR mtime_ns >= ''
  OR replaced_by >= ''
  OR input >= ''
  OR typeof(records + used + skipped + rejected) <> 'integer'
  OR min(records, used, skipped, rejected) < 0
UNION ALL
SELECT 'sl_shape', id
FROM sl_shape
WHERE id NOT BETWEEN 1 AND 16777215
  OR typeof(id + pos) <> 'integer'
  OR typeof(path) <> 'text'
  OR path NOT GLOB '$[[]*]'
UNION ALL
SELECT 'sl_alike', id
FROM sl_alike
WHERE id < 1 OR id > 4000000000
UNION ALL
SELECT 'sl_zone', id
FROM sl_zone
WHERE id NOT BETWEEN 1 AND 4000000000
  OR typeof(id + root + offset_s) <> 'integer'
  OR since_ns >= ''
  OR until_ns >= ''
  OR offset_s NOT BETWEEN -86400 AND 86400
  OR typeof(how) <> 'text'
UNION ALL
SELECT 'sl_bind', name
FROM sl_bind
WHERE typeof(name) <> 'text' OR typeof(rule) <> 'text'
UNION ALL
SELECT 'sl_shared', scope
FROM sl_shared
WHERE typeof(field) <> 'text' OR typeof(scope) <> 'text' OR typeof(value) <> 'text'
UNION ALL
SELECT 'sl_lens', id
FROM sl_lens
WHERE typeof(what) <> 'text'
LIMIT 1;
