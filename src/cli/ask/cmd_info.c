/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/workflow.h"
#include "result/contents.h"
#include "result/find_span.h"

static const struct option_spec options[] = {
    RUN_OPTION,
    {NULL, NULL, NULL},
};

static int run(struct cli *cli, int argc, char **argv)
{
    struct sl_result r = {0};
    struct sl_err err = {0};
    struct sl_store *st;
    int64_t within;
    int rc;

    if (argc)
        return cli_usage(cli, "info takes no arguments, but was given %s", argv[0]);
    if (!(st = cli_open(cli)))
        return EXIT_FAILED;
    rc = sl_find_run(st, cli_option(cli, "run"), &within, &err);
    if (!rc)
        rc = sl_result_info(&r, st, within, &err);
    if (!rc)
        rc = sl_result_runs(&r, st, within, &err);
    if (!rc)
        cli_say_lost(st, within);
    return cli_end(cli, st, &r, rc, &err);
}

const struct command cmd_info = {
    .name = "info",
    .args = "",
    .help = "what the store holds",
    .options = options,
    .run = run,
};
