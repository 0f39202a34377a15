/* SPDX-License-Identifier: Apache-2.0 */
/* What makes a plan: planning.c its candidates and tables, search.c its steps, draws.c how sure it is, where.c lines.
 */
#ifndef SL_FINDINGS_PLANNING_INTERNAL_H
#define SL_FINDINGS_PLANNING_INTERNAL_H

#include "analyse/tasks/simulate.h"
#include "base/buf.h"
#include "findings/plan/planning.h"

enum { MOST_STEPS = 6 };

struct candidate {
    const struct sl_finding *by;
    int64_t rank; /* of the finding: those of one rank are other values of the same */
    const char *changes, *what, *edit;
    double alone_s;
    double gain_s; /* beside the steps so far, at most; alone at first */
    bool fresh, taken;
    bool kept;    /* the user wants it as it is */
    bool dear;    /* with it and the steps so far the run needs more than the budget */
    bool refused; /* for one of these it was no step, ever */
};

struct pool {
    char *name;
    double places, free, nodes; /* free: NaN: no log tells */
};

struct chosen {
    struct candidate *c;
    double makespan_s;
};

struct search {
    struct sl_store *st;
    struct sl_replay *replay;
    const struct sl_workflow *w;
    const struct sl_plan_wish *wish;
    double makespan_s, nodes, node_hours;
    SL_VEC(struct candidate) candidate;
    SL_VEC(struct pool) pool;
    struct chosen step[MOST_STEPS];
    size_t steps;
    struct sl_table *options;
    int64_t replays;
    double bias;
};

/* What nodes there are with changes; node hours, where these are held for as large a part of the run as they were. */
double sl_plan_nodes(const struct search *s, const char *changes);
double sl_plan_node_hours(const struct search *s, const char *changes, double makespan_s);
/* More workers than there were, on nodes of which no log says how many CPUs they have. */
bool sl_plan_fits_by_guess(const struct search *s, const char *changes);
/* What has to change for it: more nodes where its workers do not fit. */
enum sl_repair sl_plan_repair(const struct search *s, const struct candidate *c);

/* Finds the steps.  Why there are no more: target, nothing, limit. */
const char *sl_plan_search(struct search *s);
/* How many candidates the user's wishes rule out. */
int64_t sl_plan_refused(const struct search *s);
/* Would it have been a step, if the steps did not save the same seconds? */
bool sl_plan_is_same(const struct search *s, const struct candidate *c);
/* The changes of the first n steps into b, which is cleared. */
void sl_plan_changes(struct sl_buf *b, const struct search *s, size_t n);

struct draws {
    int n;
    double *share[MOST_STEPS + 1]; /* by step, by draw: of the run that was drawn, how long it is with the steps */
};
/*
 * The run with each number of steps, by durations that are drawn with replacement.  *d, zero before, is to be freed, on
 * failure too.
 */
int sl_plan_draw(struct draws *d, struct search *s, struct sl_err *err);
void sl_plan_draws_free(struct draws *d);
/* 5 and 95 % of n numbers, which are sorted; the value itself lies between. */
void sl_plan_interval(double *v, int n, double value, double *low, double *high);
/*
 * Appends lines of the run's script, as FILE:LINE: TEXT, that words name: what they define, set or call.  Nothing where
 * the script is not at hand.
 */
void sl_plan_where(struct sl_buf *out, struct sl_store *st, const char *words);
/* checked, checked_near and checked_off of the run whose tables are there. */
int sl_plan_kept(struct sl_store *st, struct plan_run *x, struct sl_err *err);
/* path_s and work_s of the run. */
void sl_plan_bounds(const struct search *s, struct plan_run *x);

#endif
