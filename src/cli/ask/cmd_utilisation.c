/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/over_time.h"
#include "cli/view/picture.h"
#include "cli/workflow.h"
#include "result/utilisation.h"

#include <stdio.h>

static const struct option_spec options[] = {
    BY_OPTION,   BIN_OPTION,     RUN_OPTION,         SQL_OPTION("time_ns, workers, busy[, running]"),
    SKEW_OPTION, PICTURE_OPTION, {NULL, NULL, NULL},
};

/* All types of workers, one after the other. */
static int each_type(struct over_time *p, int rc, struct sl_err *err)
{
    char type[SL_TYPE_BYTES];
    int found;

    for (int64_t i = 0; !rc && (found = sl_worker_type(p->st, p->within, i, type, sizeof type, err)) != 0; i++) {
        struct sl_result r = {0};
        struct sl_over_time q;
        if (found < 0)
            return over_time_close(p, found, err);
        p->arg = type;
        q = over_time_question(p, true);
        if (i)
            putchar('\n');
        rc = over_time_show(p, &r, sl_workers(&r, &q, err), sl_show_workers, err);
    }
    if (!rc)
        cli_say_mixed(p->cli, p->st);
    return over_time_close(p, rc, err);
}

static int run(struct cli *cli, int argc, char **argv)
{
    struct sl_err err = {0};
    char type[SL_TYPE_BYTES];
    struct over_time p;
    int rc, several = 0;

    if (cli_option(cli, "output"))
        return cli_picture(cli, "utilisation", argc, argv);
    if (argc > (cli_option(cli, "sql") ? 0 : 1))
        return cli_usage(cli, "utilisation takes one type of workers, or --sql; '%s' is one too many", argv[argc - 1]);
    if ((rc = over_time_open(&p, cli)))
        return rc;
    rc = cli_states(cli, p.st, &err);
    if (!rc)
        rc = cli_skew(cli, p.st, &err);
    if (!rc && argc) {
        rc = cli_type(p.st, argv[0], p.within, type, sizeof type, &err);
        p.arg = type;
    }
    if (!rc && !argc && !p.sql && cli->format == SL_FORMAT_TABLE)
        several = sl_worker_type(p.st, p.within, 1, type, sizeof type, &err);
    if (several)
        return each_type(&p, several < 0 ? several : 0, &err);
    return over_time_run(&p, rc, sl_workers, sl_show_workers, &err);
}

const struct command cmd_utilisation = {
    .name = "utilisation",
    .args = "[WORKER_TYPE]",
    .help = "how many workers there were, and were busy",
    .options = options,
    .run = run,
};
