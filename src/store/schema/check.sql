-- SPDX-License-Identifier: Apache-2.0
-- Rows that no import writes, in the tables that are small: (table, its row, the column that is wrong).  Asked whenever a store is opened,
-- so that nobody else has to doubt them.  Large tables are not searched: who loads them looks at each row.
-- Ids are used as indices: a number beyond 16777215 (names, shapes) or 4000000000 was not given by an import.
SELECT 'sl_meta' AS tab, name AS row_, 'value' AS col FROM sl_meta WHERE name = 'schema' AND typeof(value) <> 'integer'
UNION ALL
SELECT 'sl_name', id, CASE WHEN typeof(name) <> 'text' THEN 'name' WHEN typeof(id) <> 'integer' OR id NOT BETWEEN 1 AND 16777215 THEN 'id' END AS bad
    FROM sl_name WHERE bad NOT NULL
UNION ALL
SELECT 'sl_source', id, CASE WHEN typeof(id) <> 'integer' OR id NOT BETWEEN 0 AND 4000000000 THEN 'id' WHEN typeof(path) <> 'text' THEN 'path'
        WHEN typeof(recipe) <> 'text' THEN 'recipe' WHEN typeof(component) <> 'text' THEN 'component' WHEN typeof(part) NOT IN ('text', 'null') THEN 'part'
        WHEN typeof(bytes) NOT IN ('integer', 'null') OR bytes < 0 THEN 'bytes' WHEN typeof(mtime_ns) NOT IN ('integer', 'null') THEN 'mtime_ns'
        WHEN typeof(hash) NOT IN ('text', 'null') THEN 'hash' WHEN typeof(context) NOT IN ('text', 'null') THEN 'context'
        WHEN typeof(recipe_hash) NOT IN ('text', 'null') THEN 'recipe_hash'
        WHEN typeof(records + used + skipped + rejected) <> 'integer' OR min(records, used, skipped, rejected) < 0 THEN 'records'
        WHEN typeof(replaced_by) NOT IN ('integer', 'null') THEN 'replaced_by' WHEN typeof(input) NOT IN ('integer', 'null') THEN 'input' END AS bad
    FROM sl_source WHERE bad NOT NULL
UNION ALL
SELECT 'sl_shape', id, CASE WHEN typeof(id) <> 'integer' OR id NOT BETWEEN 1 AND 16777215 THEN 'id' WHEN typeof(pos) <> 'integer' THEN 'pos'
        WHEN typeof(name) <> 'text' THEN 'name' WHEN typeof(path) <> 'text' OR path NOT GLOB '$[[]*]' THEN 'path' END AS bad
    FROM sl_shape WHERE bad NOT NULL
UNION ALL
SELECT 'sl_zone', id, CASE WHEN typeof(id) <> 'integer' OR id NOT BETWEEN 1 AND 4000000000 THEN 'id' WHEN typeof(root) <> 'integer' THEN 'root'
        WHEN typeof(since_ns) NOT IN ('integer', 'null') THEN 'since_ns' WHEN typeof(until_ns) NOT IN ('integer', 'null') THEN 'until_ns'
        WHEN typeof(offset_s) <> 'integer' OR offset_s NOT BETWEEN -86400 AND 86400 THEN 'offset_s' WHEN typeof(how) <> 'text' THEN 'how' END AS bad
    FROM sl_zone WHERE bad NOT NULL
UNION ALL
SELECT 'sl_bind', name, CASE WHEN typeof(name) <> 'text' THEN 'name' WHEN typeof(rule) <> 'text' THEN 'rule' WHEN typeof(project) NOT IN ('text', 'null') THEN 'project' END AS bad
    FROM sl_bind WHERE bad NOT NULL
UNION ALL
SELECT 'sl_unbound', rule, 'rule' FROM sl_unbound WHERE typeof(rule) <> 'text'
UNION ALL
SELECT 'sl_shared', scope, CASE WHEN typeof(field) <> 'text' THEN 'field' WHEN typeof(scope) <> 'text' THEN 'scope' WHEN typeof(value) <> 'text' THEN 'value' END AS bad
    FROM sl_shared WHERE bad NOT NULL
UNION ALL
SELECT 'sl_lens', id, CASE WHEN typeof(kind) <> 'text' THEN 'kind' WHEN typeof(what) <> 'text' THEN 'what' WHEN typeof(becomes) NOT IN ('text', 'null') THEN 'becomes'
        WHEN typeof(within_ns) NOT IN ('integer', 'null') THEN 'within_ns' WHEN typeof(project) NOT IN ('text', 'null') THEN 'project' END AS bad
    FROM sl_lens WHERE bad NOT NULL
UNION ALL
SELECT 'sl_role', type, CASE WHEN typeof(type) <> 'text' THEN 'type' WHEN typeof(role) <> 'text' THEN 'role' END AS bad FROM sl_role WHERE bad NOT NULL
UNION ALL
SELECT 'sl_state', span_type || '/' || event_type, CASE WHEN typeof(span_type) <> 'text' THEN 'span_type' WHEN typeof(event_type) <> 'text' THEN 'event_type'
        WHEN typeof(component) NOT IN ('text', 'null') THEN 'component' WHEN typeof(state) <> 'text' THEN 'state' WHEN typeof(kind) <> 'text' THEN 'kind'
        WHEN typeof(rank) <> 'integer' OR rank NOT BETWEEN 0 AND 1000000 THEN 'rank' WHEN typeof(again) <> 'integer' THEN 'again' END AS bad
    FROM sl_state WHERE bad NOT NULL
UNION ALL
SELECT 'sl_handover', from_type, CASE WHEN typeof(from_type) <> 'text' THEN 'from_type' WHEN typeof(from_event) <> 'text' THEN 'from_event'
        WHEN typeof(to_type) <> 'text' THEN 'to_type' WHEN typeof(to_event) <> 'text' THEN 'to_event' END AS bad
    FROM sl_handover WHERE bad NOT NULL
LIMIT 1
