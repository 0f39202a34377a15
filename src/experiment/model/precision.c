/* SPDX-License-Identifier: Apache-2.0 */
/* What would fewer runs have told, and what would more? */
#include "analyse/kernels/beta.h"
#include "analyse/kernels/regression/least_squares.h"
#include "experiment/model/linear_model.h"
#include "experiment/questions.h"

#include <math.h>
#include <stdlib.h>

enum { POINTS = 200, NEXT = 100 };

struct precision {
    struct sl_linear_model model;
    size_t points, *runs;  /* of each point, ascending; the last has all runs of the model */
    size_t terms, *term;   /* of the model: treatments by themselves */
    struct sl_rows *point; /* a row for each term and point: what the first runs tell */
};

/* From the first that leaves an error to estimate, in equal steps, to all. */
static void choose_points(struct precision *p)
{
    size_t first = p->model.terms + 1, steps = p->model.n - first;

    p->points = (steps < POINTS - 1 ? steps : POINTS - 1) + 1;
    p->runs = sl_alloc(p->points * sizeof *p->runs);
    for (size_t i = 0; i < p->points; i++)
        p->runs[i] = p->points > 1 ? first + steps * i / (p->points - 1) : p->model.n;
}

static void add_points(struct precision *p, const struct sl_runs *r)
{
    const struct sl_linear_model *m = &p->model;

    p->term = sl_alloc(m->terms * sizeof *p->term);
    for (size_t j = 1; j < m->terms; j++) {
        if (m->term[j].part[0] < 0)
            continue;
        p->term[p->terms++] = j;
        for (size_t k = 0; k < p->points; k++) {
            struct sl_point_row *x = sl_rows_add(p->point);
            x->term = sl_rows_text(p->point, m->term[j].name);
            x->runs = (int64_t)p->runs[k];
            if (r->time_name)
                x->time_ns = r->time_ns[m->run[p->runs[k] - 1]];
        }
    }
}

static void take_point(struct precision *p, size_t at, const struct sl_ols_fit *fit)
{
    double width = fit->df ? sl_t_quantile(0.95, (double)fit->df) : NAN;

    for (size_t i = 0; i < p->terms; i++) {
        struct sl_point_row *x = sl_rows_at(p->point, i * p->points + at);
        size_t j = p->term[i];
        x->estimate = fit->b[j];
        x->lower = fit->b[j] - width * fit->se[j];
        x->upper = fit->b[j] + width * fit->se[j];
    }
}

/* false: numbers are out of range. */
static bool fit_points(struct precision *p)
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

static void free_precision(struct precision *p)
{
    free(p->term);
    free(p->runs);
    sl_model_free(&p->model);
    *p = (struct precision){0};
}

/*
 * Of the model that q asks for, without pairs: least squares by the first runs, by ever more of them, at up to
 * POINTS points.  Widths fall as 1 / sqrt(runs).  Who looks after each run and stops when it is sure is
 * wrong more often than 1 of 20 times; this is told in hindsight. On success *out is to be freed with
 * free_precision().  SL_EUSAGE: there are not more runs than terms.
 */
static int find_precision(struct precision *out, struct sl_rows *point, const struct sl_runs *r,
                          const struct sl_question *q, struct sl_err *err)
{
    struct sl_question plain = *q;
    int rc;

    *out = (struct precision){.point = point};
    plain.interactions = false;
    if ((rc = sl_model_fit(&out->model, r, &plain, err)))
        return rc;
    if (out->model.method != SL_MODEL_LEAST_SQUARES || !out->model.df) {
        rc = sl_err(err, SL_EUSAGE,
                    "%zu runs cannot tell %zu terms apart, so nothing is sure yet: there must be more runs than terms",
                    out->model.n, out->model.terms);
    } else {
        choose_points(out);
        add_points(out, r);
        if (!fit_points(out))
            rc = sl_err(err, SL_EUSAGE, "the scores are too large, or too far apart, for least squares");
    }
    if (rc)
        free_precision(out);
    return rc;
}

static int side(const struct sl_point_row *x)
{
    return x->lower > 0 ? 1 : x->upper < 0 ? -1 : 0;
}

/* In hindsight, by the points of a term. */
static void add_enough(struct sl_rows *out, const struct precision *p, size_t term)
{
    const struct sl_point_row *point = sl_rows_at(p->point, term * p->points);
    const struct sl_point_row *last = point + p->points - 1;
    double n = (double)p->model.n, df = (double)p->model.df;
    double next = sqrt(n / (n + NEXT)) * sl_t_quantile(0.95, df + NEXT) / sl_t_quantile(0.95, df);
    struct sl_enough_row *x = sl_rows_add(out);
    size_t at = p->points; /* the first from which on all intervals are on the same side of 0 */

    while (at > 0 && side(last) && side(&point[at - 1]) == side(last))
        at--;
    x->term = sl_rows_text(out, point->term);
    x->estimate = p->model.term[p->term[term]].estimate;
    x->half_width = (last->upper - last->lower) / 2;
    x->next_half_width = x->half_width * next;
    if (at < p->points) {
        x->sure_since = point[at].runs;
        x->sure_since_ns = point[at].time_ns;
    }
    x->needed = n * (x->half_width / last->estimate) * (x->half_width / last->estimate);
    x->runs = (int64_t)p->model.n;
}

static int fill_enough(struct sl_rows *out, const struct sl_runs *r, const struct sl_question *q, struct sl_err *err)
{
    struct sl_rows point = {.columns = &sl_point_row_columns};
    struct precision p;
    int rc = find_precision(&p, &point, r, q, err);

    for (size_t i = 0; !rc && i < p.terms; i++)
        add_enough(out, &p, i);
    if (!rc)
        free_precision(&p);
    sl_rows_free(&point);
    return rc;
}

const struct sl_experiment_fn sl_experiment_enough = {
    .name = "enough",
    .about = "how many runs were enough to be sure of each treatment",
    .row = &sl_enough_row_columns,
    .fill = fill_enough,
};

static int fill_precision(struct sl_rows *out, const struct sl_runs *r, const struct sl_question *q, struct sl_err *err)
{
    struct precision p;
    int rc = find_precision(&p, out, r, q, err);

    if (!rc)
        free_precision(&p);
    return rc;
}

const struct sl_experiment_fn sl_experiment_precision = {
    .name = "precision",
    .about = "each treatment's estimate by the first runs, by ever more of them",
    .row = &sl_point_row_columns,
    .fill = fill_precision,
};
