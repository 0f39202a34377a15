/* SPDX-License-Identifier: Apache-2.0 */
#include "result/skew_tables.h"
#include "result_skew_tables.sql.h"

static const struct sl_column columns[] = {{"source", SL_COLUMN_INTEGER, NULL, NULL, 0},
                                           {"path", SL_COLUMN_TEXT, NULL, NULL, 0},
                                           {"reference", SL_COLUMN_INTEGER, NULL, NULL, 0},
                                           {"pairs", SL_COLUMN_INTEGER, "handovers", NULL, 0},
                                           {"backwards", SL_COLUMN_INTEGER, "handovers", NULL, 0},
                                           {"lower_s", SL_COLUMN_REAL, "s", NULL, 0},
                                           {"upper_s", SL_COLUMN_REAL, "s", NULL, 0},
                                           {"offset_s", SL_COLUMN_REAL, "s", NULL, 0},
                                           {"offset_ns", SL_COLUMN_INTEGER, "ns", NULL, 0},
                                           {"relaxed_s", SL_COLUMN_REAL, "s", NULL, 0}};
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
