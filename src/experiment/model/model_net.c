/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/kernels/bootstrap.h"
#include "analyse/kernels/regression/elastic_net.h"
#include "experiment/model/linear_model_internal.h"

#include <math.h>
#include <stdlib.h>

enum {
    MANY = 200000000, /* runs by squares of terms: 100 drawings of as many take three seconds */
    TERMS = 5000      /* whose correlations are 200 MB */
};

static const double rough = 1e-6; /* of the standard deviation of scores: which are 0 */

/* How often a term is kept when runs are drawn again; not told where that takes too long. */
static void keep(struct sl_linear_model *m, const struct sl_net *net, double lambda, const double *b)
{
    uint32_t *times = sl_alloc(net->n * sizeof *times);
    double *weight = sl_alloc(net->n * sizeof *weight), *again = sl_alloc((net->p + 1) * sizeof *again);
    uint64_t random = 20261122;
    bool few = (double)net->n * (double)net->p * (double)net->p <= MANY;

    for (size_t j = 1; j < m->terms && few; j++)
        m->term[j].kept = 0;
    for (size_t k = 0; k < SL_MODEL_DRAWINGS && few; k++) {
        sl_bootstrap_blocks(times, net->n, &random);
        for (size_t i = 0; i < net->n; i++)
            weight[i] = times[i];
        sl_net_fit(net, weight, &lambda, 1, rough, b + 1, again);
        for (size_t j = 1; j < m->terms; j++)
            m->term[j].kept += again[j] != 0;
    }
    for (size_t j = 1; j < m->terms; j++)
        m->term[j].kept /= SL_MODEL_DRAWINGS;
    free(times);
    free(weight);
    free(again);
}

static int choose(struct sl_linear_model *m, const struct sl_net *net, double *lambda, struct sl_err *err)
{
    struct sl_net_choice *c;
    double mean = 0, squares = 0;

    if (net->n < SL_NET_FOLDS)
        return sl_err(err, SL_EUSAGE,
                      "%zu run%s too few to choose how far an elastic net shrinks its %zu terms: that needs %d, or "
                      "--lambda",
                      net->n, net->n == 1 ? " is" : "s are", net->p, SL_NET_FOLDS);
    sl_net_lambdas(net, lambda);
    c = sl_alloc(sizeof *c);
    sl_net_choose(net, lambda, c);
    for (size_t i = 0; i < net->n; i++)
        mean += net->y[i] / (double)net->n;
    for (size_t i = 0; i < net->n; i++)
        squares += (net->y[i] - mean) * (net->y[i] - mean) / (double)net->n;
    m->lambda = lambda[c->best];
    m->lambda_1se = lambda[c->simplest];
    m->cv_r_squared = squares > 0 ? 1 - c->error[c->best] / squares : NAN;
    free(c);
    return 0;
}

static void explain(struct sl_linear_model *m, const struct sl_net *net, const double *b)
{
    double mean = 0, all = 0, left = 0;

    for (size_t i = 0; i < net->n; i++)
        mean += net->y[i] / (double)net->n;
    for (size_t i = 0; i < net->n; i++) {
        double off = net->y[i] - b[0];
        for (size_t j = 0; j < net->p; j++)
            off -= b[j + 1] * net->x[j * net->n + i];
        left += off * off;
        all += (net->y[i] - mean) * (net->y[i] - mean);
    }
    m->r_squared = all > 0 ? 1 - left / all : NAN;
}

int sl_model_fit_net(struct sl_linear_model *m, const struct sl_question *q, struct sl_err *err)
{
    struct sl_net net = {m->n, m->terms - 1, m->column, m->column + (m->terms - 1) * m->n, q->alpha};
    double lambda[SL_NET_LAMBDAS + 1], *b, squares = 0;
    size_t path = 0;
    int rc;

    if (net.p > TERMS)
        return sl_err(err, SL_EUSAGE, "%zu terms are too many for an elastic net, which has room for %d%s", net.p,
                      TERMS, q->interactions ? "; leave out --interactions" : "");
    for (size_t i = 0; i < net.n; i++)
        squares += net.y[i] * net.y[i];
    if (!isfinite(squares))
        return sl_err(err, SL_EUSAGE, "the scores are too large, or too far apart, for least squares");
    m->method = SL_MODEL_ELASTIC_NET;
    m->alpha = q->alpha;
    m->lambda = q->lambda;
    if (!(q->lambda > 0) && (rc = choose(m, &net, lambda, err)))
        return rc;
    while (!(q->lambda > 0) && path < SL_NET_LAMBDAS && lambda[path] > m->lambda)
        path++; /* begin with those that are larger, which are quick */
    lambda[path++] = m->lambda;
    b = sl_alloc(path * m->terms * sizeof *b);
    sl_net_fit(&net, NULL, lambda, path - 1, rough, NULL, b);
    sl_net_fit(&net, NULL, lambda + path - 1, 1, 0, path > 1 ? b + (path - 2) * m->terms + 1 : NULL,
               b + (path - 1) * m->terms);
    for (size_t j = 0; j < m->terms; j++)
        m->term[j].estimate = b[(path - 1) * m->terms + j];
    keep(m, &net, m->lambda, b + (path - 1) * m->terms);
    explain(m, &net, b + (path - 1) * m->terms);
    free(b);
    return 0;
}
