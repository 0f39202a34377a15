/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/over_time.h"
#include "cli/view/picture.h"
#include "result/rate.h"

static const struct option_spec options[] = {
    BIN_OPTION,     BY_OPTION,
    RUN_OPTION,     SQL_OPTION("time_ns of each event, or time_ns and events of each bin"),
    PICTURE_OPTION, {NULL, NULL, NULL},
};

static int run(struct cli *cli, int argc, char **argv)
{
    struct sl_err err = {0};
    struct over_time p;
    int rc;

    if (cli_option(cli, "output"))
        return cli_picture(cli, "rate", argc, argv);
    if (argc != (cli_option(cli, "sql") ? 0 : 1))
        return cli_usage(cli, cli_option(cli, "sql") ? "rate takes an event or --sql, not both"
                                                     : "which event? such as: returned, or '*.worker.task/worker_*'");
    if ((rc = over_time_open(&p, cli)))
        return rc;
    p.arg = argc ? argv[0] : NULL;
    return over_time_run(&p, 0, sl_rate, sl_show_rate, &err);
}

const struct command cmd_rate = {
    .name = "rate",
    .args = "EVENT",
    .help = "how often something happened, over time",
    .options = options,
    .run = run,
};
