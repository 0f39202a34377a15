/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls of traced programs (spans of type trace.call), one row a function, the most exclusive time first, with its
 * parts one after another.  What the times mean is in analyse/calls/profile_sums.h.
 */
#include "analyse/sqlfn/calls/call_rows.h"
#include "analyse/sqlfn/sqlfn.h"

static int fill_profile(struct sl_rows *out, const struct sl_call *call, struct sl_err *err)
{
    struct call_rows s;
    int rc = call_rows_load(&s, call, sl_profile_flat, err);

    for (size_t i = 0; i < s.profile.n && !rc; i++) {
        struct call_row *x = sl_rows_add(out);
        *x = call_rows_row(&s, &s.profile.v[i]);
        x->part = sl_rows_text(out, x->part);
        x->name = sl_rows_text(out, x->name);
    }
    call_rows_free(&s);
    return rc;
}

const struct sl_table_fn sl_fn_call_profile = {
    .name = "call_profile",
    .about = "the functions of traced programs, and how long they took",
    .row = &call_row_columns,
    .arg = call_rows_args,
    .args = CALL_ROWS_ARGS,
    .pointer = SL_CALLS_SUMS,
    .usage = "call_profile() or call_profile(NULL, 'rank')",
    .fill = fill_profile,
};
