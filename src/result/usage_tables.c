/* SPDX-License-Identifier: Apache-2.0 */
#include "result/usage_tables.h"
#include "result_usage_tables.sql.h"

static const struct sl_column columns[] = {
    {"what", SL_COLUMN_TEXT, NULL, NULL, 0},
    {"task", SL_COLUMN_INTEGER, NULL, NULL, 0},
    {"runs", SL_COLUMN_INTEGER, "runs", NULL, 0},
    {"measured", SL_COLUMN_INTEGER, "runs", NULL, 0},
    {"there_s", SL_COLUMN_REAL, "s", NULL, 0},
    {"cpu_s", SL_COLUMN_REAL, "s", NULL, 0},
    {"cpu_percent", SL_COLUMN_REAL, "%", NULL, 0},
    {"requested_cpu_s", SL_COLUMN_REAL, "s", NULL, 0},
    {"used_of_requested_percent", SL_COLUMN_REAL, "%", NULL, 0},
    {"mem_mb", SL_COLUMN_REAL, "MB", NULL, 0},
    {"requested_mem_mb", SL_COLUMN_REAL, "MB", NULL, 0},
    {"disk_mb", SL_COLUMN_REAL, "MB", NULL, 0},
    {"net_mb", SL_COLUMN_REAL, "MB", NULL, 0},
};
static const struct sl_column nodes[] = {
    {"nodes", SL_COLUMN_INTEGER, "nodes", NULL, 0},
    {"sampled_s", SL_COLUMN_REAL, "s", NULL, 0},
    {"cpu_s", SL_COLUMN_REAL, "s", NULL, 0},
    {"capacity_s", SL_COLUMN_REAL, "s", NULL, 0},
};

int sl_result_usage(struct sl_result *r, struct sl_store *st, enum sl_usage_by by, int64_t within, struct sl_err *err)
{
    const char *what = by == SL_USAGE_TASK ? sql_task : by == SL_USAGE_APP ? sql_app : sql_type;
    char *sql = sqlite3_mprintf(sql_parts, what, by == SL_USAGE_TASK ? sql_task_id : sql_no_id);
    struct sl_table *t = sl_result_sql(r, st, "usage", columns, SL_COLUMNS(columns), sql, err),
                    *n = t ? sl_result_sql(r, st, "nodes", nodes, SL_COLUMNS(nodes), sql_nodes, err) : NULL;

    sqlite3_free(sql);
    if (!n)
        return SL_ESTORE;
    if (within) {
        sqlite3_bind_int64(t->query, 1, within);
        sqlite3_bind_int64(n->query, 1, within);
    }
    return 0;
}
