/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the effect of a treatment is: what the logs of the runs (logs.h) say that each part of a run took, and what a
 * linear model says that treatments do to it.  All parts of a kind are fitted to the same terms, and least squares is
 * linear: so the effects on the parts add up to the effect on the whole, exactly.
 *
 *   path        each component and state of the critical path (analyse/tasks/path.h); seconds of a run
 *   transition  each step from one event of a task to its next, among the events of the task and of all that belongs to
 *               it; seconds per task of a run
 *
 * A treatment may change what is logged, and not only what it takes: then the same time has other names.  So events
 * that are told under one level of a factor (in nine of ten runs or more), and not under another (in one of ten or
 * fewer), are left out of both kinds, unless q->every_event.
 */
#ifndef SL_EXPERIMENT_PARTS_H
#define SL_EXPERIMENT_PARTS_H

#include "experiment/logs.h"
#include "experiment/model/linear_model.h"

enum sl_part_kind { SL_PART_PATH, SL_PART_TRANSITION, SL_PART_KINDS };
extern const char *const sl_part_kinds[SL_PART_KINDS]; /* "path", "transition" */

enum { SL_PARTS_MOST = 60 }; /* of a kind, by seconds: what is less is one part, "(others)" */

struct sl_part {
    enum sl_part_kind kind;
    const char *name; /* "COMPONENT, STATE", "EVENT > EVENT"; NULL: all of that kind */
    double *seconds;  /* of each run of `runs` */
    double mean;
    size_t in; /* in how many runs it occurs */
};

struct sl_left_out {
    const char *span_type, *event_type, *only; /* FACTOR=LEVEL: the level under which it is told most */
    size_t in;                                 /* in how many runs */
};

struct sl_parts {
    struct sl_runs runs;         /* those of the question that have a workflow of their own */
    SL_VEC(struct sl_part) part; /* by kind; all of it first, then the most seconds first, "(others)" last */
    SL_VEC(struct sl_left_out) left_out;
    struct sl_arena arena;
};

/*
 * r: the runs of q.  On success *out is to be freed with sl_parts_free().  SL_EUSAGE, SL_ENOTFOUND: no run has logs in
 * the store.
 */
int sl_parts_make(struct sl_parts *out, const struct sl_runs *r, const struct sl_logs *logs, sqlite3 *db,
                  const struct sl_question *q, struct sl_err *err);
/* The effects on a part: as sl_model_fit(), in seconds.  *m is to be freed. */
int sl_parts_fit(struct sl_linear_model *m, const struct sl_parts *p, const struct sl_part *part,
                 const struct sl_question *q, struct sl_err *err);
void sl_parts_free(struct sl_parts *p);

#endif
