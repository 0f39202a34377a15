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
enum {
    SL_DIFF_WHAT, /* makespan, story, transition, sequence, critical_path, task, or the word of `by` */
    SL_DIFF_FROM_TYPE,
    SL_DIFF_FROM_EVENT,
    SL_DIFF_TO_TYPE,
    SL_DIFF_TO_EVENT,
    SL_DIFF_COMPONENT,
    SL_DIFF_STATE,
    SL_DIFF_EVENTS,
    SL_DIFF_N_A,
    SL_DIFF_N_B,
    SL_DIFF_MEDIAN, /* five columns of each quantile: */
    SL_DIFF_P95 = SL_DIFF_MEDIAN + 5,
    SL_DIFF_P99 = SL_DIFF_P95 + 5,
    SL_DIFF_NAME = SL_DIFF_P99 + 5, /* of a group; of a task its app */
    SL_DIFF_TASK_A, /* keys of a task; NULL, both: all tasks of the app together, which cannot be told apart */
    SL_DIFF_TASK_B,
    SL_DIFF_SURE, /* 1, -1: longer, shorter, and both sides have it as often; 0: not surely */
};
enum { SL_DIFF_A, SL_DIFF_B, SL_DIFF_CHANGE, SL_DIFF_LOW, SL_DIFF_HIGH }; /* SL_DIFF_MEDIAN + SL_DIFF_B */
enum { SL_DIFF_TYPE, SL_DIFF_NO_PATH };                                   /* why no critical path is compared; NULL */
/* run NULL: all of the store */
enum { SL_DIFF_SIDE, SL_DIFF_STORE, SL_DIFF_RUN, SL_DIFF_SPANS, SL_DIFF_ORDERINGS, SL_DIFF_WITHOUT_EVENTS };
enum { SL_DIFF_EVENT_SIDE, SL_DIFF_EVENT_SPAN_TYPE, SL_DIFF_EVENT_TYPE };
enum { SL_DIFF_LONE_SIDE, SL_DIFF_LONE_ORDERINGS, SL_DIFF_LONE_SPANS, SL_DIFF_LONE_DIFFERS };

/* type: of the roots. */
/* by: SL_GROUP_BY_NONE: no groups. */
int sl_result_diff(struct sl_result *r, const struct sl_diff_input side[2], const char *type, enum sl_by by,
                   struct sl_err *err);

#endif
