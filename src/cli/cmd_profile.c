/* SPDX-License-Identifier: Apache-2.0 */
/* A name for the table functions call_profile() and call_tree(), on one screen. */
#include "base/buf.h"
#include "cli/over_time.h"
#include "cli/profile_show.h"
#include "cli_cmd_profile.sql.h"
#include "result/find_span.h"

#include <string.h>

enum { TOP = 15 };

static const struct option_spec options[] = {
    {"flat", NULL, "only the functions, one row each", false},
    {"tree", NULL, "only the call tree, one row for each path of functions", false},
    {"by", "WHICH", "apart for each thread, process or rank", false},
    {"top", "N", "so many rows of each, for people (default: 15; 0: all)", false},
    RUN_OPTION,
    {NULL, NULL, NULL, false},
};

static int rows(const struct cli *cli, struct sl_store *st, const struct profile_view *view)
{
    static const char *const by[] = {"", "thread", "process", "rank"};
    char *sql;
    int rc;

    if (view->want.nwithin)
        sql = sqlite3_mprintf("SELECT * FROM %s(%lld, %s%s%s)", view->flat ? "call_profile" : "call_tree",
                              (long long)view->want.within[0], view->want.by ? "'" : "NULL", by[view->want.by],
                              view->want.by ? "'" : "");
    else
        sql = sqlite3_mprintf("SELECT * FROM %s(NULL, %s%s%s)", view->flat ? "call_profile" : "call_tree",
                              view->want.by ? "'" : "NULL", by[view->want.by], view->want.by ? "'" : "");
    rc = cli_query(cli, st, sql, NULL);
    sqlite3_free(sql);
    return rc;
}

/* Processes that nothing in the store has started: what ran on its own.  Several of them are in one profile. */
static void emit_runs(struct sl_store *st)
{
    sqlite3_stmt *q = sl_store_prepare(st, sql_tops, NULL);
    bool other = strcmp(st->path, "spanloom.db") != 0;
    struct sl_buf key = {0};
    char count[32];

    if (q && sl_store_step(st, q, NULL) > 0 && sqlite3_column_int(q, 0) > 1) {
        const char *text = (const char *)sqlite3_column_text(q, 1);
        sl_show_clean(&key, text, strlen(text));
        printf("\n%s runs (top processes) are in this store; the last: spanloom profile --run %s%s%s\n",
               sl_show_count((uint64_t)sqlite3_column_int64(q, 0), count), key.s, other ? " -d " : "",
               other ? st->path : "");
    }
    sqlite3_finalize(q);
    sl_buf_free(&key);
}

static int run(struct cli *cli, int argc, char **argv)
{
    const char *top = cli_option(cli, "top"), *by = cli_option(cli, "by");
    bool flat = cli_option(cli, "flat") != NULL, tree = cli_option(cli, "tree") != NULL;
    struct profile_view view = {.flat = flat || !tree, .tree = tree || !flat, .top = TOP};
    struct sl_err err = {0};
    struct sl_store *st;
    int64_t within = 0;
    int rc, found = by ? sl_calls_by_find(by) : SL_BY_NONE;

    if (found < 0)
        return cli_usage(cli, "--by takes thread, process or rank, not '%s'", by);
    if (top && (rc = cli_number(top, 0)) < 0)
        return cli_usage(cli, "--top needs a number from 0 up");
    if (top)
        view.top = (size_t)rc;
    view.want.by = (enum sl_calls_by)found;
    if (!(st = cli_open(cli)))
        return EXIT_FAILED;
    rc = argc ? sl_find_span(st, argc, argv, cli_option(cli, "run"), &within, &err)
              : sl_find_run(st, cli_option(cli, "run"), &within, &err);
    if (!rc && within) {
        view.want.within = &within;
        view.want.nwithin = 1;
    }
    if (!rc && cli->format != SL_FORMAT_TABLE) {
        view.flat = !tree;
        rc = rows(cli, st, &view);
    } else if (!rc) {
        rc = profile_show(stdout, st, &view, &err);
        if (rc > 0 && !within)
            emit_runs(st);
        if (!rc)
            rc = sl_err(
                &err, SL_ENOTFOUND,
                "%s holds no calls of traced programs%s; trace one with: spanloom run PROGRAM, built with $(spanloom "
                "flags c), or spanloom trace SCRIPT",
                st->path, within ? " in that span" : "");
    }
    sl_store_close(st);
    return rc < 0 ? cli_fail(cli, &err) : rc == 1 && cli->format == SL_FORMAT_TABLE ? EXIT_DONE : rc;
}

const struct command cmd_profile = {"profile", "[TYPE KEY]", "which functions of traced programs took the time",
                                    options, run};
