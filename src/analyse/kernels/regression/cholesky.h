/* SPDX-License-Identifier: Apache-2.0 */
/* Positive definite matrices, n by n, row by row, of which only the lower half is read: Cholesky's factor L, L L' = m.
 */
#ifndef SL_ANALYSE_KERNELS_REGRESSION_CHOLESKY_H
#define SL_ANALYSE_KERNELS_REGRESSION_CHOLESKY_H

#include <stdbool.h>
#include <stddef.h>

/* L in place of the lower half.  false: a pivot is not above `least`, so m is not positive definite. */
bool sl_cholesky(double *m, size_t n, double least);

void sl_cholesky_forward(const double *l, size_t n, double *v);  /* L x = v, x in place of v */
void sl_cholesky_backward(const double *l, size_t n, double *v); /* L' x = v, likewise; both: m x = v */

/* The sum of a[i] b[i], by four sums beside each other. */
double sl_dot(const double *a, const double *b, size_t n);

#endif
