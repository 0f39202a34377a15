/* SPDX-License-Identifier: Apache-2.0 */
#define SL_EXT_HOLDER
#include "analyse/ext.h"
SQLITE_EXTENSION_INIT1

#include "analyse/analyse.h"
#include "analyse/load/fast_rows.h"
#include "analyse/load/shared.h"
#include "analyse/sqlfn/sqlfn.h"

#include <stddef.h>

/* clang-format off */
static int (*const parts[])(sqlite3 *db) = {
    sl_query_register,
    sl_shared_register,
    sl_fn_experiment,
    sl_fn_kde2d,
    sl_fn_ols,
    sl_fn_seconds_text,
    sl_fn_spark,
    sl_fn_stats,
};
/* clang-format on */

int sl_analyse_register(sqlite3 *db)
{
    const struct sl_table_fn *fn;

    for (size_t i = 0; (fn = sl_table_fn_at(i)); i++) {
        int rc = sl_table_register(db, fn);
        if (rc != SQLITE_OK)
            return rc;
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        int rc = parts[i](db);
        if (rc != SQLITE_OK)
            return rc;
    }
    return SQLITE_OK;
}

/* What `.load spanloom` and load_extension() call: the name is made from that of the file. */
__attribute__((visibility("default"))) int sqlite3_spanloom_init(sqlite3 *db, char **why,
                                                                 const sqlite3_api_routines *api);

int sqlite3_spanloom_init(sqlite3 *db, char **why, const sqlite3_api_routines *api)
{
    (void)why;
    if (!api) /* from sqlite3_auto_extension(), where SQLite has no extensions otherwise */
        return SQLITE_ERROR;
    SQLITE_EXTENSION_INIT2(api);
    return sl_analyse_register(db);
}
