-- SPDX-License-Identifier: Apache-2.0
-- What cmd_sql.c asks of the store.

-- name: dot
SELECT type, name
FROM sqlite_schema
WHERE type IN ('table', 'view')
ORDER BY type DESC, name;

-- name: names_of_tables
SELECT name
FROM pragma_table_list
WHERE name NOT LIKE 'sqlite_%'
UNION
SELECT name
FROM pragma_module_list;

-- name: names_of_columns
SELECT DISTINCT c.name
FROM pragma_table_list t
JOIN pragma_table_xinfo(t.name) c
WHERE t.name NOT LIKE 'sqlite_%';

-- name: names_of_functions
SELECT DISTINCT name
FROM pragma_function_list;
