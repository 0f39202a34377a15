/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which changes, in which order, make a workflow faster, for how much, and at what price.
 *
 * The candidates are what findings find with `changes` and a `repair` (finding.h), also what costs little by itself, as
 * it may hide behind another, and the other values that they have replayed (`replays`).  In each turn all are replayed
 * beside the steps so far, and the one that gains most is taken, or a cheaper kind that gains two thirds of that.  Of
 * large workflows the search is lazy (Minoux 1978): what a candidate gained before is taken to bound what it gains now,
 * so that few are replayed, and what hides is not seen.  A step that later ones made needless is taken out.
 */
#ifndef SL_FINDINGS_PLANNING_H
#define SL_FINDINGS_PLANNING_H

#include "analyse/tasks/tasks.h"
#include "findings/finding.h"
#include "result/plan_tables.h"
#include "store/store.h"

#include <math.h>

struct sl_plan_wish {
    double target_s;     /* enough; NaN: as short as it gets */
    double target_share; /* the same as a part of the makespan; NaN */
    double budget_h;     /* node hours, at most; NaN */
    const char *keep;    /* findings that stay, commas between; NULL: none */
    int64_t check;       /* a later run, for the table check; 0: none */
};
#define SL_PLAN_NO_WISH                                                                                                \
    {                                                                                                                  \
        .target_s = NAN, .target_share = NAN, .budget_h = NAN                                                          \
    }

/*
 * Tables: check, how a later run came out: a row for none and for each of the steps, and one for those that were made;
 * parts, the critical path, beside that of the later run; steps; run, one row; same, findings of the same seconds as
 * steps; options, of all that was tried what is not longer and dearer than another; others, findings with a repair that
 * cannot be replayed; problems as of sl_why().
 */
int sl_plan(struct sl_result *r, struct sl_store *st, int64_t workflow, const struct sl_findings *findings,
            const struct sl_plan_wish *wish, struct sl_err *err);
/* The same of a workflow whose tables (sl_facts_open) are there. */
int sl_plan_of_facts(struct sl_result *r, struct sl_store *st, struct sl_workflow *w,
                     const struct sl_findings *findings, const struct sl_plan_wish *wish, struct sl_err *err);

/*
 * Keeps in the store what the plan r of a workflow said of the steps that were made, and what came of them (table
 * check).  Nothing where none were made.
 */
int sl_plan_keep(const char *path, int64_t workflow, const struct sl_result *r, struct sl_err *err);

#endif
