/* SPDX-License-Identifier: Apache-2.0 */
/* Two runs, or stores, compared: what changed from A (0) to B (1) in their roots, makespans and critical paths. */
#ifndef SL_RESULT_DIFF_H
#define SL_RESULT_DIFF_H

#include "analyse/diff.h"
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

/* Seconds on the critical path by what had it, in both. */
struct sl_diff_path {
    char *component, *state;
    double s[2];
};

struct sl_comparison {
    const char *type; /* of the roots; borrowed */
    struct sl_diff_input side[2];
    struct sl_diff d;
    double makespan[2];               /* NaN: there is none, and no_path says why */
    SL_VEC(struct sl_diff_path) path; /* by how much it changed; empty: no_path says why */
    char no_path[600];
};

/* Fill type and side before, all else is zero.  *c is to be freed, whatever came of it; its sides are the caller's. */
int sl_comparison_make(struct sl_comparison *c, struct sl_err *err);
void sl_comparison_free(struct sl_comparison *c);

/* Table: diff, a row for all that was compared: the makespan, whole histories, transitions, orderings, the path. */
void sl_result_diff(struct sl_result *r, const struct sl_comparison *c);

#endif
