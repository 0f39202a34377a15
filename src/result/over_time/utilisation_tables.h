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

/* clang-format off */
#define WORKERS_ABOUT(COLUMN, row) \
    COLUMN(row, TEXT, type, NULL, NULL) \
    COLUMN(row, REAL, busy, "%", "of the time that workers were there; NULL: never") \
    COLUMN(row, REAL, bin_s, "s", NULL)
#define WORKERS_BIN(COLUMN, row) \
    COLUMN(row, INTEGER, time_ns, "ns", NULL) \
    COLUMN(row, REAL, workers, "workers", NULL) \
    COLUMN(row, REAL, busy, "workers", NULL) \
    COLUMN(row, REAL, running, "spans", NULL) \
    COLUMN(row, REAL, busy_percent, "%", NULL)
/* clang-format on */
SL_ROW(workers_about, WORKERS_ABOUT);
SL_ROW(workers_bin, WORKERS_BIN);

/*
 * The i-th type of the workers that there are (within a span, where within is not 0), counted from 0.  1; 0: there are
 * no more; or negative.
 */
int sl_worker_type(struct sl_store *st, int64_t within, int64_t i, char *type, size_t n, struct sl_err *err);
/* question->about NULL: what workers there are; an error where there are several types.  On success r is to be freed.
 */
int sl_workers(struct sl_result *r, const struct sl_over_time *question, struct sl_err *err);

#endif
