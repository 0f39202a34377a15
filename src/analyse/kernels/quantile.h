/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quantiles of an array, and what they need.  Results have the unit of v.  Infinities are values like others; where v
 * may hold NaN it is said.
 */
#ifndef SL_ANALYSE_KERNELS_QUANTILE_H
#define SL_ANALYSE_KERNELS_QUANTILE_H

#include <stddef.h>

/*
 * The p-quantile (0 <= p <= 1) of v[0..n): Hyndman & Fan, The American Statistician 50 (1996) 361, definition 7.  With
 * h = (n - 1) p it is v(h) of the sorted values, between two of them on the line through both.  NaN if n is 0, any v is
 * NaN, or it lies between -Inf and Inf.  Reorders v.  O(n) expected, whatever the order and however many are equal.
 */
double sl_quantile(double *v, size_t n, double p);
double sl_quantile_sorted(const double *v, size_t n, double p); /* the same in O(1), v ascending and without NaN */

/* Reorders v so that v[k], k < n, is what it would be if v were sorted, and none before it is greater, none behind it
 * less.  No NaN.  O(n) expected: pivots are taken from random samples, as in Floyd & Rivest, CACM 18 (1975) 165. */
void sl_select(double *v, size_t n, size_t k);

/* Ascending, no NaN; -0 before 0.  O(n), by digits, with as much memory again while it runs. */
void sl_sort(double *v, size_t n);

#endif
