/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many workers of a type there were, and were busy, over time (utilisation()), or what a query with the columns
 * time_ns, workers, busy and perhaps running yields.  Tables:
 *
 *   utilisation  the bins; the query of the user as it is
 *
 * and for people:
 *
 *   about        a row: type, busy, bin_s
 *   groups       with `by`: of each how many workers there were at most, how long they were busy with it, and bars by
 *                time; by app and type all workers are there for each, else those that belong to it
 *   bins         time_ns, workers, busy, running, busy_percent
 */
#ifndef SL_RESULT_OVER_TIME_UTILISATION_TABLES_H
#define SL_RESULT_OVER_TIME_UTILISATION_TABLES_H

#include "result/over_time/over_time.h"

/* busy: of the time that workers were there, per cent; NULL: never. */
enum { SL_WORKERS_TYPE, SL_WORKERS_BUSY, SL_WORKERS_BIN_S };
enum {
    SL_WORKERS_BIN_TIME_NS,
    SL_WORKERS_BIN_WORKERS,
    SL_WORKERS_BIN_BUSY,
    SL_WORKERS_BIN_RUNNING,
    SL_WORKERS_BIN_PERCENT
};

/*
 * The i-th type of the workers that there are (within a span, where within is not 0), counted from 0.  1; 0: there are
 * no more; or negative.
 */
int sl_worker_type(struct sl_store *st, int64_t within, int64_t i, char *type, size_t n, struct sl_err *err);
/* question->about NULL: what workers there are; an error where there are several types.  On success r is to be freed.
 */
int sl_workers(struct sl_result *r, const struct sl_over_time *question, struct sl_err *err);

#endif
