/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

static const struct option_spec options[] = {
    {"summary", NULL, "counts per source and reason instead of each record", false},
    {NULL, NULL, NULL, false},
};

static int run(struct cli *cli, int argc, char **argv)
{
    struct sl_store *st;
    const char *args[] = {argc ? argv[0] : "", NULL};
    int rc;

    if (argc > 1)
        return cli_usage(cli, "rejects takes one word at the most: a part of the path");
    if (!(st = cli_open(cli)))
        return EXIT_FAILED;
    rc = cli_query(
        cli, st,
        cli_option(cli, "summary")
            ? "SELECT count(*) AS records, reason, path FROM rejects WHERE instr(path, ?1) "
              "OR ?1 = '' GROUP BY path, reason ORDER BY 1 DESC, path"
            : "SELECT path || ':' || place AS place, reason, text FROM rejects WHERE instr(path, ?1) OR ?1 = '' "
              "ORDER BY path, rejects.place",
        args);
    if (!rc && cli->format == SL_FORMAT_TABLE && !sl_store_int(st, "SELECT count(*) FROM sl_reject", 0))
        puts("(no rejected records)");
    sl_store_close(st);
    return rc;
}

const struct command cmd_rejects = {"rejects", "[PATH]", "records that a recipe claimed but could not use", options,
                                    run};
