/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/over_time.h"
#include "result/rate.h"

static const struct option_spec options[] = {
    BIN_OPTION,
    SQL_OPTION("time_ns of each event, or time_ns and events of each bin"),
    {NULL, NULL, NULL, false},
};

static int run(struct cli *cli, int argc, char **argv)
{
    bool people = cli->format == SL_FORMAT_TABLE;
    struct sl_result r = {0};
    struct sl_over_time q;
    struct sl_err err = {0};
    struct plot p;
    int rc;

    if (argc != (cli_option(cli, "sql") ? 0 : 1))
        return cli_usage(cli, cli_option(cli, "sql") ? "rate takes an event or --sql, not both"
                                                     : "which event? such as: returned, or '*.worker.task/worker_*'");
    if ((rc = plot_open(&p, cli)))
        return rc;
    p.arg = argc ? argv[0] : NULL;
    q = plot_question(&p, people);
    rc = sl_rate(&r, &q, &err);
    rc = plot_show(&p, &r, rc, people ? sl_show_rate : NULL, &err);
    return plot_close(&p, rc, &err);
}

const struct command cmd_rate = {
    .name = "rate",
    .args = "EVENT",
    .help = "how often something happened, over time",
    .options = options,
    .run = run,
};
