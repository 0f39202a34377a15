/* SPDX-License-Identifier: Apache-2.0 */
/* A name for the table functions critical_path() and slack(), and tables to read. */
#include "base/clock.h"
#include "cli/workflow.h"
#include "cli_cmd_critical_path.sql.h"
#include "result/span_names.h"

#include <string.h>

enum { BAR = 24, TASKS = 20, PARTS = 12 };

static const struct option_spec options[] = {
    WORKFLOW_OPTION,
    {"by", "WHAT", "how the time is summed: state (the default), component, or task", false},
    {"all", NULL, "every part of the path, the shortest ones too", false},
    {"slack", NULL, "instead, for each task: how much later it could have been done", false},
    SKEW_OPTION,
    {NULL, NULL, NULL, false},
};

static int rows(const struct cli *cli, struct sl_store *st, const char *sql_sql, int64_t workflow)
{
    char id[32];

    snprintf(id, sizeof id, "%lld", (long long)workflow);
    return cli_query(cli, st, sql_sql, (const char *[]){id, NULL});
}

/* ---- for people ---- */

/* The path is worked out once. */
static int keep_path(struct sl_store *st, int64_t workflow, struct sl_err *err)
{
    char sql_sql[200];

    snprintf(sql_sql, sizeof sql_sql, sql_keep_path, (long long)workflow);
    return cli_temporary(st, sql_sql, err);
}

static int show_head(struct sl_store *st, int64_t workflow, double *makespan, struct sl_err *err)
{
    sqlite3_stmt *q = sl_store_prepare(st, sql_show_head, err);
    char name[600], took[32], from[SL_TIME_TEXT], to[SL_TIME_TEXT];
    int rc = q ? sl_store_step(st, q, err) : SL_ESTORE;

    if (rc > 0 && sqlite3_column_type(q, 0) == SQLITE_NULL) {
        rc = sl_err(err, SL_ENOTFOUND, "span %lld lasted for no time: it and all below it have at most one event",
                    (long long)workflow);
    } else if (rc > 0) {
        *makespan = sqlite3_column_double(q, 0);
        sl_time_text(sqlite3_column_int64(q, 1), from);
        sl_time_text(sqlite3_column_int64(q, 2), to);
        printf("%s took %s, from %s to %s\n", sl_span_name(st, workflow, name, sizeof name),
               sl_show_seconds(*makespan, took), from, to);
        printf("its critical path goes through %lld of %lld task%s\n", (long long)sqlite3_column_int64(q, 3),
               (long long)sqlite3_column_int64(q, 4), sqlite3_column_int64(q, 4) == 1 ? "" : "s");
        if (sqlite3_column_int64(q, 5))
            printf("%lld of them were never done, as far as logs tell: was the run cut short?\n",
                   (long long)sqlite3_column_int64(q, 5));
        rc = 0;
    }
    sqlite3_finalize(q);
    return rc;
}

static int show_blame(struct sl_store *st, const char *by, bool all, double makespan, struct sl_err *err)
{
    bool state = !strcmp(by, "state"), task = !strcmp(by, "task");
    char sql_sql[600];
    sqlite3_stmt *q;
    double rest_s = 0;
    int rc, n = 0;

    snprintf(sql_sql, sizeof sql_sql, sql_show_blame, task ? "ifnull('task ' || task, 'driver')" : "component",
             state ? "state" : "''");
    if (!(q = sl_store_prepare(st, sql_sql, err)))
        return SL_ESTORE;
    printf("\n%12s  %6s  %-*s  %5s  %s\n", "seconds", "share", BAR, "", "parts",
           task    ? "task"
           : state ? "component, state"
                   : "component");
    while ((rc = sl_store_step(st, q, err)) > 0) {
        double s = sqlite3_column_double(q, 0), share = makespan > 0 ? s / makespan : 0;
        char bar[4 * BAR + 4];
        int width = 0;
        if (task && n++ >= TASKS && !all) {
            rest_s += s;
            continue;
        }
        sl_show_bar(share, BAR, bar);
        for (const char *c = bar; *c; c++)
            width += (*c & 0xC0) != 0x80;
        printf("%12.6f  %4.1f %%  %s%*s  %5lld  %s%s%s\n", s, 100 * share, bar, BAR - width, "",
               (long long)sqlite3_column_int64(q, 1), (const char *)sqlite3_column_text(q, 2), state ? ", " : "",
               (const char *)sqlite3_column_text(q, 3));
    }
    if (n > TASKS && !all)
        printf("%12.6f  of %d more; --all shows them\n", rest_s, n - TASKS);
    sqlite3_finalize(q);
    return rc;
}

struct rest { /* short parts that stand in one line */
    double from_s, s;
    int n;
    bool any;       /* stood in a line before */
    char only[200]; /* what stands there when it is one */
};

static void show_rest(struct rest *r)
{
    bool any = r->any || r->n > 1;

    if (r->n == 1)
        puts(r->only);
    else if (r->n)
        printf("%12.6f %12.6f  ... %d short parts\n", r->from_s, r->s, r->n);
    *r = (struct rest){.any = any};
}

/* The longest parts, in order of time; those between them put together. */
static int show_parts(struct sl_store *st, bool all, double makespan, struct sl_err *err)
{
    sqlite3_stmt *q = sl_store_prepare(st, sql_sql, err);
    struct rest rest = {0};
    int rc = q ? 0 : SL_ESTORE;

    if (!q)
        return rc;
    sqlite3_bind_int(q, 1, all);
    sqlite3_bind_int(q, 2, PARTS);
    sqlite3_bind_double(q, 3, makespan / 100);
    printf("\n%12s %12s  %-10s  %s\n", "since start", "seconds", "task", "component, state");
    while ((rc = sl_store_step(st, q, err)) > 0) {
        const char *task = (const char *)sqlite3_column_text(q, 2);
        char line[sizeof rest.only];
        snprintf(line, sizeof line, "%12.6f %12.6f  %-10s  %s, %s", sqlite3_column_double(q, 0),
                 sqlite3_column_double(q, 1), task ? task : "", (const char *)sqlite3_column_text(q, 3),
                 (const char *)sqlite3_column_text(q, 4));
        if (sqlite3_column_int(q, 5)) {
            show_rest(&rest);
            puts(line);
            continue;
        }
        if (!rest.n++) {
            rest.from_s = sqlite3_column_double(q, 0);
            memcpy(rest.only, line, sizeof line);
        }
        rest.s += sqlite3_column_double(q, 1);
    }
    show_rest(&rest);
    if (rest.any)
        puts("(--all shows the short parts, too)");
    sqlite3_finalize(q);
    return rc;
}

static int show(struct sl_store *st, int64_t workflow, const char *by, bool all, struct sl_err *err)
{
    double makespan = 0;
    int rc = keep_path(st, workflow, err);

    if (!rc)
        rc = show_head(st, workflow, &makespan, err);
    if (!rc)
        rc = show_blame(st, by, all, makespan, err);
    return rc ? rc : show_parts(st, all, makespan, err);
}

static void time_text(sqlite3_context *out, int argc, sqlite3_value **argv)
{
    char text[SL_TIME_TEXT];

    (void)argc;
    sl_time_text(sqlite3_value_int64(argv[0]), text);
    sqlite3_result_text(out, text, -1, SQLITE_TRANSIENT);
}

static int run(struct cli *cli, int argc, char **argv)
{
    const char *by = cli_option(cli, "by");
    bool slack = cli_option(cli, "slack") != NULL;
    struct sl_err err = {0};
    struct sl_store *st;
    int64_t workflow;
    int rc;

    if (by && strcmp(by, "state") != 0 && strcmp(by, "component") != 0 && strcmp(by, "task") != 0)
        return cli_usage(cli, "--by is state, component or task, not '%s'", by);
    if (slack && (by || cli_option(cli, "all")))
        return cli_usage(cli, "--slack has a line for each task, and takes neither --by nor --all");
    if ((rc = cli_workflow(cli, argc, argv, &st, &workflow)))
        return rc;
    sqlite3_create_function(st->db, "sl_time_text", 1, SQLITE_UTF8, NULL, time_text, NULL, NULL);
    if (slack || cli->format != SL_FORMAT_TABLE)
        rc = rows(cli, st, slack ? sql_slack : sql_path, workflow);
    else
        rc = show(st, workflow, by ? by : "state", cli_option(cli, "all") != NULL, &err);
    sl_store_close(st);
    return rc < 0 ? cli_fail(cli, &err) : rc;
}

const struct command cmd_critical_path = {.name = "critical-path",
                                          .args = "[TYPE KEY]",
                                          .help = "what made a workflow as long as it was, every second of it",
                                          .options = options,
                                          .run = run};
