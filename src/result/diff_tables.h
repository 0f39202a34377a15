/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two runs, or stores, compared: what changed from A (0) to B (1) in their roots, makespans and critical paths. Tables:
 *
 *   diff         a row for all that was compared: the makespan, whole histories, these by group, transitions,
 * orderings, the path, and tasks by how much longer or shorter they were on workers (in the columns of the median),
 *                what changed most first.  Tasks are the same where both runs have tasks of their app under the same
 *                numbers, or else as many, which are then taken in order of submission.
 *
 * and for people, and for gates:
 *
 *   about        a row: type, no_path
 *   sides        A, B
 *   transitions  as in diff, with what is sure: surely changed, not surely, then what one side has, each by weight
 *   events       those that one side never has: side, span_type, event_type
 *   orderings    those that one side has, put together by what they lack or have more than the other's most common one:
 *                side, orderings, spans, differs
 */
#ifndef SL_RESULT_DIFF_TABLES_H
#define SL_RESULT_DIFF_TABLES_H

#include "analyse/compare_orders.h"
#include "analyse/groups.h"
#include "result/table.h"
#include "store/store.h"

/* A or B. */
struct sl_diff_input {
    const char *text; /* as the user says it */
    char *path, *run; /* the store; run NULL: all of it */
    struct sl_store *st;
    int64_t within;     /* the span of the run; 0: all */
    int64_t workflow;   /* whose makespan and critical path is compared; 0: none */
    uint64_t workflows; /* how many the store has, where no run is named */
};

/* Columns of diff and of transitions, which alone has the last.  What there is none of is NULL. */
/* clang-format off */
#define DIFF_SHIFT(COLUMN, row, q, c) \
    COLUMN(row, REAL, q##_a_s, "s", NULL) \
    COLUMN(row, REAL, q##_b_s, "s", NULL) \
    COLUMN(row, REAL, c##change_s, "s", NULL) \
    COLUMN(row, REAL, c##low_s, "s", NULL) \
    COLUMN(row, REAL, c##high_s, "s", NULL)
#define DIFF_ROW(COLUMN, row) \
    COLUMN(row, TEXT, what, NULL, "makespan, story, transition, sequence, critical_path, task, or the word of `by`") \
    COLUMN(row, TEXT, from_type, NULL, NULL) \
    COLUMN(row, TEXT, from_event, NULL, NULL) \
    COLUMN(row, TEXT, to_type, NULL, NULL) \
    COLUMN(row, TEXT, to_event, NULL, NULL) \
    COLUMN(row, TEXT, component, NULL, NULL) \
    COLUMN(row, TEXT, state, NULL, NULL) \
    COLUMN(row, TEXT, events, NULL, NULL) \
    COLUMN(row, INTEGER, n_a, "spans", NULL) \
    COLUMN(row, INTEGER, n_b, "spans", NULL) \
    DIFF_SHIFT(COLUMN, row, median, ) DIFF_SHIFT(COLUMN, row, p95, p95_) DIFF_SHIFT(COLUMN, row, p99, p99_) \
    COLUMN(row, TEXT, name, NULL, "of a group; of a task its app") \
    COLUMN(row, TEXT, task_a, NULL, "its key; NULL, both: all tasks of the app, which cannot be told apart") \
    COLUMN(row, TEXT, task_b, NULL, NULL) \
    COLUMN(row, INTEGER, sure, NULL, "1, -1: longer, shorter, and both sides have it as often; 0: not surely")
#define DIFF_ABOUT(COLUMN, row) \
    COLUMN(row, TEXT, type, NULL, "of the roots") \
    COLUMN(row, TEXT, no_path, NULL, "why no critical path is compared; NULL: it is")
#define DIFF_SIDE(COLUMN, row) \
    COLUMN(row, TEXT, side, NULL, "A or B") \
    COLUMN(row, TEXT, store, NULL, NULL) \
    COLUMN(row, TEXT, run, NULL, "NULL: all of the store") \
    COLUMN(row, INTEGER, spans, "spans", NULL) \
    COLUMN(row, INTEGER, orderings, "orderings", NULL) \
    COLUMN(row, INTEGER, without_events, "spans", NULL)
#define DIFF_EVENT(COLUMN, row) \
    COLUMN(row, TEXT, side, NULL, NULL) \
    COLUMN(row, TEXT, span_type, NULL, NULL) \
    COLUMN(row, TEXT, event_type, NULL, NULL)
#define DIFF_ORDERINGS(COLUMN, row) \
    COLUMN(row, TEXT, side, NULL, NULL) \
    COLUMN(row, INTEGER, orderings, "orderings", NULL) \
    COLUMN(row, INTEGER, spans, "spans", NULL) \
    COLUMN(row, TEXT, differs, NULL, NULL)
/* clang-format on */
SL_ROW(diff_row, DIFF_ROW);
SL_ROW(diff_about, DIFF_ABOUT);
SL_ROW(diff_side, DIFF_SIDE);
SL_ROW(diff_event, DIFF_EVENT);
SL_ROW(diff_orderings, DIFF_ORDERINGS);

/* The quantile of a row as one: DIFF_SHIFT_OF(x, median, ), DIFF_SHIFT_OF(x, p95, p95_). */
#define DIFF_SHIFT_OF(x, q, c) ((struct sl_shift){x->q##_a_s, x->q##_b_s, x->c##change_s, x->c##low_s, x->c##high_s})

/* type: of the roots. */
/* by: SL_GROUP_BY_NONE: no groups. */
int sl_result_diff(struct sl_result *r, const struct sl_diff_input side[2], const char *type, enum sl_by by,
                   struct sl_err *err);

#endif
