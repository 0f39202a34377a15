/* SPDX-License-Identifier: Apache-2.0 */
/* How long a workflow would have taken, had parts of it been faster or slower, or workers more or fewer. */
#ifndef SL_RESULT_WHAT_IF_TABLES_H
#define SL_RESULT_WHAT_IF_TABLES_H

#include "result/table.h"
#include "store/store.h"

/*
 * Tables: change, one row; tasks, when each was and would have been; undone, one row: how many tasks were never done,
 * so that a run that was cut short has no end that could be told.  changes: one text, commas between.
 */
enum { SL_DOUBT_PERCENT = 5 }; /* a bias beyond which what comes out is in doubt */
enum {
    SL_CHANGE,
    SL_CHANGE_MAKESPAN,
    SL_CHANGE_NEW,
    SL_CHANGE_S,
    SL_CHANGE_PERCENT,
    SL_CHANGE_ASSUMED,
    SL_CHANGE_BIAS
}; /* columns of change */
int sl_result_what_if(struct sl_result *r, struct sl_store *st, int64_t workflow, const char *changes,
                      struct sl_err *err);

/* The table change, of what is worth asking (what_helps()): what saves most first. */
int sl_result_what_helps(struct sl_result *r, struct sl_store *st, int64_t workflow, struct sl_err *err);

#endif
