/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/workflow.h"
#include "result/contents.h"

static int run(struct cli *cli, int argc, char **argv)
{
    struct sl_result r = {0};
    struct sl_err err = {0};
    struct sl_store *st;
    int rc;

    if (argc)
        return cli_usage(cli, "runs takes no arguments, but was given %s", argv[0]);
    if (!(st = cli_open(cli)))
        return EXIT_FAILED;
    rc = cli_states(cli, st, &err);
    if (!rc)
        rc = sl_result_workflows(&r, st, cli->format == SL_FORMAT_TABLE, &err);
    return cli_end(cli, st, &r, rc, &err);
}

const struct command cmd_runs = {
    .name = "runs",
    .args = "",
    .help = "which runs the store holds, and what --run calls them",
    .run = run,
};
