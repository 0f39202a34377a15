/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/kernels/regression/tobit.h"
#include "experiment/model/linear_model_internal.h"

#include <math.h>
#include <stdlib.h>

static double worst(const struct sl_linear_model *m, const struct sl_runs *r)
{
    double out = NAN;

    for (size_t k = 0; k < m->n; k++) {
        double v = r->score[m->run[k]];
        if (!isnan(v) && (isnan(out) || (r->rate ? v < out : v > out)))
            out = v;
    }
    return out;
}

int sl_model_set_limit(struct sl_linear_model *m, const struct sl_runs *r, const struct sl_question *q,
                       struct sl_err *err)
{
    double *y = m->column + (m->terms - 1) * m->n;

    m->limit = isinf(q->limit) ? worst(m, r) : q->limit;
    for (size_t k = 0; k < m->n; k++)
        if (isnan(r->score[m->run[k]])) {
            y[k] = q->log ? log(m->limit) : m->limit;
            m->censored++;
        }
    if (!m->censored)
        return sl_err(err, SL_EUSAGE, "no run failed, so there is nothing to take as %g or worse", m->limit);
    if (q->elastic_net || m->n <= m->terms)
        return sl_err(err, SL_EUSAGE, "an elastic net cannot take failed runs as so bad or worse%s",
                      q->elastic_net ? "; leave out one of both" : ", and there are not more runs than terms");
    return 0;
}

/* A column that is 0, or of two levels one of them, but for runs that failed. */
static int check_columns(const struct sl_linear_model *m, const struct sl_runs *r, struct sl_err *err)
{
    for (size_t j = 1; j < m->terms; j++) {
        const double *x = m->column + (j - 1) * m->n;
        bool all = m->term[j].part[0] >= 0, none = all;
        for (size_t k = 0; k < m->n; k++) {
            bool scored = !isnan(r->score[m->run[k]]);
            all &= !(x[k] != 0 && scored);
            none &= x[k] == 1 || (x[k] == 0 && !scored);
        }
        if ((all || none) && !m->term[j].follows)
            return sl_err(err, SL_EUSAGE,
                          "every run %s %s failed, so how much worse it is cannot be told; leave these out by --where",
                          all ? "with" : "without", m->term[j].name);
    }
    return 0;
}

/* Those that least squares could tell, at *p; false where there is none. */
static double *told(const struct sl_linear_model *m, size_t *which, size_t *p)
{
    double *x = sl_alloc(m->terms * m->n * sizeof *x);

    *p = 0;
    for (size_t j = 1; j < m->terms; j++)
        if (!isnan(m->term[j].estimate)) {
            memcpy(x + *p * m->n, m->column + (j - 1) * m->n, m->n * sizeof *x);
            which[++*p] = j;
        }
    return x;
}

int sl_model_fit_limit(struct sl_linear_model *m, const struct sl_runs *r, struct sl_err *err)
{
    size_t *which = sl_alloc(m->terms * sizeof *which), p, n = m->n;
    double *x = told(m, which, &p), *y = sl_alloc(n * sizeof *y), *b = sl_alloc(2 * m->terms * sizeof *b), sigma;
    double sign = r->rate ? -1 : 1; /* of rates, what is worse is less */
    bool *censored = sl_alloc(n * sizeof *censored), good;
    int rc = check_columns(m, r, err);

    for (size_t k = 0; k < n; k++) {
        y[k] = sign * m->column[(m->terms - 1) * n + k];
        censored[k] = isnan(r->score[m->run[k]]);
    }
    good = !rc && sl_tobit(x, y, censored, n, p, b, b + m->terms, &sigma);
    if (!rc && !good)
        rc = sl_err(err, SL_EUSAGE,
                    "some term is told by failed runs alone, so how much worse it makes them cannot be told; leave it "
                    "out, or --limit");
    for (size_t i = 0; i <= p && good; i++) {
        struct sl_term *t = &m->term[which[i]];
        t->estimate = sign * b[i];
        t->error = b[m->terms + i];
        t->lower = t->estimate - 1.959963984540054 * t->error;
        t->upper = t->estimate + 1.959963984540054 * t->error;
        t->t = t->estimate / t->error;
        t->p = erfc(fabs(t->t) / sqrt(2));
    }
    m->method = SL_MODEL_TOBIT;
    m->residual_stddev = sigma;
    m->r_squared = m->adj_r_squared = m->f = m->f_p = NAN;
    m->df = 0;
    free(which);
    free(x);
    free(y);
    free(b);
    free(censored);
    return rc;
}
