/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/lens.h"
#include "cli/over_time.h"
#include "cli/view/picture.h"
#include "result/states.h"

static const struct option_spec options[] = {
    BY_OPTION,    BIN_OPTION,     RUN_OPTION,         SQL_OPTION("time_ns, state, spans[, ended]"),
    LENS_OPTIONS, PICTURE_OPTION, {NULL, NULL, NULL},
};

static int run(struct cli *cli, int argc, char **argv)
{
    bool seen;
    struct sl_err err = {0};
    char type[SL_TYPE_BYTES];
    struct over_time p;
    int rc;

    if (cli_option(cli, "output"))
        return cli_picture(cli, "states", argc, argv);
    if (argc > (cli_option(cli, "sql") ? 0 : 1))
        return cli_usage(cli, "states takes one type of spans, or --sql; '%s' is one too many", argv[argc - 1]);
    if ((rc = over_time_open(&p, cli)))
        return rc;
    if (!p.sql)
        rc = cli_type(p.st, argc ? argv[0] : NULL, p.within, type, sizeof type, &err);
    p.arg = p.sql ? NULL : type;
    if (!rc)
        rc = cli_lens(cli, p.st, &seen, &err);
    return over_time_run(&p, rc, sl_states, sl_show_states, &err);
}

const struct command cmd_states = {
    .name = "states",
    .args = "[ROOT_TYPE]",
    .help = "how many spans were in which state, over time",
    .options = options,
    .run = run,
};
