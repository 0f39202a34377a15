/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel density estimates of pairs.  Finite values only. */
#ifndef SL_ANALYSE_KERNELS_DENSITY2_H
#define SL_ANALYSE_KERNELS_DENSITY2_H

#include <stdbool.h>
#include <stddef.h>

/*
 * 1.06 min(sd, IQR / 1.34) n^(-1/5), or of sd alone where the IQR is 0: a quarter of bandwidth.nrd of R's MASS
 * (Venables & Ripley, Modern Applied Statistics with S, 2002, (5.5)), which is what its kde2d takes as standard
 * deviation.  NaN where n < 2 or all are equal.  v ascending; the result has its unit.
 */
double sl_bandwidth_normal(const double *v, size_t n);

/*
 * Density of the pairs (x[i], y[i]), i < n, n > 0, at the points of a grid: density[j * nx + i] at (gx[i], gy[j]).  The
 * kernel is a product of Gaussians of the standard deviations hx, hy > 0; what is further away than 9 of these is left
 * out (below 1e-17 of the kernel's height).  gx, gy ascending, equally far apart.  O(n (nx + ny)) and the grid's points
 * in reach of each pair.
 */
void sl_kde2(double *density, const double *gx, size_t nx, const double *gy, size_t ny, const double *x,
             const double *y, size_t n, double hx, double hy);

#endif
