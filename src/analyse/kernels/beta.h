/* SPDX-License-Identifier: Apache-2.0 */
/* Tails of Student's t and of F, through the incomplete beta function (NIST, DLMF, 8.17). */
#ifndef SL_ANALYSE_KERNELS_BETA_H
#define SL_ANALYSE_KERNELS_BETA_H

/* I_x(a, b), regularised; a, b > 0, 0 <= x <= 1.  x_rest is 1 - x: where either is tiny, the caller knows it better.
 * Relative error about 1e-13, and 1e-16 (a + b) where that is more; below the range of double 0.  O(sqrt(a + b)). */
double sl_beta_inc(double a, double b, double x, double x_rest);

double sl_t_two_sided(double t, double df);    /* P(|T| >= |t|), df > 0; NaN where t is; 0 at infinity */
double sl_t_quantile(double level, double df); /* t: P(|T| <= t) is level, 0 < level < 1, df > 0; as exact as P is */
double sl_f_upper(double f, double df1, double df2); /* P(F >= f), both > 0, f >= 0; likewise */

#endif
