/* SPDX-License-Identifier: Apache-2.0 */
/* A name for the table function clock_skew(). */
#include "cli/view/picture.h"
#include "cli/workflow.h"
#include "result/find_span.h"
#include "result/skew.h"
#include "show/skew.h"

static const struct option_spec options[] = {RUN_OPTION, PICTURE_OPTION, {NULL, NULL, NULL}};

static int run(struct cli *cli, int argc, char **argv)
{
    struct sl_result r = {0};
    struct sl_err err = {0};
    struct sl_store *st;
    int64_t within;
    int rc;

    if (cli_option(cli, "output"))
        return cli_picture(cli, "skew", argc, argv);
    if (argc)
        return cli_usage(cli, "skew takes no arguments, but was given %s", argv[0]);
    if (!(st = cli_open(cli)))
        return EXIT_FAILED;
    rc = cli_states(cli, st, &err);
    if (!rc)
        rc = sl_find_run(st, cli_option(cli, "run"), &within, &err);
    if (!rc)
        rc = sl_result_skew(&r, st, within, &err);
    if (!rc)
        rc = cli->format == SL_FORMAT_TABLE ? sl_show_skew(stdout, &r, &err)
                                            : sl_show_result(stdout, &r, cli->format, &err);
    sl_result_free(&r);
    sl_store_close(st);
    return rc < 0 ? cli_fail(cli, &err) : EXIT_DONE;
}

const struct command cmd_skew = {.name = "skew",
                                 .args = "",
                                 .help = "how far clocks of components are off, by their messages",
                                 .options = options,
                                 .run = run};
