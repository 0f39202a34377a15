/* SPDX-License-Identifier: Apache-2.0 */
#include "result/skew.h"
#include "result_skew.sql.h"

static const struct sl_column columns[] = {{"source", SL_COLUMN_INTEGER, NULL},
                                           {"path", SL_COLUMN_TEXT, NULL},
                                           {"reference", SL_COLUMN_INTEGER, NULL},
                                           {"pairs", SL_COLUMN_INTEGER, "handovers"},
                                           {"backwards", SL_COLUMN_INTEGER, "handovers"},
                                           {"lower_s", SL_COLUMN_REAL, "s"},
                                           {"upper_s", SL_COLUMN_REAL, "s"},
                                           {"offset_s", SL_COLUMN_REAL, "s"},
                                           {"offset_ns", SL_COLUMN_INTEGER, "ns"},
                                           {"relaxed_s", SL_COLUMN_REAL, "s"}};
enum { N = sizeof columns / sizeof *columns };

static int add(struct sl_result *r, struct sl_store *st, const char *name, const char *sql, int64_t within,
               struct sl_err *err)
{
    struct sl_table *t = sl_result_sql(r, st, name, columns, N, sql, err);

    if (t && within)
        sqlite3_bind_int64(t->query, 1, within);
    return t ? 0 : SL_ESTORE;
}

int sl_result_skew(struct sl_result *r, struct sl_store *st, int64_t within, struct sl_err *err)
{
    int rc = add(r, st, "skew", sql_skew, within, err);

    return rc ? rc : add(r, st, "by_path", sql_by_path, within, err);
}
