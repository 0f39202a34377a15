/* SPDX-License-Identifier: Apache-2.0 */
#include "experiment/precision.h"
#include "analyse/kernels/beta.h"
#include "analyse/kernels/ols.h"

#include <math.h>
#include <stdlib.h>

static void choose_terms(struct sl_precision *p)
{
    const struct sl_linear_model *m = &p->model;

    p->term = sl_alloc(m->terms * sizeof *p->term);
    for (size_t j = 1; j < m->terms; j++)
        if (m->term[j].part[0] >= 0) {
            p->term[p->terms].term = j;
            p->term[p->terms++].point = sl_alloc(p->points * sizeof *p->term->point);
        }
}

/* From the first that leaves an error to estimate, in equal steps, to all. */
static void choose_points(struct sl_precision *p)
{
    size_t first = p->model.terms + 1, steps = p->model.n - first;

    p->points = (steps < SL_PRECISION_POINTS - 1 ? steps : SL_PRECISION_POINTS - 1) + 1;
    p->runs = sl_alloc(p->points * sizeof *p->runs);
    for (size_t i = 0; i < p->points; i++)
        p->runs[i] = p->points > 1 ? first + steps * i / (p->points - 1) : p->model.n;
}

static void take_point(struct sl_precision *p, size_t at, const struct sl_ols_fit *fit)
{
    double width = fit->df ? sl_t_quantile(0.95, (double)fit->df) : NAN;

    for (size_t i = 0; i < p->terms; i++) {
        size_t j = p->term[i].term;
        p->term[i].point[at] =
            (struct sl_precision_point){fit->b[j], fit->b[j] - width * fit->se[j], fit->b[j] + width * fit->se[j]};
    }
}

/* false: numbers are out of range. */
static bool fit_points(struct sl_precision *p)
{
    const struct sl_linear_model *m = &p->model;
    double *row = sl_alloc(m->terms * sizeof *row);
    struct sl_ols all;
    bool good = true;

    sl_ols_init(&all, m->terms - 1);
    for (size_t k = 0, at = 0; k < m->n && good; k++) {
        for (size_t j = 0; j < m->terms; j++)
            row[j] = m->column[j * m->n + k];
        sl_ols_add(&all, row);
        if (k + 1 == p->runs[at]) {
            struct sl_ols some;
            struct sl_ols_fit fit;
            sl_ols_copy(&some, &all);
            good = sl_ols_solve(&some, NULL, &fit);
            if (good) {
                take_point(p, at++, &fit);
                sl_ols_fit_free(&fit);
            }
            sl_ols_free(&some);
        }
    }
    sl_ols_free(&all);
    free(row);
    return good;
}

static int side(const struct sl_precision_point *x)
{
    return x->lower > 0 ? 1 : x->upper < 0 ? -1 : 0;
}

static void look_back(struct sl_precision *p)
{
    double n = (double)p->model.n, df = (double)p->model.df;
    double next =
        sqrt(n / (n + SL_PRECISION_NEXT)) * sl_t_quantile(0.95, df + SL_PRECISION_NEXT) / sl_t_quantile(0.95, df);

    for (size_t i = 0; i < p->terms; i++) {
        struct sl_precision_term *t = &p->term[i];
        const struct sl_precision_point *last = &t->point[p->points - 1];
        size_t at = p->points;
        while (at > 0 && side(last) && side(&t->point[at - 1]) == side(last))
            at--;
        t->sure_since = at < p->points ? p->runs[at] : 0;
        t->width = (last->upper - last->lower) / 2;
        t->next_width = t->width * next;
        t->needed = n * (t->width / last->estimate) * (t->width / last->estimate);
    }
}

int sl_precision_make(struct sl_precision *out, const struct sl_runs *r, const struct sl_question *q,
                      struct sl_err *err)
{
    struct sl_question plain = *q;
    int rc;

    *out = (struct sl_precision){0};
    plain.interactions = false;
    if ((rc = sl_model_fit(&out->model, r, &plain, err)))
        return rc;
    if (out->model.method != SL_MODEL_LEAST_SQUARES || !out->model.df) {
        rc = sl_err(err, SL_EUSAGE,
                    "%zu runs cannot tell %zu terms apart, so nothing is sure yet: there must be more runs than terms",
                    out->model.n, out->model.terms);
    } else {
        choose_points(out);
        choose_terms(out);
        if (fit_points(out))
            look_back(out);
        else
            rc = sl_err(err, SL_EUSAGE, "the scores are too large, or too far apart, for least squares");
    }
    if (rc)
        sl_precision_free(out);
    return rc;
}

void sl_precision_free(struct sl_precision *p)
{
    for (size_t i = 0; i < p->terms; i++)
        free(p->term[i].point);
    free(p->term);
    free(p->runs);
    sl_model_free(&p->model);
    *p = (struct sl_precision){0};
}
