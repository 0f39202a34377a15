/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The best setting that a number of runs can find.  Three in four runs are those of which the surrogate's draws say
 * that they are best (surrogate.h): where little is known these are everywhere, and the more is known, the more often
 * they are the best and what comes near.  The rest compare what is best by then with the base, in turns; of these alone
 * is said how much better it is, since the best of many always looks better than it is.
 *
 * Which run is next follows from the runs so far and the seed: what was killed goes on.
 */
#ifndef SL_EXPERIMENT_SEARCH_TUNE_H
#define SL_EXPERIMENT_SEARCH_TUNE_H

#include "experiment/search/surrogate.h"

enum { SL_TUNE_LEAST = 20 /* runs */ };

struct sl_tune {
    const struct sl_space *space;
    size_t budget; /* runs of its own; SL_TUNE_LEAST or more */
    uint64_t seed;
    /* All runs that are known, rows of space->factors levels and the logarithm of a cost: first those of others, then
     * its own in their order.  NaN: it failed, and counts as the worst of the others. */
    size_t others, n;
    const int32_t *settings;
    const double *y;
};

enum sl_tune_next { SL_TUNE_END, SL_TUNE_SEARCH, SL_TUNE_CONFIRM };
/* What to run next; SL_TUNE_END: the budget is spent, or no setting is allowed.  The base is level 0 of each factor;
 * where that is not allowed, the first setting of its own. */
enum sl_tune_next sl_tune_next(const struct sl_tune *t, int32_t *setting);

struct sl_tuned {
    int32_t *base, *best;     /* the caller's to free; best is base where nothing better was found */
    double change, low, high; /* of log cost from base to best, by `pairs` pairs; 95 % interval by Student's t; NaN */
    size_t pairs, searched;   /* of which neither run failed; and runs before these */
    struct sl_belief base_is, best_is; /* by the model of all runs */
};
/* As far as it has come; false: no setting is known to be allowed, or no run has worked. */
bool sl_tune_result(const struct sl_tune *t, struct sl_tuned *out);

#endif
