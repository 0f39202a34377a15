/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/question.h"
#include "cli/view/picture.h"
#include "result/over_time/rate.h"

static const struct option_spec options[] = {
    BIN_OPTION,     BY_OPTION,
    RUN_OPTION,     SQL_OPTION("time_ns of each event, or time_ns and events of each bin"),
    PICTURE_OPTION, {NULL, NULL, NULL},
};

static int check(const struct cli *cli, int argc, char **argv)
{
    bool sql = cli_option(cli, "sql");

    (void)argv;
    if (argc == (sql ? 0 : 1))
        return EXIT_DONE;
    return cli_usage(cli, sql ? "rate takes an event or --sql, not both"
                              : "which event? such as: returned, or '*.worker.task/worker_*'");
}

static int ask(struct asking *a, struct sl_err *err)
{
    return sl_rate(&a->r, (struct sl_over_time[]){cli_over_time(a, a->argc ? a->argv[0] : NULL)}, err);
}

const struct command cmd_rate = {
    .name = "rate",
    .args = "EVENT",
    .help = "how often something happened, over time",
    .options = options,
    .question = &(const struct cli_question){.before = ASK_GROUPS | SAY_MIXED | SAY_LOST,
                                             .most = CLI_WORDS,
                                             .plot = "rate",
                                             .check = check,
                                             .ask = ask,
                                             .people = sl_show_rate},
};
