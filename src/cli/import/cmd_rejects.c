/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/question.h"
#include "import_cmd_rejects.sql.h"
#include "result/spans/store_contents.h"

static const struct option_spec options[] = {
    {"summary", NULL, "counts per source and reason instead of each record"},
    RUN_OPTION,
    {NULL, NULL, NULL},
};

static int ask(struct asking *a, struct sl_err *err)
{
    const char *path = a->argc ? a->argv[0] : "";
    char *sql = sqlite3_mprintf(sql_known, path);
    bool known = !a->argc || sl_store_int(a->st, sql, 0);

    sqlite3_free(sql);
    if (!known)
        return sl_err(err, SL_ENOTFOUND,
                      "no source has '%s' in its path; see them with: spanloom sql -d %s 'select path from sources'",
                      path, a->st->path);
    return sl_result_rejects(&a->r, a->st, path, a->within, cli_option(a->cli, "summary") != NULL, err);
}

static int show(struct asking *a, struct sl_err *err)
{
    struct sl_table *t = sl_result_find(&a->r, "rejects");
    bool any = sl_table_next(t, NULL) > 0;
    int rc;

    sl_table_rewind(t);
    rc = sl_show_result(stdout, &a->r, a->cli->format, err);
    if (!rc && !any)
        puts("(no rejected records)");
    return rc;
}

const struct command cmd_rejects = {
    .name = "rejects",
    .args = "[PATH]",
    .help = "records that a recipe claimed but could not use",
    .options = options,
    .question =
        &(const struct cli_question){.most = 1, .takes = "one word, a part of the path", .ask = ask, .show = show},
};
