/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/workflow.h"
#include "findings/failures.h"
#include "show/why.h"

static const struct option_spec options[] = {
    WORKFLOW_OPTION,
    {NULL, NULL, NULL},
};

static int run(struct cli *cli, int argc, char **argv)
{
    struct sl_result r = {0};
    struct sl_err err = {0};
    struct sl_store *st;
    int64_t workflow;
    int rc;

    if ((rc = cli_workflow(cli, argc, argv, &st, &workflow)))
        return rc;
    rc = sl_failures(&r, st, workflow, &err);
    if (!rc && cli->format == SL_FORMAT_TABLE)
        rc = sl_show_task_failures(stdout, &r, cli_columns(), &err);
    else if (!rc)
        rc = sl_show_result(stdout, &r, cli->format, &err);
    sl_result_free(&r);
    sl_store_close(st);
    return rc < 0 ? cli_fail(cli, &err) : EXIT_DONE;
}

const struct command cmd_failures = {
    .name = "failures",
    .args = "[RUN | TYPE KEY]",
    .help = "what failed, by exception, app and host, and what that cost",
    .options = options,
    .run = run,
};
