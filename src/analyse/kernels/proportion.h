/* SPDX-License-Identifier: Apache-2.0 */
/* Two proportions: of n[0] and n[1], x[0] and x[1] have it. */
#ifndef SL_ANALYSE_KERNELS_PROPORTION_H
#define SL_ANALYSE_KERNELS_PROPORTION_H

#include <stdint.h>

/*
 * The 95 % interval of x[1] / n[1] - x[0] / n[0], also where an x is 0: from Wilson's intervals of both (Newcombe,
 * Statistics in Medicine 17 (1998) 873, method 10).  n above 0.
 */
void sl_proportion_interval(const uint64_t x[2], const uint64_t n[2], double *low, double *high);

/* That both are the same, two-sided: Fisher's exact test, as R's fisher.test().  O(x[0] + x[1]). */
double sl_proportion_fisher(const uint64_t x[2], const uint64_t n[2]);

#endif
