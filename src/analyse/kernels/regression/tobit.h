/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A linear model of y where of some rows only is known that y is at least so much (Tobin, Econometrica 26 (1958) 24):
 * maximum likelihood of normal errors, as R's survreg(dist = "gaussian") of the package survival has it.
 *
 * By Newton's method on b / sigma and 1 / sigma, of which the likelihood is concave (Olsen, Econometrica 46 (1978)
 * 1211), so that there is one answer, or none: where all rows of some x are censored.
 */
#ifndef SL_ANALYSE_KERNELS_REGRESSION_TOBIT_H
#define SL_ANALYSE_KERNELS_REGRESSION_TOBIT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * x: columns of n, p of them, one after the other, without the intercept's, none following from others; y: of a
 * censored row the least that it may be.  b, se: p + 1, the intercept first; sigma: of the errors.
 * false: there is no maximum; nothing is filled in.  O(n p^2) for each of some ten steps.
 */
bool sl_tobit(const double *x, const double *y, const bool *censored, size_t n, size_t p, double *b, double *se,
              double *sigma);

#endif
