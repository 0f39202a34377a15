/* SPDX-License-Identifier: Apache-2.0 */
/* A name for the table functions critical_path() and slack(), and tables to read. */
#include "cli/view/picture.h"
#include "cli/workflow.h"
#include "result/critical_path.h"
#include "show/critical_path.h"

static const struct option_spec options[] = {
    WORKFLOW_OPTION,
    {"by", "PART", "how the time is summed: state (the default), component, task, app, executor, node, worker, type"},
    {"all", NULL, "every part of the path, the shortest ones too"},
    {"slack", NULL, "instead, for each task: how much later it could have been done"},
    SKEW_OPTION,
    PICTURE_OPTION,
    {NULL, NULL, NULL},
};

static int run(struct cli *cli, int argc, char **argv)
{
    const char *by = cli_option(cli, "by");
    enum sl_blame blame = by ? sl_blame_find(by) : SL_BLAME_STATE;
    bool people = cli->format == SL_FORMAT_TABLE, slack = cli_option(cli, "slack") != NULL;
    bool all = cli_option(cli, "all") != NULL;
    struct sl_result r = {0};
    struct sl_err err = {0};
    struct sl_store *st;
    int64_t workflow;
    int rc;

    if (cli_option(cli, "output"))
        return cli_picture(cli, "critical-path", argc, argv);
    if (blame == SL_BLAME_NONE)
        return cli_usage(cli, "--by is state, component, task, app, executor, node, worker or type, not '%s'", by);
    if (slack && (by || all))
        return cli_usage(cli, "--slack has a line for each task, and takes neither --by nor --all");
    if ((rc = cli_workflow(cli, argc, argv, &st, &workflow)))
        return rc;
    rc = slack ? sl_result_slack(&r, st, workflow, &err)
               : sl_result_critical_path(&r, st, workflow, blame, by, people, &err);
    if (!rc)
        rc = people && !slack ? sl_show_critical_path(stdout, &r, by, all, &err)
                              : sl_show_result(stdout, &r, cli->format, &err);
    sl_result_free(&r);
    sl_store_close(st);
    return rc < 0 ? cli_fail(cli, &err) : EXIT_DONE;
}

const struct command cmd_critical_path = {.name = "critical-path",
                                          .args = "[RUN | TYPE KEY]",
                                          .help = "what made a workflow as long as it was, every second of it",
                                          .options = options,
                                          .run = run};
