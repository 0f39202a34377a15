/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/over_time.h"
#include "result/find_span.h"
#include "show/usage.h"

#include <string.h>

enum { MOST = 30 };

static const struct option_spec options[] = {
    {"by", "THING", "add up by task, app or type of spans (default: app)"},
    RUN_OPTION,
    {"all", NULL, "all rows, not only the first thirty"},
    {NULL, NULL, NULL},
};

static int run(struct cli *cli, int argc, char **argv)
{
    static const char *const things[] = {"task", "app", "type"};
    const char *by = cli_option(cli, "by");
    struct sl_err err = {0};
    struct sl_result r = {0};
    struct sl_store *st;
    int64_t within;
    int what = 0, rc;

    if (argc)
        return cli_usage(cli, "usage takes no arguments, but was given %s", argv[0]);
    for (what = 0; what < 3 && strcmp(by ? by : "app", things[what]); what++)
        ;
    if (what == 3)
        return cli_usage(cli, "--by is task, app or type, not '%s'", by);
    if (!(st = cli_open(cli)))
        return EXIT_FAILED;
    rc = sl_find_run(st, cli_option(cli, "run"), &within, &err);
    if (!rc)
        rc = sl_result_usage(&r, st, (enum sl_usage_by)what, within, &err);
    if (!rc)
        rc = cli->format == SL_FORMAT_TABLE ? sl_show_usage(stdout, &r, cli_option(cli, "all") ? -1 : MOST, &err)
                                            : sl_show_result(stdout, &r, cli->format, &err);
    sl_result_free(&r);
    sl_store_close(st);
    return rc < 0 ? cli_fail(cli, &err) : EXIT_DONE;
}

const struct command cmd_usage = {
    .name = "usage",
    .args = "",
    .help = "who used the CPUs, memory, disks and network of the nodes",
    .options = options,
    .run = run,
};
