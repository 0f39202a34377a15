/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/history.h"
#include "cli/lens.h"
#include "result/find_span.h"

static const struct option_spec options[] = {
    {"run", "RUN", "of this run: its id, the beginning of it, or the name of its directory (001)", false},
    {"lines", NULL, "also the log lines, those too that only name it", false},
    {"recipe", "FILE", "for --lines: the recipe that read them, where it is your own", false},
    LENS_OPTIONS,
    {NULL, NULL, NULL, false},
};

static int show(const struct cli *cli, struct sl_store *st, int64_t span, struct sl_err *err)
{
    bool lines = cli_option(cli, "lines"), lens;
    char roots[64];
    int rc = cli_lens(cli, st, &lens, err);

    if (rc)
        return rc;
    if (lines)
        rc = history_gather_lines(cli, st, span, err);
    if (!rc && cli->format != SL_FORMAT_TABLE) {
        snprintf(roots, sizeof roots, "SELECT %lld AS id", (long long)span);
        return history_rows(cli, st, roots, lines, lens, err);
    }
    if (!rc)
        rc = history_contexts(st, span, err);
    if (!rc) {
        putchar('\n');
        rc = history_events(st, span, lines, lens, err);
    }
    return rc ? rc : history_reach(st, span, err);
}

static int run(struct cli *cli, int argc, char **argv)
{
    struct sl_store *st;
    struct sl_err err = {0};
    int64_t span = 0;
    int rc;

    if (cli_option(cli, "recipe") && !cli_option(cli, "lines"))
        return cli_usage(cli, "--recipe is for --lines");
    if (!(st = cli_open(cli)))
        return EXIT_FAILED;
    rc = sl_find_span(st, argc, argv, cli_option(cli, "run"), &span, &err);
    if (!rc)
        rc = show(cli, st, span, &err);
    sl_store_close(st);
    return rc ? cli_fail(cli, &err) : EXIT_DONE;
}

const struct command cmd_show = {"show", "TYPE KEY", "the whole path of one span through every component", options,
                                 run};
