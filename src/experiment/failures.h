/* SPDX-License-Identifier: Apache-2.0 */
/* Which treatments make runs fail, and what they do to scores where a failed run is worse than any that did not. */
#ifndef SL_EXPERIMENT_FAILURES_H
#define SL_EXPERIMENT_FAILURES_H

#include "experiment/runs.h"

struct sl_failures { /* [0]: runs of the base level, [1]: with the treatment; NaN: cannot be said */
    uint64_t runs[2], failed[2];
    double difference, low, high; /* of the shares that failed, with less without; 95 % (kernels/proportion.h) */
    double p, p_holm, p_bh;       /* that both are the same: Fisher's exact test; and of all treatments */
    double better, better_low, better_high;
};

/*
 * One for each treatment, of runs that were loaded with those that failed.  better: the chance that of a run with the
 * treatment and one without the former is the better one, where failed runs are the worst and equal ones count half:
 * the statistic of Mann & Whitney (Ann. Math. Stat. 18 (1947) 50) by all pairs, which needs no score of a failed run.
 * Its interval: percentiles of SL_MEANS_ROUNDS rounds of the bootstrap of blocks, as in means.h; none where fewer than
 * SL_MEANS_FEW runs are on one side.
 */
void sl_failures_make(struct sl_failures *out, const struct sl_runs *r);

#endif
