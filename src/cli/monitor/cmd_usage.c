/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/question.h"
#include "show/nodes/print_usage.h"

#include <string.h>

enum { MOST = 30 };

static const struct option_spec options[] = {
    {"by", "THING", "add up by task, app or type of spans (default: app)"},
    RUN_OPTION,
    {"all", NULL, "all rows, not only the first thirty"},
    {NULL, NULL, NULL},
};

static int find_thing(const struct cli *cli)
{
    static const char *const things[] = {"task", "app", "type"};
    const char *by = cli_option(cli, "by");

    for (int i = 0; i < 3; i++)
        if (!strcmp(by ? by : "app", things[i]))
            return i;
    return -1;
}

static int check(const struct cli *cli, int argc, char **argv)
{
    (void)argc, (void)argv;
    return find_thing(cli) < 0 ? cli_usage(cli, "--by is task, app or type, not '%s'", cli_option(cli, "by"))
                               : EXIT_DONE;
}

static int ask(struct asking *a, struct sl_err *err)
{
    return sl_result_usage(&a->r, a->st, (enum sl_usage_by)find_thing(a->cli), a->within, err);
}

static int show(struct asking *a, struct sl_err *err)
{
    return sl_show_usage(stdout, &a->r, cli_option(a->cli, "all") ? -1 : MOST, err);
}

const struct command cmd_usage = {
    .name = "usage",
    .args = "",
    .help = "who used the CPUs, memory, disks and network of the nodes",
    .options = options,
    .question = &(const struct cli_question){.check = check, .ask = ask, .show = show},
};
