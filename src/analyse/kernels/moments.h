/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Standard deviation and correlation, in one pass and constant memory.  Blocks are summed about their own mean, and the
 * sums of blocks merged: Chan, Golub and LeVeque, The American Statistician 37 (1983) 242.  Both are the same whatever
 * is subtracted from all x, or y, so subtract exactly what is large in them (times: the first) before they are rounded.
 */
#ifndef SL_ANALYSE_KERNELS_MOMENTS_H
#define SL_ANALYSE_KERNELS_MOMENTS_H

#include <stddef.h>
#include <stdint.h>

enum { SL_MOMENTS_BLOCK = 128 };

struct sl_moments { /* zero: nothing yet.  About means, in units of the scales. */
    uint64_t n;
    double mean_x, mean_y, xx, yy, xy;
    double scale_x, scale_y; /* powers of two that bring the first values to about 1; 0: all were 0 so far */
};

/* Adds n pairs, best SL_MOMENTS_BLOCK or fewer at a time; y may be NULL (for all calls).  Finite numbers only. */
void sl_moments_add(struct sl_moments *m, const double *x, const double *y, size_t n);

/* Of a sample (n - 1), in the unit of x.  NaN below two values.  Inf or NaN where squares went beyond the range of
 * double: values 1e150 times as far from 0 as the first block. */
double sl_moments_stddev(const struct sl_moments *m);

/* Pearson's, -1 to 1.  NaN below two pairs or where x or y is constant; or beyond the range, as above. */
double sl_moments_corr(const struct sl_moments *m);

/* The power of two, 1/2 < it * |largest of v| <= 2; 0: all are 0. */
double sl_scale_of(const double *v, size_t n);

#endif
