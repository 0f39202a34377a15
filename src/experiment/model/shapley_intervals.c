/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/kernels/bootstrap.h"
#include "analyse/kernels/quantile.h"
#include "analyse/kernels/regression/least_squares.h"
#include "experiment/model/orders.h"

#include <math.h>
#include <stdlib.h>

enum { ROUNDS = 200, STEPS = 16, MUCH = 20000000 }; /* runs by squares of terms: 200 rounds of as many take 4 s */

/* The coefficients of the model where run k counts times[k] times.  false: some of them is not told any more. */
static bool fit_again(struct sl_linear_model *m, const uint32_t *times, double *row)
{
    struct sl_ols o;
    struct sl_ols_fit fit;
    bool good;

    sl_ols_init(&o, m->terms - 1);
    for (size_t k = 0; k < m->n; k++) {
        for (size_t j = 0; j < m->terms; j++)
            row[j] = m->column[j * m->n + k];
        for (uint32_t i = 0; i < times[k]; i++)
            sl_ols_add(&o, row);
    }
    good = sl_ols_solve(&o, NULL, &fit);
    for (size_t j = 0; j < m->terms && good; j++) {
        good = isnan(m->term[j].estimate) || !isnan(fit.b[j]);
        m->term[j].estimate = isnan(m->term[j].estimate) ? NAN : fit.b[j];
    }
    sl_ols_fit_free(&fit);
    sl_ols_free(&o);
    return good;
}

bool sl_sequence_shapley_intervals(const struct sl_sequence *s, const struct sl_runs *r, double *low, double *high)
{
    struct sl_sequence again = *s;
    const struct sl_linear_model *m = &s->model;
    size_t n = s->step.n - 1, runs = m->n, rounds = 0;
    uint32_t *times;
    uint64_t random = 20261122;
    double *v, *one, *row;

    if (!n || n > STEPS || m->method != SL_MODEL_LEAST_SQUARES ||
        (double)runs * (double)m->terms * (double)m->terms > MUCH)
        return false;
    times = sl_alloc(runs * sizeof *times);
    row = sl_alloc(m->terms * sizeof *row);
    v = sl_alloc((n * ROUNDS + 3 * n) * sizeof *v);
    one = v + n * ROUNDS;
    again.model.term = sl_alloc(m->terms * sizeof *m->term);
    for (size_t k = 0; k < ROUNDS; k++) {
        memcpy(again.model.term, m->term, m->terms * sizeof *m->term);
        sl_bootstrap_blocks(times, runs, &random);
        if (!fit_again(&again.model, times, row) || sl_sequence_shapley(&again, r, one, one + n, one + 2 * n, NULL))
            continue;
        for (size_t i = 0; i < n; i++)
            v[i * ROUNDS + rounds] = one[i];
        rounds++;
    }
    for (size_t i = 0; i < n && rounds >= ROUNDS * 9 / 10; i++) {
        low[i] = sl_quantile(v + i * ROUNDS, rounds, 0.025);
        high[i] = sl_quantile(v + i * ROUNDS, rounds, 0.975);
    }
    free(again.model.term);
    free(times);
    free(row);
    free(v);
    return rounds >= ROUNDS * 9 / 10;
}
