/* SPDX-License-Identifier: Apache-2.0 */
/* A name for the table function clock_skew(). */
#include "cli/workflow.h"

static const struct option_spec options[] = {{NULL, NULL, NULL, false}};

#define SIGNED(x) "iif(" x " IS NULL, 'any', printf('%+.6f', " x "))"

static const char table_sql[] =
    "SELECT iif(source = reference, 'reference', iif(offset_ns = 0, 'none', printf('%+.6f s', offset_s))) AS "
    "correction, iif(source = reference, '', " SIGNED("lower_s") " || ' to ' || " SIGNED(
        "upper_s") ") AS bounds_s, "
                   "pairs AS handovers, backwards, path AS source FROM clock_skew() ORDER BY source <> reference, path";
static const char rows_sql[] = "SELECT * FROM clock_skew()";

static int run(struct cli *cli, int argc, char **argv)
{
    struct sl_err err = {0};
    struct sl_store *st;
    int rc;

    if (argc)
        return cli_usage(cli, "skew takes no arguments, but was given %s", argv[0]);
    if (!(st = cli_open(cli)))
        return EXIT_FAILED;
    if (cli_states(cli, st, &err))
        rc = cli_fail(cli, &err);
    else
        rc = cli_query(cli, st, cli->format == SL_FORMAT_TABLE ? table_sql : rows_sql, NULL);
    sl_store_close(st);
    return rc;
}

const struct command cmd_skew = {
    .name = "skew",
    .args = "",
    .help = "how far the clocks of components are off, by what was sent before it was received",
    .options = options,
    .run = run};
