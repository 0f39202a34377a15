/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/workflow.h"
#include "import_cmd_rejects.sql.h"
#include "result/contents.h"
#include "result/find_span.h"

static const struct option_spec options[] = {
    {"summary", NULL, "counts per source and reason instead of each record"},
    RUN_OPTION,
    {NULL, NULL, NULL},
};

static int run(struct cli *cli, int argc, char **argv)
{
    const char *path = argc ? argv[0] : "";
    struct sl_result r = {0};
    struct sl_err err = {0};
    struct sl_store *st;
    int64_t within;
    bool any = false;
    char *sql;
    int rc;

    if (argc > 1)
        return cli_usage(cli, "rejects takes one word at the most: a part of the path");
    if (!(st = cli_open(cli)))
        return EXIT_FAILED;
    sql = sqlite3_mprintf(sql_known, path);
    rc = sl_find_run(st, cli_option(cli, "run"), &within, &err);
    if (!rc && argc && !sl_store_int(st, sql, 0))
        rc = sl_err(&err, SL_ENOTFOUND,
                    "no source has '%s' in its path; see them with: spanloom sql -d %s 'select path from sources'",
                    path, st->path);
    sqlite3_free(sql);
    if (!rc)
        rc = sl_result_rejects(&r, st, path, within, cli_option(cli, "summary") != NULL, &err);
    if (!rc) {
        struct sl_table *t = sl_result_find(&r, "rejects");
        any = sl_table_next(t, NULL) > 0;
        sl_table_rewind(t);
    }
    rc = cli_end(cli, st, &r, rc, &err);
    if (!rc && cli->format == SL_FORMAT_TABLE && !any)
        puts("(no rejected records)");
    return rc;
}

const struct command cmd_rejects = {
    .name = "rejects",
    .args = "[PATH]",
    .help = "records that a recipe claimed but could not use",
    .options = options,
    .run = run,
};
