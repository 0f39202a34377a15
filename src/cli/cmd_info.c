/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"
#include "cli_cmd_info.sql.h"

static const struct option_spec options[] = {
    {"runs", NULL, "only the root spans: runs, workflows, databases", false},
    {NULL, NULL, NULL, false},
};

static int run(struct cli *cli, int argc, char **argv)
{
    struct sl_store *st;
    int rc;

    if (argc)
        return cli_usage(cli, "info takes no arguments, but was given %s", argv[0]);
    if (!(st = cli_open(cli)))
        return EXIT_FAILED;
    if (cli_option(cli, "runs")) {
        rc = cli_query(cli, st, sql_roots, NULL);
    } else {
        rc = cli_query(cli, st, sql_sql, NULL);
        if (!rc && cli->format == SL_FORMAT_TABLE) {
            putchar('\n');
            rc = cli_query(cli, st, sql_roots, NULL);
        }
    }
    sl_store_close(st);
    return rc;
}

const struct command cmd_info = {
    .name = "info",
    .args = "",
    .help = "what the store holds",
    .options = options,
    .run = run,
};
