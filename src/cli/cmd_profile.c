/* SPDX-License-Identifier: Apache-2.0 */
/* A name for the table functions call_profile() and call_tree(), on one screen. */
#include "base/buf.h"
#include "cli/over_time.h"
#include "collect/process.h"
#include "result/find_span.h"
#include "result/profile.h"
#include "show/profile.h"

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

/* Processes that nothing in the store has started: what ran on its own.  Several of them are in one profile. */
static int say_runs(struct sl_table *t, const char *store, struct sl_err *err)
{
    enum { RUNS, LAST };
    bool other = strcmp(store, "spanloom.db") != 0;
    struct sl_buf key = {0};
    char count[32];
    int rc = sl_table_next(t, err);

    if (rc > 0 && sl_table_int(t, RUNS) > 1) {
        const char *text = sl_table_text_or_empty(t, LAST);
        sl_show_clean(&key, text, strlen(text));
        printf("\n%s runs (top processes) are in this store; the last: spanloom profile --run %s%s%s\n",
               sl_show_count((uint64_t)sl_table_int(t, RUNS), count), key.s, other ? " -d " : "", other ? store : "");
    }
    sl_buf_free(&key);
    return rc < 0 ? rc : 0;
}

static int show(struct sl_result *r, struct sl_store *st, const struct sl_profile_want *want, size_t top,
                struct sl_err *err)
{
    int rc = sl_result_profile(r, st, want, err);

    if (rc)
        return rc;
    if (!(rc = sl_show_profile(stdout, r, top, shell_process_lives, err)))
        return sl_err(
            err, SL_ENOTFOUND,
            "%s holds no calls of traced programs%s; trace one with: spanloom run PROGRAM, built with $(spanloom "
            "flags c), or spanloom trace SCRIPT",
            st->path, want->calls.nwithin ? " in that span" : "");
    return rc > 0 && !want->calls.nwithin ? say_runs(sl_result_find(r, "runs"), st->path, err) : rc;
}

static int run(struct cli *cli, int argc, char **argv)
{
    const char *top = cli_option(cli, "top"), *by = cli_option(cli, "by");
    bool flat = cli_option(cli, "flat") != NULL, tree = cli_option(cli, "tree") != NULL;
    struct sl_profile_want want = {.flat = flat || !tree, .tree = tree || !flat};
    struct sl_result r = {0};
    size_t most = TOP;
    struct sl_err err = {0};
    struct sl_store *st;
    int64_t within = 0;
    int rc, found = by ? sl_calls_by_find(by) : SL_BY_NONE;

    if (found < 0)
        return cli_usage(cli, "--by takes thread, process or rank, not '%s'", by);
    if (top && (rc = cli_number(top, 0)) < 0)
        return cli_usage(cli, "--top needs a number from 0 up");
    if (top)
        most = (size_t)rc;
    want.calls.by = (enum sl_calls_by)found;
    if (!(st = cli_open(cli)))
        return EXIT_FAILED;
    rc = argc ? sl_find_span(st, argc, argv, cli_option(cli, "run"), &within, &err)
              : sl_find_run(st, cli_option(cli, "run"), &within, &err);
    if (!rc && within) {
        want.calls.within = &within;
        want.calls.nwithin = 1;
    }
    if (!rc && cli->format == SL_FORMAT_TABLE) {
        rc = show(&r, st, &want, most, &err);
    } else if (!rc) {
        want.flat = !tree;
        rc = sl_result_calls(&r, st, &want, &err);
        if (!rc)
            rc = sl_show_result(stdout, &r, cli->format, &err);
    }
    sl_result_free(&r);
    sl_store_close(st);
    return rc < 0 ? cli_fail(cli, &err) : EXIT_DONE;
}

const struct command cmd_profile = {
    .name = "profile",
    .args = "[TYPE KEY]",
    .help = "which functions of traced programs took the time",
    .options = options,
    .run = run,
};
