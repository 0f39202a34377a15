/* SPDX-License-Identifier: Apache-2.0 */
/* What call_profile() and call_tree() share: arguments [within [, by]] (and sums, a pointer of the
 * program itself: SL_CALLS_SUMS), and columns of a row. */
#ifndef SL_ANALYSE_SQLFN_CALL_ROWS_H
#define SL_ANALYSE_SQLFN_CALL_ROWS_H

#include "analyse/calls/profile.h"
#include "analyse/ext.h"
#include "analyse/sqlfn/table.h"

struct call_rows {
    struct sl_table_rows rows; /* the first, as table.h wants it */
    struct sl_calls calls;
    struct sl_profile profile;
};

int call_rows_start(struct call_rows *s, const struct sl_call *call,
                    void (*make)(struct sl_profile *p, const struct sl_calls *c), struct sl_err *err);
void call_rows_end(struct call_rows *s);

/* The columns from `part` on, in this order; the schema's ) is the caller's. */
#define CALL_ROWS_COLUMNS                                                                                              \
    "part TEXT, name TEXT, calls INTEGER, unfinished INTEGER, inclusive_s REAL, exclusive_s REAL, share REAL, "        \
    "min_s REAL, mean_s REAL, max_s REAL, within INTEGER HIDDEN, by TEXT HIDDEN, sums HIDDEN"
enum { CALL_ROWS_COLUMNS_N = 10, CALL_ROWS_ARGS = 3 };
void call_rows_column(const struct call_rows *s, sqlite3_context *out, int col);

#endif
