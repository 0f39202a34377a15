/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the mean of values in the order of time changes: the segments of least sum of squares about their means, where
 * each change costs `penalty`.  Exact, by PELT (Killick, Fearnhead & Eckley, JASA 107 (2012) 1590): O(n) where changes
 * come again and again, O(n^2) where there are none.
 */
#ifndef SL_ANALYSE_KERNELS_CHANGE_POINTS_H
#define SL_ANALYSE_KERNELS_CHANGE_POINTS_H

#include <stddef.h>

/* begin[k]: where segment k begins, begin[0] is 0; room for n.  How many there are.  v: finite; penalty above 0. */
size_t sl_changes(const double *v, size_t n, double penalty, size_t *begin);

/*
 * What is noise in v, where its mean may change a few times and some values lie far out.  *sigma: standard deviation;
 * *together: how much of a value's error the next one has (0 to 0.9): autocorrelation of order 1.  By the spread of
 * differences of neighbours, and of next neighbours, which a change of the mean hardly touches (Chakar et al.,
 * Bernoulli 23 (2017) 1408); far ones count as twice their median absolute deviation.  n > 2.
 */
void sl_changes_noise(const double *v, size_t n, double *sigma, double *together);

/* Standard deviation of a mean of many, by the root of their number: sigma, but larger where errors come together; of
 * which n values say so much, and which is taken to be a standard error, 1 / sqrt(n), more, up to 0.9. */
double sl_changes_long_run(double sigma, double together, size_t n);

#endif
