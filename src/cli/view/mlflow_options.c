/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/view/mlflow_options.h"
#include "cli/monitor/node_files.h"
#include "cli/question.h"
#include "export/mlflow.h"
#include "result/metrics_tables.h"
#include "result/spans/find_span.h"
#include "trace/job_environment.h"
#include "view_mlflow_options.sql.h"

#include <stdlib.h>
#include <string.h>

int cli_mlflow_names(const struct cli *cli, enum cli_mlflow_names *names)
{
    static const char *const kinds[] = {"table", "code", "system"};
    const char *given = cli_option(cli, "names");

    *names = CLI_MLFLOW_TABLE;
    if (!given)
        return EXIT_DONE;
    for (int i = 0; i < 3; i++)
        if (!strcmp(given, kinds[i])) {
            *names = (enum cli_mlflow_names)i;
            return EXIT_DONE;
        }
    return cli_usage(cli, "--names is table, code or system, not '%s'", given);
}

static int add_summaries(struct sl_mlflow_export *e, struct sl_store *st, int64_t within, bool code, struct sl_err *err)
{
    struct sl_result r = {0};
    int rc = sl_result_metrics(&r, st, SL_METRICS_NODE, within, code, err);
    struct sl_table *t = rc ? NULL : sl_result_find(&r, "metrics");

    while (t && (rc = sl_table_next(t, err)) > 0)
        for (int c = SL_METRICS_FIRST; c < t->columns; c++)
            sl_mlflow_add(e, t->column[c].name, sl_table_real_or_nan(t, c), sl_table_int(t, SL_METRICS_step),
                          sl_table_int(t, SL_METRICS_last_ns) / 1000000);
    sl_result_free(&r);
    return rc;
}

static int add_system(void *to, sqlite3_stmt *row, struct sl_err *err)
{
    (void)err;
    if (sqlite3_column_type(row, 1) != SQLITE_NULL)
        sl_mlflow_add(to, sl_store_text(row, 0), sqlite3_column_double(row, 1), sqlite3_column_int64(row, 2),
                      sqlite3_column_int64(row, 3));
    return 0;
}

static int fill(struct sl_mlflow_export *e, struct sl_store *st, int64_t within, enum cli_mlflow_names names,
                struct sl_err *err)
{
    int rc;

    if (names != CLI_MLFLOW_SYSTEM)
        rc = add_summaries(e, st, within, names == CLI_MLFLOW_CODE, err);
    else
        rc = sl_store_each(st, sql_system, add_system, e, err, within ? "i" : "", within);
    if (!rc && !e->metrics.n)
        return sl_err(err, SL_ENOTFOUND,
                      "%s holds no metrics of nodes; import the spanloom-monitor.*.jsonl of `spanloom monitor`",
                      st->path);
    e->artifact = "spanloom-nodes.json";
    return rc ? rc : sl_result_reports(&e->content, st, within, err);
}

static int report(const struct sl_mlflow_outcome *o, bool already)
{
    if (already)
        cli_warn(NULL, "the server has this already; it is not sent again");
    if (o->waiting)
        cli_say("%d export%s; the next `spanloom export mlflow` sends %s (`--spooled`: only what waits)", o->waiting,
                o->waiting == 1 ? " waits" : "s wait", o->waiting == 1 ? "it" : "them");
    return o->waiting || o->refused ? EXIT_FAILED : EXIT_DONE;
}

int cli_mlflow_send(const struct cli *cli, struct sl_store *st, int64_t within, const char *name,
                    enum cli_mlflow_names names)
{
    struct sl_mlflow_outcome outcome = {0};
    struct sl_mlflow_export e = {.name = name};
    struct sl_mlflow_settings s;
    struct sl_err err = {0};
    bool already = false;
    int rc = sl_mlflow_settings(&s, &err);

    if (!rc && st)
        rc = fill(&e, st, within, names, &err);
    if (!rc)
        rc = sl_mlflow_send(&s, st ? &e : NULL, &already, &outcome, cli_warn, NULL, &err);
    sl_mlflow_export_free(&e);
    sl_mlflow_settings_free(&s);
    return rc ? cli_fail(cli, &err) : report(&outcome, already);
}

int cli_mlflow_ready(const struct cli *cli)
{
    struct sl_mlflow_settings s;
    struct sl_err err = {0};
    int rc = sl_mlflow_settings(&s, &err);

    if (!rc && !s.run_id && sl_job_environment_rank())
        rc = sl_err(&err, SL_EUSAGE,
                    "each of several monitors would make a run of its own: name one for all, "
                    "MLFLOW_RUN_ID");
    sl_mlflow_settings_free(&s);
    return rc ? cli_fail(cli, &err) : EXIT_DONE;
}

int cli_mlflow_file(const struct cli *cli, const char *path, enum cli_mlflow_names names)
{
    struct sl_store *st = cli_node_store(cli, 1, (char *const[]){(char *)path, NULL});
    int rc = st ? cli_mlflow_send(cli, st, 0, NULL, names) : EXIT_FAILED;

    sl_store_close(st);
    return rc;
}

static int store_name(void *to, sqlite3_stmt *row, struct sl_err *err)
{
    (void)err;
    snprintf(to, SL_TYPE_BYTES, "%.200s", sl_store_text(row, 0));
    return 0;
}

int cli_mlflow_export(struct cli *cli, int argc, char **argv)
{
    enum cli_mlflow_names names;
    char name[SL_TYPE_BYTES] = "spanloom";
    struct sl_store *st;
    struct sl_err err = {0};
    int64_t within;
    int rc = cli_mlflow_names(cli, &names);

    if (rc)
        return rc;
    if (cli_option(cli, "spooled"))
        return argc ? cli_usage(cli, "--spooled sends what waits, and no files")
                    : cli_mlflow_send(cli, NULL, 0, NULL, names);
    if (!(st = cli_node_store(cli, argc, argv)))
        return EXIT_FAILED;
    rc = sl_find_run(st, cli_option(cli, "run"), &within, &err);
    if (!rc && within)
        rc = sl_store_each(st, sql_name, store_name, name, &err, "i", within);
    rc = rc ? cli_fail(cli, &err) : cli_mlflow_send(cli, st, within, name, names);
    sl_store_close(st);
    return rc;
}
