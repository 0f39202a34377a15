/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"
#include "cli_cmd_rejects.sql.h"

static const struct option_spec options[] = {
    {"summary", NULL, "counts per source and reason instead of each record", false},
    {NULL, NULL, NULL, false},
};

static int run(struct cli *cli, int argc, char **argv)
{
    struct sl_store *st;
    const char *args[] = {argc ? argv[0] : "", NULL};
    char *any;
    int rc;

    if (argc > 1)
        return cli_usage(cli, "rejects takes one word at the most: a part of the path");
    if (!(st = cli_open(cli)))
        return EXIT_FAILED;
    any = sqlite3_mprintf(sql_run, args[0], args[0]);
    if (argc && sl_store_int(st, any, -1) < 0) {
        struct sl_err err = {0};
        sl_err(&err, SL_ENOTFOUND,
               "no source has '%s' in its path; see them with: spanloom sql -d %s 'select path from "
               "sources'",
               argv[0], st->path);
        sqlite3_free(any);
        sl_store_close(st);
        return cli_fail(cli, &err);
    }
    rc = cli_query(cli, st, cli_option(cli, "summary") ? sql_run_2 : sql_run_3, args);
    if (!rc && cli->format == SL_FORMAT_TABLE && !sl_store_int(st, any, 0))
        puts("(no rejected records)");
    sqlite3_free(any);
    sl_store_close(st);
    return rc;
}

const struct command cmd_rejects = {
    .name = "rejects",
    .args = "[PATH]",
    .help = "records that a recipe claimed but could not use",
    .options = options,
    .run = run,
};
