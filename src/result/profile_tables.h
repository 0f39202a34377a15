/* SPDX-License-Identifier: Apache-2.0 */
/* Which functions of traced programs took the time. */
#ifndef SL_RESULT_PROFILE_TABLES_H
#define SL_RESULT_PROFILE_TABLES_H

#include "analyse/calls/calls.h"
#include "result/table.h"
#include "store/store.h"

struct sl_profile_want {
    struct sl_calls_want calls;
    bool flat, tree;
};

/* Columns of calls, flat and tree. */
enum {
    SL_PROFILE_FUNCTION,
    SL_PROFILE_PART,
    SL_PROFILE_TITLE,
    SL_PROFILE_PARENT,
    SL_PROFILE_DEPTH,
    SL_PROFILE_CALLS,
    SL_PROFILE_UNFINISHED,
    SL_PROFILE_UNKNOWN,
    SL_PROFILE_INCLUSIVE,
    SL_PROFILE_EXCLUSIVE,
    SL_PROFILE_PERCENT,
    SL_PROFILE_MIN,
    SL_PROFILE_MEAN,
    SL_PROFILE_MAX,
    SL_PROFILE_COLUMNS
};

/* Table: calls, the rows of call_profile() where flat is wanted, else of call_tree(), of the first of calls.within. */
int sl_result_calls(struct sl_result *r, struct sl_store *st, const struct sl_profile_want *want, struct sl_err *err);
/*
 * Tables: summary, one row; flat and tree, where they are wanted; async, asynchronous spans by name, and short,
 * calls that were only counted, with flat; open,
 * what each thread was in when its process ended; and of the whole store runs, one row: how many processes ran on their
 * own, and the last one.
 */
int sl_result_profile(struct sl_result *r, struct sl_store *st, const struct sl_profile_want *want, struct sl_err *err);

#endif
