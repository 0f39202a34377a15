-- SPDX-License-Identifier: Apache-2.0
-- What cmd_sql.c asks of the store.

-- name: views
SELECT name
FROM pragma_table_list
WHERE schema = 'main'
  AND type = 'view'
  AND name NOT GLOB 'sl_*'
  AND name NOT IN (SELECT replace(name, '.', '_') FROM sl_name)
ORDER BY 1;

-- name: views_of_types
SELECT name
FROM pragma_table_list
WHERE schema = 'main'
  AND type = 'view'
  AND name NOT GLOB 'sl_*'
  AND name IN (SELECT replace(name, '.', '_') FROM sl_name)
ORDER BY 1;

-- name: tables_of_run
SELECT name
FROM pragma_table_list
WHERE schema = 'temp' AND name NOT GLOB 'sl_*' AND name NOT GLOB 'sqlite_*'
ORDER BY 1;

-- name: modules
SELECT name
FROM pragma_module_list
WHERE name NOT GLOB 'pragma_*'
ORDER BY 1;

-- name: columns
SELECT name FROM pragma_table_xinfo(%Q) WHERE hidden <> 1;

-- name: names_of_tables
SELECT name
FROM pragma_table_list
WHERE name NOT GLOB 'sqlite_*' AND name NOT GLOB 'sl_*' AND type IN ('view', 'table');

-- name: names_of_columns
SELECT DISTINCT c.name
FROM pragma_table_list t JOIN pragma_table_xinfo(t.name) c
WHERE t.name NOT GLOB 'sqlite_*' AND t.name NOT GLOB 'sl_*';

-- name: tables_of_column
SELECT t.name
FROM pragma_table_list t JOIN pragma_table_xinfo(t.name) c
WHERE t.name NOT GLOB 'sqlite_*' AND t.name NOT GLOB 'sl_*' AND c.name = %Q COLLATE NOCASE
ORDER BY length(t.name), t.name
LIMIT 4;

-- name: names_of_functions
SELECT DISTINCT name FROM pragma_function_list;
