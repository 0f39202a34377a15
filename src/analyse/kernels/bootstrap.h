/* SPDX-License-Identifier: Apache-2.0 */
/* How sure is a difference of quantiles, or what follows from values in the order of time? */
#ifndef SL_ANALYSE_KERNELS_BOOTSTRAP_H
#define SL_ANALYSE_KERNELS_BOOTSTRAP_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

enum { SL_BOOTSTRAP_ROUNDS = 1000 };

struct sl_interval {
    double difference; /* the p-quantile of b less that of a (kernels/quantile.h), in their unit */
    double low, high;
};

/*
 * The percentile bootstrap interval (Efron & Tibshirani, An Introduction to the Bootstrap, 1993, ch. 13) of that
 * difference, of independent samples a and b: the (1 - level) / 2 and (1 + level) / 2 quantiles of what `rounds`
 * resamples of both give.
 *
 * No resample is drawn: its k-th value is a[floor(n U)], where U is the k-th of n sorted uniform numbers, whose
 * distribution is Beta(k, n - k + 1), and the next of these is where the least of the n - k others falls between U and
 * 1 (Devroye, Non-Uniform Random Variate Generation, 1986, V.3; of the median: Maritz & Jarrett, JASA 73 (1978) 194).
 * That is exact, not an approximation, and O(rounds), however large the samples.
 *
 * a, b ascending (sl_sort()), without NaN; 0 <= p <= 1, 0 < level < 1.  The seed is fixed: the same samples give the
 * same. SL_EUSAGE: a sample is empty, or an argument out of range.
 */
int sl_bootstrap_quantile(struct sl_interval *out, const double *a, size_t na, const double *b, size_t nb, double p,
                          double level, size_t rounds, struct sl_err *err);

/*
 * One resample of n > 0 values that stand in the order of time: times[i] is how often value i is drawn; all together
 * are n. Drawn are blocks of ceil(n^(1/3)) neighbours, the first follows the last (Politis & Romano, in Exploring the
 * Limits of Bootstrap, 1992), so that what neighbours have in common stays together.
 */
void sl_bootstrap_blocks(uint32_t *times, size_t n, uint64_t *random);

#endif
