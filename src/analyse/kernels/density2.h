/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel density estimates of pairs.  Finite values only. */
#ifndef SL_ANALYSE_KERNELS_DENSITY2_H
#define SL_ANALYSE_KERNELS_DENSITY2_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Density of the pairs (x[i], y[i]), i < n, n > 0, at the points of a grid: density[j * nx + i] at (gx[i], gy[j]).  The
 * kernel is a product of Gaussians of the standard deviations hx, hy > 0; what is further away than 9 of these is left
 * out (below 1e-17 of the kernel's height).  gx, gy ascending, equally far apart.  O(n (nx + ny)) and the grid's points
 * in reach of each pair.
 */
void sl_kde2(double *density, const double *gx, size_t nx, const double *gy, size_t ny, const double *x,
             const double *y, size_t n, double hx, double hy);

#endif
