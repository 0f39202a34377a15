/* SPDX-License-Identifier: Apache-2.0 */
/* A name for the table functions call_profile() and call_tree(), on one screen. */
#include "base/buf.h"
#include "cli/question.h"
#include "cli/trace/profile_files.h"
#include "cli/view/picture.h"
#include "collect/process.h"
#include "result/profile_tables.h"
#include "result/spans/find_span.h"
#include "show/print_profile.h"

#include <string.h>

enum { TOP = 15 };

static const struct option_spec options[] = {
    {"flat", NULL, "only the functions, one row each"},
    {"tree", NULL, "only the call tree, one row for each path of functions"},
    {"by", "WHICH", "apart for each thread, process or rank"},
    {"top", "N", "so many rows of each, for people (default: 15; 0: all)"},
    RUN_OPTION,
    PICTURE_OPTION,
    {NULL, NULL, NULL},
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
        printf("\n%s runs (top processes) are in this store; the last:\n"
               "    spanloom profile --run %s%s%s\n",
               sl_show_count((uint64_t)sl_table_int(t, RUNS), count), key.s, other ? " -d " : "", other ? store : "");
    }
    sl_buf_free(&key);
    return rc < 0 ? rc : 0;
}

static int show(struct sl_result *r, struct sl_store *st, const struct sl_profile_want *want, size_t top, bool files,
                struct sl_err *err)
{
    int rc = sl_result_profile(r, st, want, err);

    if (rc)
        return rc;
    if (!(rc = sl_show_profile(stdout, r, top, shell_process_lives, err)))
        return sl_err(
            err, SL_ENOTFOUND,
            "%s hold%s no calls of traced programs%s; trace one with: spanloom run PROGRAM, built with $(spanloom "
            "flags c), or spanloom trace SCRIPT",
            st->path, files ? "" : "s", want->calls.nwithin ? " in that span" : "");
    return rc > 0 && !want->calls.nwithin && !files ? say_runs(sl_result_find(r, "runs"), st->path, err) : rc;
}

/* That table is for people alone. */
static void say_short(struct sl_table *t)
{
    enum { NAME, CALLS };
    unsigned long long n = 0;
    struct sl_err err = {0};
    char count[32];
    int rc;

    while ((rc = sl_table_next(t, &err)) > 0)
        n += (unsigned long long)sl_table_int(t, CALLS);
    if (rc < 0)
        cli_say("%s", err.text);
    if (n)
        cli_say("%s call%s shorter than min-duration, and only counted: --format table has %s", sl_show_count(n, count),
                n == 1 ? " was" : "s were", n == 1 ? "it" : "them");
}

/* Into *st, and *sums where calls are not in that. */
static int open_source(struct cli *cli, int argc, char **argv, bool files, struct sl_store **st,
                       struct sl_call_sums *sums, struct sl_profile_want *want, int64_t *within, struct sl_err *err)
{
    int rc;

    if (files) {
        rc = profile_read_files(cli, argc, argv, st, sums, err);
        want->calls.sums = sums;
        return rc;
    }
    if (!(*st = cli_open(cli)))
        return 0;
    rc = argc ? sl_find_span(*st, argc, argv, cli_option(cli, "run"), within, err)
              : sl_find_run(*st, cli_option(cli, "run"), within, err);
    if (!rc && *within) {
        want->calls.within = within;
        want->calls.nwithin = 1;
    }
    return rc;
}

static int run(struct cli *cli, int argc, char **argv)
{
    const char *top = cli_option(cli, "top"), *by = cli_option(cli, "by");
    bool flat = cli_option(cli, "flat") != NULL, tree = cli_option(cli, "tree") != NULL;
    struct sl_profile_want want = {.flat = flat || !tree, .tree = tree || !flat};
    struct sl_result r = {0};
    struct sl_call_sums sums = {0};
    bool files = profile_is_files(cli, argc, argv);
    size_t most = TOP;
    struct sl_err err = {0};
    struct sl_store *st = NULL;
    int64_t within = 0;
    int rc, found = by ? sl_calls_by_find(by) : SL_BY_NONE;

    if (cli_option(cli, "output"))
        return cli_picture(cli, "flame", argc, argv);
    if (found < 0)
        return cli_usage(cli, "--by takes thread, process or rank, not '%s'", by);
    if (top && (rc = cli_number(top, 0)) < 0)
        return cli_usage(cli, "--top needs a number from 0 up");
    if (files && cli_option(cli, "run"))
        return cli_usage(cli, "--run is of a store, not of files");
    if (top)
        most = (size_t)rc;
    want.calls.by = (enum sl_calls_by)found;
    rc = open_source(cli, argc, argv, files, &st, &sums, &want, &within, &err);
    if (!rc && !st)
        return EXIT_FAILED;
    if (rc >= 0 && cli->format == SL_FORMAT_TABLE) {
        rc = show(&r, st, &want, most, files, &err);
    } else if (rc >= 0) {
        want.flat = !tree;
        rc = sl_result_calls(&r, st, &want, &err);
        if (!rc)
            rc = sl_show_result(stdout, &r, cli->format, &err);
        if (!rc)
            say_short(sl_result_find(&r, "short"));
    }
    sl_result_free(&r);
    if (rc >= 0)
        cli_say_lost(st, within);
    sl_store_close(st);
    sl_call_sums_free(&sums);
    return rc < 0 ? cli_fail(cli, &err) : EXIT_DONE;
}

const struct command cmd_profile = {
    .name = "profile",
    .args = "[TYPE KEY | FILE...]",
    .help = "which functions of traced programs took the time",
    .options = options,
    .run = run,
};
