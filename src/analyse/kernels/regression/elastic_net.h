/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Least squares that may have more columns than rows: the elastic net of Zou & Hastie (JRSS B 67 (2005) 301).  b, and
 * b0 which is not penalised, make least
 *
 *     sum_i w_i (y_i - b0 - sum_j x_ij b_j)^2 / (2 sum w) + lambda sum_j (alpha |b_j| + (1 - alpha) / 2 b_j^2 / s)
 *
 * where all x_j are scaled to a standard deviation of 1 (that of n, not n - 1), and back; s, the standard deviation of
 * y, makes both penalties scale with y.  That is R's glmnet(), of family "gaussian".
 *
 * By coordinate descent along falling lambda, on the correlations of columns, so that a step that changes nothing is
 * one comparison (Friedman, Hastie & Tibshirani, J. Stat. Softw. 33 (2010) 1, 2.2).  O(n p^2) for these, p^2 numbers.
 */
#ifndef SL_ANALYSE_KERNELS_REGRESSION_ELASTIC_NET_H
#define SL_ANALYSE_KERNELS_REGRESSION_ELASTIC_NET_H

#include <stddef.h>

enum { SL_NET_LAMBDAS = 100, SL_NET_FOLDS = 10 };

struct sl_net {
    size_t n, p;
    const double *x; /* columns of n, one after the other */
    const double *y;
    double alpha; /* 1: the lasso; 0: ridge */
};

/*
 * b0, b_1 ... b_p for each lambda, which fall: out has lambdas rows of p + 1.  weight: NULL: all 1; a row of weight 0
 * is left out.  Descent ends where no b changes by more than `rough` of the standard deviation of y, per deviation of
 * x; 0: exact, as far as double goes, by the equations of the b that are not 0 then. start: b_1 ... b_p to begin with;
 * NULL: 0.  Columns that do not vary have b 0.
 */
void sl_net_fit(const struct sl_net *net, const double *weight, const double *lambda, size_t lambdas, double rough,
                const double *start, double *out);

/* SL_NET_LAMBDAS of them: from the least of which all b are 0 (of alpha below 0.001: as of 0.001), equal steps of the
 * logarithm, to 0.01 (fewer rows than columns) or 0.0001 of that. */
void sl_net_lambdas(const struct sl_net *net, double *lambda);

struct sl_net_choice {
    size_t best, simplest; /* of least error; the largest lambda whose error is at most one standard error above that */
    double error[SL_NET_LAMBDAS], sd[SL_NET_LAMBDAS]; /* mean squared error of rows left out, and its standard error */
};

/*
 * By cross-validation: SL_NET_FOLDS stretches of neighbouring rows (so of time, where they ascend by it) are left out
 * in turn, and told from the others.  n >= SL_NET_FOLDS.  That is R's cv.glmnet() with foldid 1 1 ... 10 10.
 */
void sl_net_choose(const struct sl_net *net, const double *lambda, struct sl_net_choice *out);

#endif
