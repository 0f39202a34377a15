/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/monitor/node_files.h"
#include "analyse/analyse.h"
#include "ingest/import.h"

#include <stdlib.h>
#include <string.h>

static void leave_out_others(struct sl_found_list *l)
{
    size_t kept = 0;

    for (size_t i = 0; i < l->v.n; i++) {
        if (l->v.v[i].recipe && !strcmp(l->v.v[i].recipe->name, "monitor")) {
            l->v.v[kept++] = l->v.v[i];
            continue;
        }
        sl_found_forget(&l->v.v[i]);
    }
    l->v.n = kept;
}

static int read_files(const struct cli *cli, int argc, char *const *argv, struct sl_store **st, struct sl_err *err)
{
    struct sl_import_options o = {.jobs = 1, .zone_s = INT32_MIN, .warn = cli_warn};
    struct sl_recipes *set = sl_recipes_new();
    struct sl_import_result r = {0};
    struct sl_found_list l = {0};
    int rc = cli_recipes(cli, set, err);

    if (!rc) {
        sl_find(&l, set, argv, (size_t)argc, false);
        for (size_t i = 0; i < l.problems.n; i++)
            cli_warn(NULL, l.problems.v[i]);
        leave_out_others(&l);
        if (!l.v.n)
            rc = sl_err(err, SL_ENOTFOUND, "no file of `spanloom monitor` below %s%s", argv[0],
                        argc > 1 ? " and the others" : "");
    }
    if (!rc)
        rc = sl_store_open(st, "files of the monitor", SL_STORE_SCRATCH, err);
    if (!rc)
        rc = sl_import(&r, *st, set, &l, &o, err);
    cli_not_all |= l.problems.n || r.problems;
    sl_vec_free(&r.recipe);
    if (!rc && sl_analyse_register((*st)->db) != SQLITE_OK)
        rc = sl_store_err(*st, "cannot register the analysis functions", err);
    sl_found_free(&l);
    sl_recipes_free(set);
    return rc;
}

struct sl_store *cli_node_store(const struct cli *cli, int argc, char *const *argv)
{
    struct sl_store *st = NULL;
    struct sl_err err = {0};

    if (!argc)
        return cli_open(cli);
    if (!read_files(cli, argc, argv, &st, &err))
        return st;
    sl_store_close(st);
    cli_fail(cli, &err);
    return NULL;
}
