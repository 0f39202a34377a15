/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/workflow.h"
#include "result/contents.h"

static const struct option_spec options[] = {
    {"events", NULL, "instead, a line for each type of event and of the spans that it is on"},
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
        return cli_usage(cli, "types takes no arguments, but was given %s", argv[0]);
    if (!(st = cli_open(cli)))
        return EXIT_FAILED;
    rc = cli_within(cli, st, &within, &err);
    if (!rc)
        rc = cli_option(cli, "events") ? sl_result_event_types(&r, st, within, &err)
                                       : sl_result_types(&r, st, within, &err);
    if (!rc)
        cli_say_lost(st, within);
    return cli_end(cli, st, &r, rc, &err);
}

const struct command cmd_types = {
    .name = "types",
    .args = "",
    .help = "the types of spans, one a line",
    .options = options,
    .run = run,
};
