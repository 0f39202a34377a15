/* SPDX-License-Identifier: Apache-2.0 */
#include "result/spans/store_contents.h"
#include "result/spans/run_names.h"
#include "spans_store_contents.sql.h"

/* within: ?1 of sql; 0: NULL. */
static int add(struct sl_result *r, struct sl_store *st, const char *name, const struct sl_column *column, int columns,
               const char *sql, int64_t within, struct sl_err *err)
{
    struct sl_table *t = sl_result_sql(r, st, name, column, columns, sql, err);

    if (t && within)
        sqlite3_bind_int64(t->query, 1, within);
    return t ? 0 : SL_ESTORE;
}

int sl_result_types(struct sl_result *r, struct sl_store *st, int64_t within, struct sl_err *err)
{
    static const struct sl_column column[] = {{"type", SL_COLUMN_TEXT, NULL, NULL, 0},
                                              {"spans", SL_COLUMN_INTEGER, "spans", NULL, 0}};

    return add(r, st, "types", column, SL_COLUMNS(column), sql_types, within, err);
}

int sl_result_event_types(struct sl_result *r, struct sl_store *st, int64_t within, struct sl_err *err)
{
    static const struct sl_column column[] = {{"type", SL_COLUMN_TEXT, NULL, NULL, 0},
                                              {"event", SL_COLUMN_TEXT, NULL, NULL, 0},
                                              {"events", SL_COLUMN_INTEGER, "events", NULL, 0},
                                              {"spans", SL_COLUMN_INTEGER, "spans", NULL, 0}};

    return add(r, st, "events", column, SL_COLUMNS(column), sql_events, within, err);
}

int sl_result_lost(struct sl_result *r, struct sl_store *st, const char *which, struct sl_err *err)
{
    static const struct sl_column column[] = {{"span", SL_COLUMN_INTEGER, NULL, NULL, 0},
                                              {"program", SL_COLUMN_TEXT, NULL, NULL, 0},
                                              {"events", SL_COLUMN_INTEGER, "events", NULL, 0},
                                              {"why", SL_COLUMN_TEXT, NULL, NULL, 0}};
    char *sql = sqlite3_mprintf(sql_lost, which);
    int rc = add(r, st, "lost", column, SL_COLUMNS(column), sql, 0, err);

    sqlite3_free(sql);
    return rc;
}

int sl_result_info(struct sl_result *r, struct sl_store *st, int64_t within, struct sl_err *err)
{
    static const struct sl_column column[] = {{"what", SL_COLUMN_TEXT, NULL, NULL, 0},
                                              {"value", SL_COLUMN_ANY, NULL, NULL, 0}};

    char *lost = sqlite3_mprintf(sql_lost, within ? "s.id IN (SELECT span FROM d)" : "1");
    char *sql = within ? sqlite3_mprintf(sql_info_of, sql_sources_of, lost) : sqlite3_mprintf(sql_info, lost);
    int rc = add(r, st, "info", column, SL_COLUMNS(column), sql, within, err);

    sqlite3_free(sql);
    sqlite3_free(lost);
    return rc;
}

int sl_result_runs(struct sl_result *r, struct sl_store *st, int64_t within, struct sl_err *err)
{
    static const struct sl_column column[] = {{"type", SL_COLUMN_TEXT, NULL, NULL, 0},
                                              {"run", SL_COLUMN_TEXT, NULL, NULL, 0},
                                              {"directory", SL_COLUMN_TEXT, NULL, NULL, 0},
                                              {"children", SL_COLUMN_INTEGER, "spans", NULL, 0},
                                              {"span", SL_COLUMN_INTEGER, NULL, NULL, 0}};

    return add(r, st, "runs", column, SL_COLUMNS(column), sql_runs, within, err);
}

int sl_result_rejects(struct sl_result *r, struct sl_store *st, const char *path, int64_t within, bool counts,
                      struct sl_err *err)
{
    static const struct sl_column each[] = {{"place", SL_COLUMN_TEXT, NULL, NULL, 0},
                                            {"reason", SL_COLUMN_TEXT, NULL, NULL, 0},
                                            {"text", SL_COLUMN_TEXT, NULL, NULL, 0}},
                                  count[] = {{"records", SL_COLUMN_INTEGER, "records", NULL, 0},
                                             {"reason", SL_COLUMN_TEXT, NULL, NULL, 0},
                                             {"path", SL_COLUMN_TEXT, NULL, NULL, 0}};
    char *sql = sqlite3_mprintf(counts ? sql_reject_counts : sql_rejects, sql_sources_of);
    int rc = add(r, st, "rejects", counts ? count : each, 3, sql, within, err);

    if (!rc)
        sqlite3_bind_text(sl_result_find(r, "rejects")->query, 2, path, -1, SQLITE_TRANSIENT);
    sqlite3_free(sql);
    return rc;
}

int sl_result_workflows(struct sl_result *r, struct sl_store *st, bool people, struct sl_err *err)
{
    static const struct sl_column column[] = {
        {"run", SL_COLUMN_TEXT, NULL, NULL, 0},         {"script", SL_COLUMN_TEXT, NULL, NULL, 0},
        {"start", SL_COLUMN_TEXT, NULL, NULL, 0},       {"seconds", SL_COLUMN_REAL, "s", NULL, 0},
        {"tasks", SL_COLUMN_INTEGER, "tasks", NULL, 0}, {"not done", SL_COLUMN_INTEGER, "tasks", NULL, 0},
        {"directory", SL_COLUMN_TEXT, NULL, NULL, 0},   {"span", SL_COLUMN_INTEGER, NULL, NULL, 0}};
    char *shorter = sqlite3_mprintf("SELECT run, script, replace(substr(start, 1, 19), 'T', ' ') AS start, "
                                    "round(seconds, 1) AS seconds, tasks, \"not done\" FROM (%s)",
                                    sql_workflows);
    struct sl_run_names names = {0};
    int rc = sl_run_names_load(&names, st, err);

    if (!rc)
        rc = sl_store_temporary(
            st, "CREATE TEMP TABLE sl_run_name (span INTEGER PRIMARY KEY, name TEXT, directory TEXT)", err);
    for (size_t i = 0; i < names.v.n && !rc; i++) {
        char *sql = sqlite3_mprintf("INSERT INTO temp.sl_run_name VALUES (%lld, %Q, %Q)",
                                    (long long)names.v.v[i].workflow, names.v.v[i].name, names.v.v[i].directory);
        rc = sl_store_temporary(st, sql, err);
        sqlite3_free(sql);
    }
    if (!rc)
        rc = add(r, st, "runs", column, people ? 6 : SL_COLUMNS(column), people ? shorter : sql_workflows, 0, err);
    sqlite3_free(shorter);
    sl_run_names_free(&names);
    return rc;
}
