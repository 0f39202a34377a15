/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long it took from one event to another, over all spans of a type (two_events()), or what a query yields that has
 * a column duration_s; start and end; start_ns and end_ns; or two columns of any name, a time and how long it took, or
 * two times.  Tables:
 *
 *   two_events   all spans, or, with list, all with their keys and times as text, the longest first; the query as it is
 *
 * and for people:
 *
 *   about        a row: type, start_event, end_event, spans, durations, what is wrong with how many, store
 *   numbers      a row, where there are durations: mean, stddev, and quantiles
 *   histogram    from_s, to_s, durations: bins of a round width, from a multiple of it; none where all are the same
 *   groups       with over.by: of each how many, median, 95 %, maximum, total
 *   longest      duration_s, span, name: of the first few, where spans are known
 */
#ifndef SL_RESULT_OVER_TIME_DURATIONS_H
#define SL_RESULT_OVER_TIME_DURATIONS_H

#include "result/over_time/over_time.h"

struct sl_durations_question {
    struct sl_over_time over; /* bin_s is of no use */
    const char *event[2];     /* from which to which; NULL: a query of the user */
    bool list;
    bool missing; /* with list: only those without a start or an end */
};

enum {
    SL_DURATIONS_TYPE, /* NULL: a query of the user */
    SL_DURATIONS_START_EVENT,
    SL_DURATIONS_END_EVENT,
    SL_DURATIONS_SPANS,
    SL_DURATIONS_DURATIONS,
    SL_DURATIONS_NO_START,
    SL_DURATIONS_NO_END,
    SL_DURATIONS_SEVERAL_STARTS,
    SL_DURATIONS_SEVERAL_ENDS,
    SL_DURATIONS_NEGATIVE,
    SL_DURATIONS_STORE
};
enum {
    SL_DURATIONS_MEAN,
    SL_DURATIONS_STDDEV,
    SL_DURATIONS_MINIMUM,
    SL_DURATIONS_P25,
    SL_DURATIONS_MEDIAN,
    SL_DURATIONS_P75,
    SL_DURATIONS_P95,
    SL_DURATIONS_MAXIMUM,
    SL_DURATIONS_NUMBERS
};
enum { SL_DURATIONS_BIN_FROM_S, SL_DURATIONS_BIN_TO_S, SL_DURATIONS_BIN_DURATIONS };
enum { SL_DURATIONS_LONGEST_S, SL_DURATIONS_LONGEST_SPAN, SL_DURATIONS_LONGEST_NAME };

/*
 * Where the time of a workflow's tasks went, of each app or what by says: the table tasks, with how many there are,
 * medians of what task_times() has (waiting for others or the launch, in queues, on workers, between components), and
 * the longest on workers.  On success r is to be freed.
 */
int sl_durations_of_tasks(struct sl_result *r, struct sl_store *st, int64_t workflow, const char *by,
                          struct sl_err *err);

/*
 * A query of the user (sl_sql_bare()) as one with a column duration_s.  *sql: to be freed by sqlite3_free(); NULL: it
 * has one, or cannot be run, which who runs it is told.
 */
int sl_durations_query(char **sql, struct sl_store *st, const char *query, struct sl_err *err);

/* On success r is to be freed. */
int sl_durations(struct sl_result *r, const struct sl_durations_question *question, struct sl_err *err);

#endif
