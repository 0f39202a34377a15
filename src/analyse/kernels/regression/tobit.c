/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/kernels/regression/tobit.h"
#include "analyse/kernels/regression/cholesky.h"
#include "analyse/kernels/regression/least_squares.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

enum { STEPS = 100, HALVES = 40 };

/* Columns, and y, are taken about their means and by their standard deviations, so that all b are of one size. */
struct tobit {
    size_t n, d; /* d: parameters; the intercept, p columns, 1 / sigma */
    const double *x, *y;
    const bool *censored;
    double *mean, *scale;            /* of columns; of y at the end */
    double *at, *gradient, *hessian; /* of minus the likelihood */
    double *row;
};

/* log of the upper tail of a normal distribution, and the density by it; without underflow. */
static double log_tail(double z, double *ratio)
{
    const double root = 1.4142135623730951, density = 0.3989422804014327;

    if (z < 25) {
        double tail = erfc(z / root) / 2;
        *ratio = density * exp(-z * z / 2) / tail;
        return log(tail);
    }
    /* NIST, DLMF, 7.12.1: to 1e-9 at 25 */
    *ratio = z / (1 - 1 / (z * z) + 3 / (z * z * z * z));
    return -z * z / 2 + log(density / *ratio);
}

static void fill_row(struct tobit *t, size_t i)
{
    size_t p = t->d - 2;

    t->row[0] = 1;
    for (size_t j = 0; j < p; j++)
        t->row[j + 1] = (t->x[j * t->n + i] - t->mean[j]) / t->scale[j];
    t->row[t->d - 1] = (t->y[i] - t->mean[p]) / t->scale[p];
}

/* Minus the log likelihood at `at`; derivatives, too, where they are wanted.  Infinite: 1 / sigma is not above 0. */
static double likelihood(struct tobit *t, const double *at, bool derivatives)
{
    size_t d = t->d;
    double sum = 0;

    if (!(at[d - 1] > 0))
        return INFINITY;
    if (derivatives) {
        memset(t->gradient, 0, d * sizeof *t->gradient);
        memset(t->hessian, 0, d * d * sizeof *t->hessian);
    }
    for (size_t i = 0; i < t->n; i++) {
        double z, first, second;
        fill_row(t, i);
        z = at[d - 1] * t->row[d - 1]; /* the error, by sigma */
        for (size_t j = 0; j + 1 < d; j++)
            z -= at[j] * t->row[j];
        if (t->censored[i]) {
            sum -= log_tail(z, &first);
            second = first * (first - z);
        } else {
            sum += z * z / 2 - log(at[d - 1]);
            first = z;
            second = 1;
        }
        if (!derivatives)
            continue;
        for (size_t j = 0; j < d; j++) { /* dz / d at[j]: -row, but of 1 / sigma */
            double s = j + 1 < d ? -t->row[j] : t->row[j];
            t->gradient[j] += first * s;
            for (size_t k = 0; k <= j; k++)
                t->hessian[j * d + k] += second * s * (k + 1 < d ? -t->row[k] : t->row[k]);
        }
        if (!t->censored[i]) {
            t->gradient[d - 1] -= 1 / at[d - 1];
            t->hessian[d * d - 1] += 1 / (at[d - 1] * at[d - 1]);
        }
    }
    return sum;
}

/* Scales, and what least squares says when censored rows are taken as they are. */
static bool start(struct tobit *t)
{
    size_t p = t->d - 2, n = t->n;
    double *all = sl_alloc((p + 1) * n * sizeof *all);
    struct sl_ols_fit fit;
    struct sl_ols o;
    bool good;

    for (size_t j = 0; j <= p; j++) {
        const double *from = j < p ? t->x + j * n : t->y;
        double squares = 0;
        for (size_t i = 0; i < n; i++)
            t->mean[j] += from[i] / (double)n;
        for (size_t i = 0; i < n; i++)
            squares += (from[i] - t->mean[j]) * (from[i] - t->mean[j]) / (double)n;
        t->scale[j] = squares > 0 ? sqrt(squares) : 1;
        for (size_t i = 0; i < n; i++)
            all[j * n + i] = (from[i] - t->mean[j]) / t->scale[j];
    }
    sl_ols_init(&o, p);
    sl_ols_matrix(&o, all, n);
    good = sl_ols_solve(&o, NULL, &fit);
    if (good && fit.residual_stddev > 0) {
        for (size_t j = 0; j <= p; j++)
            t->at[j] = isnan(fit.b[j]) ? 0 : fit.b[j] / fit.residual_stddev;
        t->at[p + 1] = 1 / fit.residual_stddev;
    }
    good = good && t->at[p + 1] > 0;
    sl_ols_fit_free(&fit);
    sl_ols_free(&o);
    free(all);
    return good;
}

/* One step; how much the likelihood would still gain; negative: there is no way up. */
static double step(struct tobit *t, double *value, double *try)
{
    size_t d = t->d;
    double gain = 0, length = 1, next = INFINITY;

    likelihood(t, t->at, true);
    if (!sl_cholesky(t->hessian, d, 0))
        return -1;
    for (size_t j = 0; j < d; j++)
        try[d + j] = t->gradient[j];
    sl_cholesky_forward(t->hessian, d, try + d);
    sl_cholesky_backward(t->hessian, d, try + d);
    for (size_t j = 0; j < d; j++)
        gain += try[d + j] * t->gradient[j];
    for (int k = 0; k < HALVES && !(next <= *value); k++, length /= 2) {
        for (size_t j = 0; j < d; j++)
            try[j] = t->at[j] - length * try[d + j];
        next = likelihood(t, try, false);
    }
    if (next <= *value) {
        memcpy(t->at, try, d * sizeof *try);
        *value = next;
    }
    return gain;
}

/* Where all rows of a column are censored, the likelihood only grows, ever more slowly: nothing holds its b. */
static bool held(struct tobit *t)
{
    size_t d = t->d;
    double *v = sl_alloc(d * sizeof *v);
    bool good = true;

    for (size_t j = 0; j < d && good; j++) {
        memset(v, 0, d * sizeof *v);
        v[j] = 1;
        sl_cholesky_forward(t->hessian, d, v);
        sl_cholesky_backward(t->hessian, d, v);
        good = v[j] < 1e6;
    }
    free(v);
    return good;
}

/* b = at / at[d - 1], in the units of the columns; errors by the derivatives of that. */
static bool report(struct tobit *t, double *b, double *se, double *sigma)
{
    size_t d = t->d, p = d - 2;
    double theta = t->at[d - 1], *v = sl_alloc(2 * d * sizeof *v), *w = v + d;

    likelihood(t, t->at, true);
    if (!sl_cholesky(t->hessian, d, 0) || !held(t)) {
        free(v);
        return false;
    }
    for (size_t j = 0; j <= p; j++) {
        memset(v, 0, d * sizeof *v);
        if (j) {
            v[j] = t->scale[p] / t->scale[j - 1] / theta;
            v[d - 1] = -t->at[j] / theta * v[j];
        } else { /* the value at 0 of all columns: less what their means are worth */
            v[0] = t->scale[p] / theta;
            v[d - 1] = -t->at[0] / theta * v[0];
            for (size_t k = 1; k <= p; k++) {
                v[k] = -t->mean[k - 1] * t->scale[p] / t->scale[k - 1] / theta;
                v[d - 1] -= t->at[k] / theta * v[k];
            }
        }
        memcpy(w, v, d * sizeof *v);
        sl_cholesky_forward(t->hessian, d, w);
        sl_cholesky_backward(t->hessian, d, w);
        b[j] = se[j] = 0;
        for (size_t k = 0; k < d; k++)
            se[j] += v[k] * w[k];
        se[j] = sqrt(se[j]);
        for (size_t k = 0; k + 1 < d; k++)
            b[j] += v[k] * t->at[k];
    }
    b[0] += t->mean[p];
    *sigma = t->scale[p] / theta;
    free(v);
    return true;
}

bool sl_tobit(const double *x, const double *y, const bool *censored, size_t n, size_t p, double *b, double *se,
              double *sigma)
{
    struct tobit t = {.n = n, .d = p + 2, .x = x, .y = y, .censored = censored};
    size_t d = t.d;
    double *memory = sl_alloc((2 * (p + 1) + 5 * d + d * d) * sizeof *memory), *try, value, gain = -1;
    bool good;

    t.mean = memory;
    t.scale = t.mean + p + 1;
    t.at = t.scale + p + 1;
    t.gradient = t.at + d;
    t.row = t.gradient + d;
    try = t.row + d;
    t.hessian = try + 2 * d;
    good = start(&t);
    value = good ? likelihood(&t, t.at, false) : 0;
    for (int k = 0; k < STEPS && good; k++) {
        gain = step(&t, &value, try);
        if (!(gain > 1e-20 * (1 + fabs(value))))
            break;
    }
    good = good && gain >= 0 && gain <= 1e-12 * (1 + fabs(value));
    good = good && report(&t, b, se, sigma);
    free(memory);
    return good;
}
