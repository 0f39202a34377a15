/* SPDX-License-Identifier: Apache-2.0 */
/* How values are spread: histograms and kernel density estimates.  Finite values only; edges have the unit of v. */
#ifndef SL_ANALYSE_KERNELS_DENSITY_H
#define SL_ANALYSE_KERNELS_DENSITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SL_BINS_DEFAULT_MOST = 1000 }; /* a few far values make Freedman's and Diaconis' bins many */

struct sl_histogram_bins {
    size_t n;
    double *edge;    /* n + 1, ascending; bin i is [edge[i], edge[i + 1]), the last with its end */
    uint64_t *count; /* n */
};

/*
 * v[0..n), n > 0, into so many bins of equal width from its least to its greatest; 0: as many as sl_bins_default()
 * says.  Where all values are equal there is one bin.  Values are compared with the edges that are given out, so these
 * and the counts agree.  Reorders v.  O(n).  *out is to be freed with sl_bins_free().
 */
void sl_histogram(struct sl_histogram_bins *out, double *v, size_t n, size_t bins);
void sl_bins_free(struct sl_histogram_bins *b);

/* Bins of the width 2 IQR n^(-1/3) (Freedman & Diaconis, Z. Wahrscheinlichkeitstheorie verw. Gebiete 57 (1981) 453), up
 * to SL_BINS_DEFAULT_MOST.  Where the IQR is 0, ceil(log2 n) + 1 (Sturges, JASA 21 (1926) 65).  Reorders v. */
size_t sl_bins_default(double *v, size_t n);

/*
 * factor min(sd, IQR / 1.34) n^(-1/5), or of sd alone where the IQR is 0.  NaN where n < 2, all are equal (R takes
 * |v[0]| or 1 instead), or they are too far apart for double.  v ascending; the result has its unit.
 */
double sl_bandwidth(const double *v, size_t n, double factor);
#define SL_BANDWIDTH_NRD0 0.9 /* R's bw.nrd0 (Silverman, Density Estimation, 1986, (3.31)) */
/* A quarter of bandwidth.nrd of R's MASS (Venables & Ripley, Modern Applied Statistics with S, 2002, (5.5)), which is
 * what its kde2d takes as standard deviation. */
#define SL_BANDWIDTH_NRD 1.06

/*
 * Density of v[0..n), n > 0, ascending, with a Gaussian kernel of standard deviation h > 0, at x[0..points): from 3 h
 * before the least to 3 h behind the greatest, points >= 2.  Not on a grid of bins: values within h / 8 are summed as a
 * Taylor series of 10 terms about their middle (Greengard & Strain, SIAM J. Sci. Stat. Comput. 12 (1991) 79), so what
 * comes out is the exact sum to 1e-15 / h, less what is further away than 9 h (below 1e-17 / h).  O(n + points).
 * false: the range is too large for double, nothing is done.
 */
bool sl_kde(double *x, double *density, size_t points, const double *v, size_t n, double h);

#endif
