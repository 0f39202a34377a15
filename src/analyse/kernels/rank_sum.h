/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether values of one group tend to be larger than others, compared within strata alone: Wilcoxon's rank sum
 * (Biometrics Bulletin 1 (1945) 80) of each stratum, added up, against all ways to say which values of a stratum are of
 * the group.  Equal values have the mean of their ranks.
 */
#ifndef SL_ANALYSE_KERNELS_RANK_SUM_H
#define SL_ANALYSE_KERNELS_RANK_SUM_H

#include <stdbool.h>
#include <stddef.h>

struct sl_ranked {
    double stratum, x;
    bool here; /* of the group */
};

/*
 * The probability that chance alone makes the sum as large as it is, or larger: one-sided, exact where strata are small
 * (at most some millions of steps), else by the normal approximation.  NaN: no stratum has values of both.  No NaN in
 * v, which is sorted.
 */
double sl_rank_sum_p(struct sl_ranked *v, size_t n);

#endif
