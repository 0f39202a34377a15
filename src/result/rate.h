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
#ifndef SL_RESULT_RATE_H
#define SL_RESULT_RATE_H

#include "result/over_time.h"

/* event NULL: a query of the user.  bin_s NULL: bins of its own. */
enum { SL_RATE_EVENT, SL_RATE_EVENTS, SL_RATE_BIN_S, SL_RATE_STORE };
enum { SL_RATE_BIN_TIME_NS, SL_RATE_BIN_EVENTS, SL_RATE_BIN_PER_S };
enum { SL_RATE_KIND_SPAN, SL_RATE_KIND_EVENT };

/* On success r is to be freed. */
int sl_rate(struct sl_result *r, const struct sl_over_time *question, struct sl_err *err);

#endif
