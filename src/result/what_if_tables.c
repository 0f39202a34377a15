/* SPDX-License-Identifier: Apache-2.0 */
#include "result/what_if_tables.h"
#include "result_what_if_tables.sql.h"

#include <stdio.h>

#define TEXT SL_COLUMN_TEXT
#define INTEGER SL_COLUMN_INTEGER
#define REAL SL_COLUMN_REAL
#define N(columns) ((int)(sizeof(columns) / sizeof *(columns)))

static const struct sl_column change_columns[] = {
    {"change", TEXT, NULL, NULL, 0},  {"makespan_s", REAL, "s", NULL, 0}, {"new_makespan_s", REAL, "s", NULL, 0},
    {"change_s", REAL, "s", NULL, 0}, {"percent", REAL, "%", NULL, 0},    {"assumed", TEXT, NULL, NULL, 0},
    {"bias", REAL, NULL, NULL, 0}};
static const struct sl_column task_columns[] = {{"task", TEXT, NULL, NULL, 0},       {"app", TEXT, NULL, NULL, 0},
                                                {"first_s", REAL, "s", NULL, 0},     {"done_s", REAL, "s", NULL, 0},
                                                {"new_first_s", REAL, "s", NULL, 0}, {"new_done_s", REAL, "s", NULL, 0},
                                                {"span", INTEGER, NULL, NULL, 0}};
static const struct sl_column undone_columns[] = {{"undone", INTEGER, "tasks", NULL, 0},
                                                  {"tasks", INTEGER, "tasks", NULL, 0}};

/* The simulation is run once. */
static int keep_simulation(struct sl_store *st, int64_t workflow, const char *changes, struct sl_err *err)
{
    char *sql = sqlite3_mprintf(sql_keep_simulation, (long long)workflow, changes);
    int rc = sl_store_temporary(st, sql, err);

    sqlite3_free(sql);
    return rc;
}

int sl_result_what_if(struct sl_result *r, struct sl_store *st, int64_t workflow, const char *changes,
                      struct sl_err *err)
{
    int rc = keep_simulation(st, workflow, changes, err);
    struct sl_table *t;

    if (rc)
        return rc;
    if (!(t = sl_result_sql(r, st, "change", change_columns, N(change_columns), sql_change, err)))
        return SL_ESTORE;
    sqlite3_bind_text(t->query, 1, changes, -1, SQLITE_TRANSIENT);
    if (!sl_result_sql(r, st, "tasks", task_columns, N(task_columns), sql_tasks, err) ||
        !sl_result_sql(r, st, "undone", undone_columns, N(undone_columns), sql_undone, err))
        return SL_ESTORE;
    return 0;
}

int sl_result_what_helps(struct sl_result *r, struct sl_store *st, int64_t workflow, struct sl_err *err)
{
    char sql[200];

    snprintf(sql, sizeof sql, sql_keep_helps, (long long)workflow);
    if (sl_store_temporary(st, sql, err) ||
        !sl_result_sql(r, st, "change", change_columns, N(change_columns), sql_helps, err))
        return SL_ESTORE;
    return 0;
}
