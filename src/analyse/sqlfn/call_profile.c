/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_profile([within [, by]]): the calls of traced programs (spans of type trace.call), one row a function, the most
 * exclusive time first, with its parts one after another.  What the times mean is in analyse/calls/profile.h.
 *
 *   part                 the thread, process or rank, where `by` names one of these; else NULL
 *   name                 the function
 *   calls, unfinished    how many, and of these, how many have no end (or no begin)
 *   inclusive_s          seconds from begin to end, of recursive calls the outermost only
 *   exclusive_s, share   of this, seconds in which nothing that it called was running; their share of all such
 *   min_s, mean_s, max_s of finished calls, from begin to end
 *
 *     SELECT name, calls, exclusive_s FROM call_profile() LIMIT 10;
 *
 * within, the id of a span (a process, a task, a run), takes only calls that belong to it; NULL: all.
 */
#include "analyse/sqlfn/call_rows.h"
#include "analyse/sqlfn/sqlfn.h"

static int start(void *state, const struct sl_call *call, struct sl_err *err)
{
    return call_rows_start(state, call, sl_profile_flat, err);
}

static void column(const void *state, sqlite3_context *out, int col)
{
    call_rows_column(state, out, col);
}

static void end(void *state)
{
    call_rows_end(state);
}

const struct sl_table_fn sl_fn_call_profile = {
    .name = "call_profile",
    .schema = "CREATE TABLE x(" CALL_ROWS_COLUMNS ")",
    .columns = CALL_ROWS_COLUMNS_N,
    .args = CALL_ROWS_ARGS,
    .pointer = SL_CALLS_SUMS,
    .usage = "call_profile() or call_profile(NULL, 'rank')",
    .rows = 1000,
    .state_bytes = sizeof(struct call_rows),
    .start = start,
    .column = column,
    .end = end,
};
