/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Since which commit is it slower?  Some commits of a range, at even distances, are measured in rounds: each once, in
 * random order, so that neighbours in a round are a pair as turns.h has it, and drift is no change.  Where two
 * neighbours differ for sure, the commit in the middle joins, until those that differ are next to each other; where
 * they are alike to `within`, nothing between them is looked at.  So changes that undo each other between two of the
 * first commits are not found.
 *
 * Each pair has an interval of alpha / (first - 1) (kernels/sequential.h), of rounds that had both: a wrong one among
 * the first says so with chance alpha, and who bisects because of it compares what is measured anew.
 */
#ifndef SL_EXPERIMENT_SEARCH_HISTORY_H
#define SL_EXPERIMENT_SEARCH_HISTORY_H

#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_history_score {
    size_t commit, round;
    double cost; /* its logarithm */
};

struct sl_history {
    size_t commits;       /* of the range, the oldest is 0; 2 or more */
    size_t first;         /* so many are measured first; 2 or more */
    double within, alpha; /* share: 0.05 */
    bool *broken;         /* of each commit: it cannot be built or run, so one near it is taken; the caller's */
    SL_VEC(struct sl_history_score) score; /* in any order */
};

enum sl_history_verdict {
    SL_HISTORY_UNKNOWN,
    SL_HISTORY_SAME,   /* to `within` */
    SL_HISTORY_CHANGED /* for sure; somewhere from `old` on, up to `new` */
};

struct sl_history_step {
    size_t old, new; /* commits; between them none was measured */
    enum sl_history_verdict verdict;
    bool settled;             /* nothing more is to be measured for it */
    size_t rounds;            /* that had both */
    double change, low, high; /* shares of the cost, of `new` by `old`; NaN, infinite: not known */
};

/*
 * The steps between commits that are to be measured, in their order; how many.  *step is the caller's to free; of 0
 * steps (fewer than two commits are not broken) too.
 */
size_t sl_history_steps(const struct sl_history *h, struct sl_history_step **step);

/* The commits of the next round into commit[0 .. h->commits), in random order; 0: all is settled. */
size_t sl_history_round(const struct sl_history *h, uint64_t *random, size_t *commit);

#endif
