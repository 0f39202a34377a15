/* SPDX-License-Identifier: Apache-2.0 */
#include "result/path_tables.h"
#include "analyse/groups.h"
#include "base/clock.h"
#include "result/over_time/over_time.h"
#include "result/spans/run_names.h"
#include "result_path_tables.sql.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT SL_COLUMN_TEXT
#define INTEGER SL_COLUMN_INTEGER
#define REAL SL_COLUMN_REAL
#define N(columns) ((int)(sizeof(columns) / sizeof *(columns)))

static const struct sl_column path_columns[] = {
    {"start", TEXT, NULL, NULL, 0},   {"end", TEXT, NULL, NULL, 0},       {"seconds", REAL, "s", NULL, 0},
    {"task", TEXT, NULL, NULL, 0},    {"component", TEXT, NULL, NULL, 0}, {"state", TEXT, NULL, NULL, 0},
    {"span", INTEGER, NULL, NULL, 0}, {"app", TEXT, NULL, NULL, 0},       {"lost", INTEGER, NULL, NULL, 0}};
enum { SPAN, NAME, SCRIPT, MAKESPAN, START, END, ON_PATH, TASKS, UNDONE, UNIT, QUEUED };
static const struct sl_column head_columns[] = {
    {"span", INTEGER, NULL, NULL, 0},          {"name", TEXT, NULL, NULL, 0},
    {"script", TEXT, NULL, NULL, 0},           {"makespan_s", REAL, "s", NULL, 0},
    {"start_ns", INTEGER, "ns", NULL, 0},      {"end_ns", INTEGER, "ns", NULL, 0},
    {"path_tasks", INTEGER, "tasks", NULL, 0}, {"tasks", INTEGER, "tasks", NULL, 0},
    {"undone", INTEGER, "tasks", NULL, 0},     {"unit", TEXT, NULL, NULL, 0},
    {"queued_s", REAL, "s", NULL, 0}};
static const struct sl_column blame_columns[][4] = {[SL_BLAME_STATE] = {{"seconds", REAL, "s", NULL, 0},
                                                                        {"parts", INTEGER, "parts", NULL, 0},
                                                                        {"component", TEXT, NULL, NULL, 0},
                                                                        {"state", TEXT, NULL, NULL, 0}},
                                                    [SL_BLAME_COMPONENT] = {{"seconds", REAL, "s", NULL, 0},
                                                                            {"parts", INTEGER, "parts", NULL, 0},
                                                                            {"component", TEXT, NULL, NULL, 0}},
                                                    [SL_BLAME_TASK] = {{"seconds", REAL, "s", NULL, 0},
                                                                       {"parts", INTEGER, "parts", NULL, 0},
                                                                       {"task", TEXT, NULL, NULL, 0}},
                                                    [SL_BLAME_GROUP] = {{"seconds", REAL, "s", NULL, 0},
                                                                        {"parts", INTEGER, "parts", NULL, 0},
                                                                        {"what", TEXT, NULL, NULL, 0}}};
static const struct sl_column part_columns[] = {
    {"since_start_s", REAL, "s", NULL, 0}, {"seconds", REAL, "s", NULL, 0}, {"task", TEXT, NULL, NULL, 0},
    {"component", TEXT, NULL, NULL, 0},    {"state", TEXT, NULL, NULL, 0},  {"rank", INTEGER, NULL, NULL, 0},
    {"app", TEXT, NULL, NULL, 0}};
static const struct sl_column slack_columns[] = {{"task", TEXT, NULL, NULL, 0},  {"slack_s", REAL, "s", NULL, 0},
                                                 {"path_s", REAL, "s", NULL, 0}, {"first", TEXT, NULL, NULL, 0},
                                                 {"done", TEXT, NULL, NULL, 0},  {"span", INTEGER, NULL, NULL, 0},
                                                 {"app", TEXT, NULL, NULL, 0}};

enum sl_blame sl_blame_find(const char *name)
{
    static const char *const names[] = {
        [SL_BLAME_STATE] = "state", [SL_BLAME_COMPONENT] = "component", [SL_BLAME_TASK] = "task"};
    enum sl_by by;

    for (int i = SL_BLAME_STATE; i <= SL_BLAME_TASK; i++)
        if (!strcmp(names[i], name))
            return (enum sl_blame)i;
    return !sl_by_find(&by, name, NULL) && by != SL_GROUP_BY_NONE ? SL_BLAME_GROUP : SL_BLAME_NONE;
}

static void time_text(sqlite3_context *out, int argc, sqlite3_value **argv)
{
    char text[SL_TIME_TEXT];

    (void)argc;
    sl_time_text(sqlite3_value_int64(argv[0]), text);
    sqlite3_result_text(out, text, -1, SQLITE_TRANSIENT);
}

/* The path is worked out once. */
static int keep_path(struct sl_store *st, int64_t workflow, const char *by, struct sl_err *err)
{
    char *words = by && strcmp(by, "app") != 0 ? sl_over_time_by(sql_keep_path, by) : sl_strdup(sql_keep_path_app);
    char *sql = sqlite3_mprintf(words, (long long)workflow);
    int rc = sl_store_temporary(st, sql, err);

    rc = rc ? rc : sl_store_temporary(st, sql_rows, err);
    sqlite3_free(sql);
    free(words);
    return rc;
}

/* *jobs: it is a batch system's. */
static int add_head(struct sl_result *r, struct sl_store *st, int64_t workflow, bool *jobs, struct sl_err *err)
{
    sqlite3_stmt *q = sl_store_prepare(st, sql_head, err);
    struct sl_table *t = sl_result_table(r, "head", head_columns, N(head_columns));
    char name[600];
    int rc;

    if (q)
        sqlite3_bind_int64(q, 1, workflow);
    rc = q ? sl_store_step(st, q, err) : SL_ESTORE;
    if (rc > 0) {
        sl_table_add(t);
        sl_table_put_int(t, SPAN, workflow);
        sl_table_put_text(t, NAME, sl_run_name(st, workflow, name, sizeof name));
        sl_table_put_text(t, UNIT, sl_store_text(q, UNIT - MAKESPAN));
        *jobs = !strcmp(sl_store_text(q, UNIT - MAKESPAN), "job");
        if (sqlite3_column_type(q, UNIT + 1 - MAKESPAN) != SQLITE_NULL)
            sl_table_put_text(t, SCRIPT, sl_store_text(q, UNIT + 1 - MAKESPAN));
        sl_table_put_real(t, QUEUED, sqlite3_column_double(q, UNIT + 2 - MAKESPAN));
        if (sqlite3_column_type(q, 0) != SQLITE_NULL)
            sl_table_put_real(t, MAKESPAN, sqlite3_column_double(q, 0));
        for (int i = START; i <= UNDONE; i++)
            if (sqlite3_column_type(q, i - MAKESPAN) != SQLITE_NULL)
                sl_table_put_int(t, i, sqlite3_column_int64(q, i - MAKESPAN));
        rc = 0;
    }
    sqlite3_finalize(q);
    return rc;
}

/* What summarises the path. */
static int add_summary(struct sl_result *r, struct sl_store *st, int64_t workflow, enum sl_blame by, const char *word,
                       struct sl_err *err)
{
    char blame[600], what[100];
    bool jobs = false;
    int rc = keep_path(st, workflow, by == SL_BLAME_GROUP ? word : NULL, err);

    if (!rc)
        rc = add_head(r, st, workflow, &jobs, err);
    if (rc)
        return rc;
    snprintf(what, sizeof what, "ifnull('%s ' || task || ifnull(' (' || app || ')', ''), 'driver')",
             jobs ? "job" : "task");
    snprintf(blame, sizeof blame, sql_blame,
             by == SL_BLAME_TASK    ? what
             : by == SL_BLAME_GROUP ? "name"
                                    : "component",
             by == SL_BLAME_STATE ? "words" : "''");
    if (!sl_result_sql(r, st, "blame", blame_columns[by], by == SL_BLAME_STATE ? 4 : 3, blame, err) ||
        !sl_result_sql(r, st, "parts", part_columns, N(part_columns), sql_parts, err))
        return SL_ESTORE;
    return 0;
}

/* A table whose query has ?1, the workflow. */
static int add_of(struct sl_result *r, struct sl_store *st, const char *name, const struct sl_column *columns, int n,
                  const char *sql, int64_t workflow, struct sl_err *err)
{
    struct sl_table *t;

    sqlite3_create_function(st->db, "sl_time_text", 1, SQLITE_UTF8, NULL, time_text, NULL, NULL);
    if (!(t = sl_result_sql(r, st, name, columns, n, sql, err)))
        return SL_ESTORE;
    sqlite3_bind_int64(t->query, 1, workflow);
    return 0;
}

int sl_result_critical_path(struct sl_result *r, struct sl_store *st, int64_t workflow, enum sl_blame by,
                            const char *word, bool summary, struct sl_err *err)
{
    char *sql = by == SL_BLAME_GROUP && strcmp(word, "app") ? sl_over_time_by(sql_path_grouped, word) : NULL;
    int rc = sql ? add_of(r, st, "path", NULL, 0, sql, workflow, err)
                 : add_of(r, st, "path", path_columns, N(path_columns), sql_path, workflow, err);

    free(sql);
    return rc || !summary ? rc : add_summary(r, st, workflow, by, word, err);
}

int sl_result_slack(struct sl_result *r, struct sl_store *st, int64_t workflow, struct sl_err *err)
{
    return add_of(r, st, "slack", slack_columns, N(slack_columns), sql_slack, workflow, err);
}
