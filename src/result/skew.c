/* SPDX-License-Identifier: Apache-2.0 */
#include "result/skew.h"

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

int sl_result_skew(struct sl_result *r, struct sl_store *st, struct sl_err *err)
{
    if (!sl_result_sql(r, st, "skew", columns, N, "SELECT * FROM clock_skew()", err) ||
        !sl_result_sql(r, st, "by_path", columns, N, "SELECT * FROM clock_skew() ORDER BY source <> reference, path",
                       err))
        return SL_ESTORE;
    return 0;
}
