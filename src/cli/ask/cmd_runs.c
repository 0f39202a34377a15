/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/workflow.h"
#include "result/contents.h"

static int run(struct cli *cli, int argc, char **argv)
{
    struct sl_result r = {0};
    struct sl_err err = {0}, none = {0};
    struct sl_store *st;
    int64_t first;
    uint64_t n;
    int rc;

    if (argc)
        return cli_usage(cli, "runs takes no arguments, but was given %s", argv[0]);
    if (!(st = cli_open(cli)))
        return EXIT_FAILED;
    rc = cli_states(cli, st, &err);
    if (!rc)
        rc = sl_result_workflows(&r, st, cli->format == SL_FORMAT_TABLE, &err);
    if (!rc && cli->format == SL_FORMAT_TABLE && !(rc = cli_workflows(st, &first, &n, NULL, &err)) && !n) {
        cli_no_workflow(st, st->path, &none);
        cli_say("%s", none.text);
        sl_result_free(&r);
        sl_store_close(st);
        return EXIT_DONE;
    }
    return cli_end(cli, st, &r, rc, &err);
}

const struct command cmd_runs = {
    .name = "runs",
    .args = "",
    .help = "which runs the store holds, and what --run calls them",
    .run = run,
};
