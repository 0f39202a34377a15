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

enum {
    SL_STATES_TYPE, /* NULL: a query of the user */
    SL_STATES_SPANS,
    SL_STATES_STATES,
    SL_STATES_COLUMNS,
    SL_STATES_FROM_NS, /* NULL: there are no events */
    SL_STATES_TO_NS,
    SL_STATES_BIN_S,
    SL_STATES_MOST,
    SL_STATES_OTHERS, /* states without a line, and what was most in one of them */
    SL_STATES_OTHERS_MOST,
    SL_STATES_NAME /* of the group; NULL: without `by` */
};
enum { SL_STATE_NAME, SL_STATE_AT_MOST, SL_STATE_ENDED, SL_STATE_MEAN_S }; /* the last two NULL: of the user's query */
enum { SL_STATE_COLUMN_STATE, SL_STATE_COLUMN_TIME_NS, SL_STATE_COLUMN_SPANS };

/* On success r is to be freed. */
int sl_states(struct sl_result *r, const struct sl_over_time *question, struct sl_err *err);

#endif
