/* SPDX-License-Identifier: Apache-2.0 */
/* Principal components, by the singular values of the centred matrix: R's prcomp(). */
#ifndef SL_ANALYSE_KERNELS_PCA_H
#define SL_ANALYSE_KERNELS_PCA_H

#include <stddef.h>

/*
 * Of x, n rows and p columns, columns one after the other; it is centred, and then rotated: column k becomes the scores
 * of component k, the one of the most variance first.  sdev[k]: the standard deviation of these (n - 1).
 * rotation[k * p + j]: how much of variable j is in component k; the largest of a component is positive.
 * One-sided Jacobi rotations (Hestenes, J. SIAM 6 (1958) 51), exact to the last digits whatever the sizes.  n > 1,
 * O(n p^2) for each of some ten sweeps.
 */
void sl_pca(double *x, size_t n, size_t p, double *sdev, double *rotation);

#endif
