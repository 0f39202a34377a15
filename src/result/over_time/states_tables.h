/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many spans of a type were in which state, over time (occupancy()), or what a query with the columns time_ns,
 * state, spans and perhaps ended yields.  Tables:
 *
 *   occupancy    all of it: every change, or every bin where bin_s is given; the query as it is
 *
 * and for people, in bins:
 *
 *   about        a row: type, spans, states, columns, from_ns, to_ns, bin_s, most, others, others_most
 *   states       those worth a line, as spans went through them: state, at_most, ended, mean_s
 *   columns      what was in them by time: a row for each of the times, for each of these states
 *
 * With `by` these three come again for each group.
 */
#ifndef SL_RESULT_OVER_TIME_STATES_TABLES_H
#define SL_RESULT_OVER_TIME_STATES_TABLES_H

#include "result/over_time/over_time.h"

/* clang-format off */
#define STATES_ABOUT(COLUMN, row) \
    COLUMN(row, TEXT, type, NULL, "NULL: a query of the user") \
    COLUMN(row, REAL, spans, "spans", NULL) \
    COLUMN(row, INTEGER, states, NULL, NULL) \
    COLUMN(row, INTEGER, columns, NULL, NULL) \
    COLUMN(row, INTEGER, from_ns, "ns", "NULL: there are no events") \
    COLUMN(row, INTEGER, to_ns, "ns", NULL) \
    COLUMN(row, REAL, bin_s, "s", NULL) \
    COLUMN(row, REAL, most, "spans", NULL) \
    COLUMN(row, INTEGER, others, NULL, "states without a line") \
    COLUMN(row, REAL, others_most, "spans", "what was most in one of them") \
    COLUMN(row, TEXT, name, NULL, "of the group; NULL: without `by`")
#define STATES_STATE(COLUMN, row) \
    COLUMN(row, TEXT, state, NULL, NULL) \
    COLUMN(row, REAL, at_most, "spans", NULL) \
    COLUMN(row, REAL, ended, "spans", "NULL: of a query of the user") \
    COLUMN(row, REAL, mean_s, "s", "the same")
#define STATES_COLUMN(COLUMN, row) \
    COLUMN(row, TEXT, state, NULL, NULL) \
    COLUMN(row, INTEGER, time_ns, "ns", NULL) \
    COLUMN(row, REAL, spans, "spans", NULL)
/* clang-format on */
SL_ROW(states_about, STATES_ABOUT);
SL_ROW(states_state, STATES_STATE);
SL_ROW(states_column, STATES_COLUMN);

/* On success r is to be freed. */
int sl_states(struct sl_result *r, const struct sl_over_time *question, struct sl_err *err);

#endif
