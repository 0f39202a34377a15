/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/over_time.h"
#include "cli/workflow.h"
#include "result/utilisation.h"

static const struct option_spec options[] = {
    BIN_OPTION, RUN_OPTION, SQL_OPTION("time_ns, workers, busy[, running]"), SKEW_OPTION, {NULL, NULL, NULL, false},
};

static int run(struct cli *cli, int argc, char **argv)
{
    bool people = cli->format == SL_FORMAT_TABLE;
    struct sl_result r = {0};
    struct sl_over_time q;
    struct sl_err err = {0};
    char type[SL_TYPE_BYTES];
    struct plot p;
    int rc;

    if (argc > (cli_option(cli, "sql") ? 0 : 1))
        return cli_usage(cli, "utilisation takes one type of workers, or --sql; '%s' is one too many", argv[argc - 1]);
    if ((rc = plot_open(&p, cli)))
        return rc;
    rc = cli_states(cli, p.st, &err);
    if (!rc)
        rc = cli_skew(cli, p.st, &err);
    if (!rc && argc) {
        rc = cli_type(p.st, argv[0], type, sizeof type, &err);
        p.arg = type;
    }
    if (!rc) {
        q = plot_question(&p, people);
        rc = sl_workers(&r, &q, &err);
        rc = plot_show(&p, &r, rc, people ? sl_show_workers : NULL, &err);
    }
    return plot_close(&p, rc, &err);
}

const struct command cmd_utilisation = {
    .name = "utilisation",
    .args = "[WORKER_TYPE]",
    .help = "how many workers there were, and were busy",
    .options = options,
    .run = run,
};
