/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which changes, in which order, make a workflow faster, for how much, and at what price.
 *
 * The candidates are what findings tell with `changes` and a `repair` (finding.h), and the other values that they have
 * replayed (`replays`).  The search is lazy greedy (Minoux 1978): what a candidate gained alone bounds what it gains
 * beside others, so few are replayed twice.  In each turn the one that gains most is taken, or a cheaper kind that
 * gains two thirds of that.  A step that later ones made needless is taken out.
 */
#ifndef SL_FINDINGS_PLANNING_H
#define SL_FINDINGS_PLANNING_H

#include "findings/finding.h"
#include "result/plan_tables.h"
#include "store/store.h"

struct sl_plan_wish {
    double target_s;     /* enough; NaN: as short as it gets */
    double target_share; /* the same as a part of the makespan; NaN */
    double budget_h;     /* node hours, at most; NaN */
    const char *keep;    /* findings that stay, commas between; NULL: none */
};

/*
 * Tables: steps; run, one row; options, of all that was tried what is not longer and dearer than another; others,
 * findings with a repair that cannot be replayed; problems as of sl_why().
 */
int sl_plan(struct sl_result *r, struct sl_store *st, int64_t workflow, const struct sl_findings *findings,
            const struct sl_plan_wish *wish, struct sl_err *err);

#endif
