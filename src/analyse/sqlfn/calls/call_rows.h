/* SPDX-License-Identifier: Apache-2.0 */
/* What call_profile() and call_tree() share: their arguments, and columns of a row. */
#ifndef SL_ANALYSE_SQLFN_CALLS_CALL_ROWS_H
#define SL_ANALYSE_SQLFN_CALLS_CALL_ROWS_H

#include "analyse/calls/profile_sums.h"
#include "analyse/ext.h"
#include "analyse/sqlfn/table_function.h"

struct call_rows {
    struct sl_calls calls;
    struct sl_profile profile;
};

/* clang-format off */
#define CALL_ROW(COLUMN, row) \
    COLUMN(row, TEXT, part, NULL, "the thread, process or rank, where by names one of these") \
    COLUMN(row, TEXT, name, NULL, "of the function") \
    COLUMN(row, INTEGER, calls, "calls", NULL) \
    COLUMN(row, INTEGER, unfinished, "calls", "that have no end, or no begin, of these") \
    COLUMN(row, REAL, inclusive_s, "s", "from begin to end, of recursive calls the outermost only") \
    COLUMN(row, REAL, exclusive_s, "s", "of this, in which nothing that it called was running, on any thread and in any process") \
    COLUMN(row, REAL, share, NULL, "of all such time") \
    COLUMN(row, REAL, min_s, "s", "of finished calls, from begin to end") \
    COLUMN(row, REAL, mean_s, "s", "likewise") \
    COLUMN(row, REAL, max_s, "s", "likewise")
/* clang-format on */
SL_ROW(call_row, CALL_ROW);

enum { CALL_ROWS_ARGS = 3 };
extern const struct sl_column call_rows_args[CALL_ROWS_ARGS];

int call_rows_load(struct call_rows *s, const struct sl_call *call,
                   void (*make)(struct sl_profile *p, const struct sl_calls *c), struct sl_err *err);
void call_rows_free(struct call_rows *s);
/* The columns of a row of the profile; texts are borrowed from s. */
struct call_row call_rows_row(const struct call_rows *s, const struct sl_profile_row *r);

#endif
