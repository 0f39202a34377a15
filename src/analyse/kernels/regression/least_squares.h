/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Least squares of y on x_1 ... x_p with an intercept, a row at a time, in O(p^2) memory: Householder's QR, a block of
 * rows after the other put below the triangle so far (Golub & Van Loan, Matrix Computations, 4th ed., 5.2 and 6.5). The
 * normal equations, which would square the condition number, are never formed.  Each column is scaled by a power of
 * two.
 *
 * Results are the same whatever constant is subtracted from a column, but for the intercept: subtract exactly what is
 * large (times: the first) before it is rounded, and name it as origin.
 */
#ifndef SL_ANALYSE_KERNELS_REGRESSION_LEAST_SQUARES_H
#define SL_ANALYSE_KERNELS_REGRESSION_LEAST_SQUARES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_ols {
    size_t p, columns; /* 1, x_1 ... x_p, y */
    uint64_t n;
    size_t waiting; /* rows in the block */
    double *block;  /* columns one after the other */
    double *r;      /* the triangle, row by row */
    double *scale;  /* a column; 0: all were 0 so far */
};

/* b, stderr, t, pr: p + 1 numbers, the intercept first.  NaN is what cannot be said. */
struct sl_ols_fit {
    uint64_t n, df; /* rows; rows less coefficients that could be found */
    double *b;      /* NaN: x_j follows from 1 and those before it, to a sine of 1e-7, and was left out (R: NA) */
    double *se, *t, *pr;
    double r_squared, adj_r_squared, residual_stddev, f, f_pr;
    double *memory; /* of all of these */
};

void sl_ols_init(struct sl_ols *o, size_t p);
void sl_ols_add(struct sl_ols *o, const double *row); /* x_1 ... x_p, y; finite */

/* All rows at once, instead of sl_ols_add(): x_1 ... x_p, y, columns of n one after the other.  By LAPACK, where there
 * is one and it is worth it (kernels/regression/lapack.h). */
void sl_ols_matrix(struct sl_ols *o, const double *x, size_t n);

/* n > 0.  origin: what was subtracted from x_1 ... x_p, y; NULL: nothing.  fit is to be freed with sl_ols_fit_free().
 * With df 0 there are no errors, and no tests.  Where all y are equal there is no r_squared, nor f.  false: squares
 * went beyond the range of double (values 1e150 times those of the first block); nothing is in fit. */
bool sl_ols_solve(struct sl_ols *o, const double *origin, struct sl_ols_fit *fit);
/* As far as it has come: *to is to be solved, or goes on, by itself. */
void sl_ols_copy(struct sl_ols *to, const struct sl_ols *from);
void sl_ols_free(struct sl_ols *o);
void sl_ols_fit_free(struct sl_ols_fit *fit);

#endif
