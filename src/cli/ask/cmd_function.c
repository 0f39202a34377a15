/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `spanloom NAME` for each table function that has no command of its own, made from its list of arguments and columns.
 * What it needs are arguments, but for the workflow or span that --run says; what it may be given are options.
 */
#include "cli/ask/cmd_function.h"
#include "analyse/sqlfn/sqlfn.h"
#include "base/buf.h"
#include "cli/workflow.h"
#include "result/spans/find_span.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct sl_table_fn *function;

/* Given by --run: the workflow, or the span to which all belongs. */
static bool is_run(const struct sl_column *c)
{
    return !strcmp(c->name, "workflow") || !strcmp(c->name, "within");
}

static const char *given(const struct cli *cli, const struct sl_column *c)
{
    char name[64];
    size_t i = 0;

    for (; c->name[i] && i + 1 < sizeof name; i++)
        name[i] = c->name[i] == '_' ? '-' : c->name[i];
    name[i] = 0;
    return cli_option(cli, name);
}

/* A number where it is one, as keys of spans are and names of functions are not. */
static void bind_text(sqlite3_stmt *q, int at, const char *s)
{
    char *end;
    long long i = strtoll(s, &end, 10);

    if (*s && !*end) {
        sqlite3_bind_int64(q, at, i);
        return;
    }
    double d = strtod(s, &end);
    if (*s && !*end && !isalpha((unsigned char)*s))
        sqlite3_bind_double(q, at, d);
    else
        sqlite3_bind_text(q, at, s, -1, SQLITE_TRANSIENT);
}

static int bind_run(const struct cli *cli, struct sl_store *st, sqlite3_stmt *q, int at, struct sl_err *err)
{
    bool workflow = !strcmp(function->arg[at].name, "workflow");
    int64_t id = 0;
    int rc = workflow ? cli_find_workflow(cli, st, NULL, &id, err) : sl_find_run(st, cli_option(cli, "run"), &id, err);

    if (!rc && id)
        sqlite3_bind_int64(q, at + 1, id);
    return rc;
}

/* SELECT * FROM NAME(?1, ...), with all that was given. */
static sqlite3_stmt *prepare(const struct cli *cli, struct sl_store *st, char **argv, struct sl_err *err)
{
    int args = sl_table_args(function), rc = 0;
    struct sl_buf sql = {0};
    sqlite3_stmt *q;

    sl_buf_addf(&sql, "SELECT %s* FROM %s(", cli_option(cli, "by") ? "name, " : "", function->name);
    for (int i = 0; i < args; i++)
        sl_buf_addf(&sql, "%s?%d", i ? ", " : "", i + 1);
    sl_buf_addc(&sql, ')');
    q = sl_store_prepare(st, sql.s, err);
    sl_buf_free(&sql);
    for (int i = 0; q && i < args && !rc; i++) {
        const char *s = is_run(&function->arg[i]) ? NULL
                        : i < function->needed    ? *argv++
                                                  : given(cli, &function->arg[i]);
        if (is_run(&function->arg[i]))
            rc = bind_run(cli, st, q, i, err);
        else if (s)
            bind_text(q, i + 1, s);
    }
    if (!rc)
        return q;
    sqlite3_finalize(q);
    return NULL;
}

static int run_function(struct cli *cli, int argc, char **argv)
{
    int wanted = 0, visible = function->row->n - function->hidden, rc;
    struct sl_result r = {0};
    struct sl_err err = {0};
    struct sl_store *st;
    sqlite3_stmt *q;

    for (int i = 0; i < function->needed; i++)
        wanted += !is_run(&function->arg[i]);
    if (argc != wanted)
        return cli_usage(cli, "%s takes %s%s", cli->command->name, wanted ? "" : "no arguments", cli->command->args);
    if (!(st = cli_open(cli)))
        return EXIT_FAILED;
    rc = cli_states(cli, st, &err);
    q = rc ? NULL : prepare(cli, st, argv, &err);
    rc = q ? 0 : SL_ESTORE;
    if (q && cli_option(cli, "by")) /* which group a row is of comes before it */
        sl_result_query(&r, function->name, NULL, 0, q);
    else if (q)
        sl_result_query(&r, function->name, function->row->v, visible, q);
    return cli_end(cli, st, &r, rc, &err);
}

/* Its name as a command: task-times. */
static bool is_called(const struct sl_table_fn *fn, const char *name)
{
    for (const char *s = fn->name; *s; s++, name++)
        if (*name != *s && (*s != '_' || *name != '-'))
            return false;
    return !*name;
}

const struct command *cli_function_command(const char *name)
{
    enum { MOST = SL_TABLE_ARGS + 2 };
    static struct option_spec options[MOST];
    static char names[MOST][64];
    static struct command c;
    static struct sl_buf args;
    size_t n = 0;

    for (size_t i = 0; (function = sl_table_fn_at(i)) && !is_called(function, name); i++)
        ;
    if (!function)
        return NULL;
    sl_buf_clear(&args);
    sl_buf_adds(&args, "");
    for (int i = 0; i < sl_table_args(function); i++) {
        const struct sl_column *a = &function->arg[i];
        if (is_run(a)) {
            options[n++] = i < function->needed ? (struct option_spec)WORKFLOW_OPTION : (struct option_spec)RUN_OPTION;
            continue;
        }
        for (size_t k = 0; k + 1 < sizeof *names && (k == 0 || a->name[k - 1]); k++)
            names[n][k] = i < function->needed ? (char)toupper((unsigned char)a->name[k])
                          : a->name[k] == '_'  ? '-'
                                               : a->name[k];
        if (i < function->needed)
            sl_buf_addf(&args, "%s%s", args.n ? " " : "", names[n]);
        else
            options[n] = (struct option_spec){names[n], "VALUE", a->meaning}, n++;
    }
    options[n] = (struct option_spec){NULL, NULL, NULL};
    c = (struct command){
        .name = name, .args = args.s, .help = function->about, .options = options, .run = run_function};
    return &c;
}
