/* SPDX-License-Identifier: Apache-2.0 */
/* What each treatment does, on average. */
#ifndef SL_EXPERIMENT_MEANS_H
#define SL_EXPERIMENT_MEANS_H

#include "experiment/deltas.h"

enum {
    SL_MEANS_ROUNDS = 1000,
    SL_MEANS_FEW = 5 /* runs on either side, below which no interval is given: the few say too little of each other */
};

struct sl_mean { /* NaN: cannot be said */
    size_t pairs;
    double delta, lower, upper; /* mean of the deltas, and its 95 % interval */
    size_t runs_without, runs_with;
    double without, with; /* means of all runs of the base level, and of the treatment's */
    double difference, difference_lower, difference_upper;
    /* that there is no effect, where there is an interval; and corrected for all treatments (kernels/adjust.h) */
    double p, p_holm, p_bh, difference_p, difference_p_holm, difference_p_bh;
    /* Why delta, and difference, have no interval: "few" runs on one side, or "on end": its runs follow each other, so
     * that some drawings have none of them; "few pairs": too few of these runs are in pairs; NULL: they have. */
    const char *lacks, *difference_lacks;
};

/*
 * One for each treatment; of all runs of r.  Intervals are those of the bootstrap that draws runs, not pairs, in blocks
 * of consecutive runs, ceil(n^(1/3)) of them (Politis & Romano, A circular block-resampling procedure, in Exploring the
 * Limits of Bootstrap, 1992; the length: Hall, Horowitz & Jing, Biometrika 82 (1995) 561), so that drift is not taken
 * for certainty: percentiles of SL_MEANS_ROUNDS rounds, further out the fewer runs there are on the lesser side, as
 * Student's t is (the expanded percentile interval: Hesterberg, The American Statistician 69 (2015) 371).  Always the
 * same for the same runs.
 *
 * p is that of Student's t: the estimate by the standard deviation of the rounds, with one degree of freedom less than
 * there are runs on the lesser side.  Percentiles of the rounds themselves could not fall below 2 / SL_MEANS_ROUNDS,
 * which no correction for many treatments would survive.
 */
void sl_means(struct sl_mean *out, const struct sl_runs *r, const struct sl_deltas *d);

#endif
