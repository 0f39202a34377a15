/* SPDX-License-Identifier: Apache-2.0 */
/* A name for the table functions critical_path() and slack(), and tables to read. */
#include "cli/question.h"
#include "cli/view/picture.h"
#include "result/path_tables.h"
#include "show/print_critical_path.h"

static const struct option_spec options[] = {
    WORKFLOW_OPTION,
    {"by", "PART", "how the time is summed: state (the default), component, task, app, executor, node, worker, type"},
    {"all", NULL, "every part of the path, the shortest ones too"},
    {"slack", NULL, "instead, for each task: how much later it could have been done"},
    SKEW_OPTION,
    PICTURE_OPTION,
    {NULL, NULL, NULL},
};

static int check(const struct cli *cli, int argc, char **argv)
{
    const char *by = cli_option(cli, "by");

    (void)argc, (void)argv;
    if (by && sl_blame_find(by) == SL_BLAME_NONE)
        return cli_usage(cli, "--by is state, component, task, app, executor, node, worker or type, not '%s'", by);
    return cli_option(cli, "slack") && (by || cli_option(cli, "all"))
               ? cli_usage(cli, "--slack has a line for each task, and takes neither --by nor --all")
               : EXIT_DONE;
}

static int ask(struct asking *a, struct sl_err *err)
{
    const char *by = cli_option(a->cli, "by");

    return cli_option(a->cli, "slack")
               ? sl_result_slack(&a->r, a->st, a->within, err)
               : sl_result_critical_path(&a->r, a->st, a->within, by ? sl_blame_find(by) : SL_BLAME_STATE, by,
                                         a->cli->format == SL_FORMAT_TABLE, err);
}

static int show(struct asking *a, struct sl_err *err)
{
    return cli_option(a->cli, "slack")
               ? sl_show_result(stdout, &a->r, a->cli->format, err)
               : sl_show_critical_path(stdout, &a->r, cli_option(a->cli, "by"), cli_option(a->cli, "all"), err);
}

const struct command cmd_critical_path = {
    .name = "critical-path",
    .args = "[RUN | TYPE KEY]",
    .help = "what made a workflow as long as it was, every second of it",
    .options = options,
    .question = &(const struct cli_question){.before = ASK_WORKFLOW,
                                             .most = CLI_WORDS,
                                             .plot = "critical-path",
                                             .check = check,
                                             .ask = ask,
                                             .show = show},
};
