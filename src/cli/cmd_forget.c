/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"
#include "cli/cli.h"
#include "import/bind.h"
#include "store/forms.h"
#include "store/gone.h"

#include <stdlib.h>
#include <string.h>

static const struct option_spec options[] = {
    {"replaced", NULL, "all older versions of files that were replaced since", false},
    {NULL, NULL, NULL, false},
};

static const char sources_sql[] =
    "DELETE FROM sl_old_event WHERE source IN (SELECT id FROM temp.sl_gone);"
    "UPDATE sl_source SET replaced_by = NULL WHERE replaced_by IN (SELECT id FROM temp.sl_gone);"
    "DELETE FROM sl_source WHERE id IN (SELECT id FROM temp.sl_gone)";

static int forget(const struct cli *cli, struct sl_store *st, const struct sl_recipes *set, const char *which,
                  struct sl_err *err)
{
    sqlite3_stmt *q;
    int rc = sl_store_begin(st, err);
    int64_t n;

    if (rc)
        return rc;
    rc = sl_gone_begin(st, err);
    if (!rc) /* what is inferred from what goes, goes */
        rc = sl_bind_take_back(st, err);
    if (!rc)
        rc = sl_forms_join(st, err);
    q = sl_store_prepare(st,
                         which ? "INSERT INTO temp.sl_gone SELECT id FROM sl_source WHERE id > 0 AND (path = ?1 OR "
                                 "CAST(id AS TEXT) = ?1 OR "
                                 "substr(path, -length(?1) - 1) = '/' || ?1 OR path LIKE ?1 || '/%')"
                               : "INSERT INTO temp.sl_gone SELECT id FROM sl_source WHERE replaced_by IS NOT NULL",
                         err);
    if (!q)
        return SL_ESTORE;
    if (which)
        sqlite3_bind_text(q, 1, which, -1, SQLITE_STATIC);
    if (sqlite3_step(q) != SQLITE_DONE)
        rc = sl_store_err(st, "cannot write", err);
    sqlite3_finalize(q);
    n = sl_store_int(st, "SELECT count(*) FROM temp.sl_gone", 0);
    if (!rc && !n && which)
        rc = sl_err(err, SL_ENOTFOUND,
                    "no source is called %s; see them with: spanloom sql 'select id, path from sources'", which);
    if (!rc)
        rc = sl_gone_rows(st, err);
    if (!rc)
        rc = sl_gone_spans(st, err);
    if (!rc)
        rc = sl_store_exec(st, sources_sql, err);
    if (!rc)
        rc = sl_forms_part(st, err);
    if (!rc)
        rc = sl_gone_end(st, err);
    if (!rc)
        rc = cli_bind_all(st, set, err);
    if (rc)
        sl_store_rollback(st);
    else
        rc = sl_store_commit(st, err);
    if (!rc && cli->format == SL_FORMAT_TABLE)
        printf("%lld source%s forgotten\n", (long long)n, n == 1 ? "" : "s");
    return rc;
}

static int run(struct cli *cli, int argc, char **argv)
{
    struct sl_store *st;
    struct sl_recipes *set;
    struct sl_err err = {0};
    bool replaced = cli_option(cli, "replaced");
    int rc;

    if (argc != !replaced)
        return cli_usage(cli,
                         replaced ? "--replaced takes no further argument" : "forget which source? a path, or its id");
    for (size_t n = argc ? strlen(argv[0]) : 0; n > 1 && argv[0][n - 1] == '/'; n--)
        argv[0][n - 1] = 0;
    rc = sl_store_open(&st, cli->store_path, SL_STORE_WRITE, &err);
    if (!rc) {
        set = sl_recipes_new();
        rc = cli_recipes(cli, set, &err);
        if (!rc)
            rc = forget(cli, st, set, replaced ? NULL : argv[0], &err);
        sl_recipes_free(set);
        sl_store_close(st);
    }
    return rc ? cli_fail(cli, &err) : EXIT_DONE;
}

const struct command cmd_forget = {"forget", "SOURCE", "drop what a source asserted", options, run};
