/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often events happened, over time (event_rate()), or what a query with the column time_ns of each event, or
 * time_ns and events of each bin, yields.  Tables:
 *
 *   event_rate   the bins; the query of the user as it is
 *
 * and for people:
 *
 *   about        a row: event, events, bin_s, store
 *   bins         time_ns, events, per_s
 *   groups       with `by`: of each how many, their share, the most in a second, and bars by time
 *   kinds        which events were counted: span_type, event_type
 */
#ifndef SL_RESULT_OVER_TIME_RATE_H
#define SL_RESULT_OVER_TIME_RATE_H

#include "result/over_time/over_time.h"

/* clang-format off */
#define RATE_BIN(COLUMN, row) \
    COLUMN(row, INTEGER, time_ns, "ns", "where the bin begins") \
    COLUMN(row, REAL, events, "events", NULL) \
    COLUMN(row, REAL, per_s, "1/s", NULL)
#define RATE_ABOUT(COLUMN, row) \
    COLUMN(row, TEXT, event, NULL, "NULL: a query of the user") \
    COLUMN(row, REAL, events, "events", NULL) \
    COLUMN(row, REAL, bin_s, "s", "NULL: bins of the query's own") \
    COLUMN(row, TEXT, store, NULL, NULL)
#define RATE_KIND(COLUMN, row) \
    COLUMN(row, TEXT, span_type, NULL, NULL) \
    COLUMN(row, TEXT, event_type, NULL, NULL)
/* clang-format on */
SL_ROW(rate_bin, RATE_BIN);
SL_ROW(rate_about, RATE_ABOUT);
SL_ROW(rate_kind, RATE_KIND);

/* On success r is to be freed. */
int sl_rate(struct sl_result *r, const struct sl_over_time *question, struct sl_err *err);

#endif
