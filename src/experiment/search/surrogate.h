/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of all settings, from runs of some: a model that says how sure it is, so that it can say which run to
 * make next.
 *
 * A setting is one level of each factor.  y, the logarithm of a cost, is a sum of
 *
 *     an intercept; one term for each level; one for each pair of levels of two factors; what one setting has by
 *     itself; and noise,
 *
 * of which the second to fourth are normal, around 0, with one variance for each kind (ridge, Bayesian): that is the
 * model of spanloom-experiment-model with --interactions, shrunk so that it says something from the first run on.  The
 * variances are those under which the runs are likeliest (empirical Bayes).  Levels are coded by Helmert contrasts of
 * length 1, so that no level is special.
 *
 * Which run is best to look at: that of the least y in a draw from what is still possible (Thompson, Biometrika 25
 * (1933) 285; of sets with interactions in pairs: Baptista & Poloczek, ICML 2018), found by exchanging levels from
 * many starts.  Which run teaches most: that which takes most from the variances of effects (A-optimal augmentation;
 * Atkinson, Donev & Tobias, Optimum Experimental Designs, with SAS, 2007, ch. 10 and 19).
 */
#ifndef SL_EXPERIMENT_SEARCH_SURROGATE_H
#define SL_EXPERIMENT_SEARCH_SURROGATE_H

#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_space {
    size_t factors;
    const int32_t *levels; /* of each factor, 2 or more */
    bool (*allowed)(const void *arg, const int32_t *setting);
    const void *arg;
};

struct sl_surrogate {
    const struct sl_space *space; /* borrowed */
    size_t n, cells;              /* runs; settings that have run */
    int32_t *setting;             /* of cells, rows of factors */
    double *mean, *runs;          /* of y in each */
    size_t terms;
    double *column;     /* of cells, rows of terms */
    double *triangle;   /* of the precision of terms, by noise (Cholesky's, row by row below the diagonal) */
    double *b;          /* terms */
    double centre;      /* of y */
    double noise;       /* standard deviation of y between runs of one setting */
    double variance[3]; /* of terms of levels, of pairs, of a setting by itself; by that of noise */
};

/*
 * settings: n rows of space->factors levels; y: n, finite, or NaN of runs that failed, which count as the worst of the
 * others.  false: none has a y, and nothing is in *out.  Else space must outlive it, and it is to be freed with
 * sl_surrogate_free().  O(cells terms^2 + terms^3) for each of some forty steps.
 */
bool sl_surrogate_fit(struct sl_surrogate *out, const struct sl_space *space, const int32_t *settings, const double *y,
                      size_t n);
void sl_surrogate_free(struct sl_surrogate *s);

struct sl_belief {
    double mean, stddev; /* of the expected y of a setting */
};
struct sl_belief sl_surrogate_believe(const struct sl_surrogate *s, const int32_t *setting);
/* How many runs have had this setting. */
size_t sl_surrogate_runs(const struct sl_surrogate *s, const int32_t *setting);

/* These write a setting that is allowed, and return false where none was found. */

/* Of the least expected y; measured: among those that have run. */
bool sl_surrogate_best(const struct sl_surrogate *s, uint64_t *random, bool measured, int32_t *setting);
/* The best of a draw. */
bool sl_surrogate_draw(const struct sl_surrogate *s, uint64_t *random, int32_t *setting);
/* That which teaches most of effects; *s then has it among its runs, of unknown y. */
bool sl_surrogate_learn(struct sl_surrogate *s, uint64_t *random, int32_t *setting);

/* What the level changes y by, from level 0 on, on average over the levels of all other factors. */
struct sl_belief sl_surrogate_effect(const struct sl_surrogate *s, size_t factor, int32_t level);

/* Any allowed setting, each level as likely as the others of its factor where nothing is forbidden. */
bool sl_space_random(const struct sl_space *space, uint64_t *random, int32_t *setting);

#endif
