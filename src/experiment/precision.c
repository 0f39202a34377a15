/* SPDX-License-Identifier: Apache-2.0 */
/* What would fewer runs have told, and what would more? */
#include "analyse/kernels/beta.h"
#include "analyse/kernels/ols.h"
#include "experiment/model.h"
#include "experiment/questions.h"

#include <math.h>
#include <stdlib.h>

enum { POINTS = 200, NEXT = 100 };

/* An estimate by the first `runs` runs of the model; NaN: they do not tell it. */
struct precision_point {
    double estimate, lower, upper;
};

struct precision_term {
    size_t term; /* of the model: a treatment by itself */
    struct precision_point *point;
    size_t sure_since; /* by so many runs, and all points since, its interval is on the same side of 0; 0: it is not */
    double width;      /* half of its interval, by all runs */
    double next_width; /* the same with NEXT runs more of the same kind */
    double needed; /* so many runs, if it is as estimated and runs go on like this, its interval would not contain 0 */
};

struct precision {
    struct sl_linear_model model;
    size_t points, *runs; /* of each point, ascending; the last has all runs of the model */
    size_t terms;
    struct precision_term *term;
};

static void choose_terms(struct precision *p)
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
static void choose_points(struct precision *p)
{
    size_t first = p->model.terms + 1, steps = p->model.n - first;

    p->points = (steps < POINTS - 1 ? steps : POINTS - 1) + 1;
    p->runs = sl_alloc(p->points * sizeof *p->runs);
    for (size_t i = 0; i < p->points; i++)
        p->runs[i] = p->points > 1 ? first + steps * i / (p->points - 1) : p->model.n;
}

static void take_point(struct precision *p, size_t at, const struct sl_ols_fit *fit)
{
    double width = fit->df ? sl_t_quantile(0.95, (double)fit->df) : NAN;

    for (size_t i = 0; i < p->terms; i++) {
        size_t j = p->term[i].term;
        p->term[i].point[at] =
            (struct precision_point){fit->b[j], fit->b[j] - width * fit->se[j], fit->b[j] + width * fit->se[j]};
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

static int side(const struct precision_point *x)
{
    return x->lower > 0 ? 1 : x->upper < 0 ? -1 : 0;
}

static void look_back(struct precision *p)
{
    double n = (double)p->model.n, df = (double)p->model.df;
    double next = sqrt(n / (n + NEXT)) * sl_t_quantile(0.95, df + NEXT) / sl_t_quantile(0.95, df);

    for (size_t i = 0; i < p->terms; i++) {
        struct precision_term *t = &p->term[i];
        const struct precision_point *last = &t->point[p->points - 1];
        size_t at = p->points;
        while (at > 0 && side(last) && side(&t->point[at - 1]) == side(last))
            at--;
        t->sure_since = at < p->points ? p->runs[at] : 0;
        t->width = (last->upper - last->lower) / 2;
        t->next_width = t->width * next;
        t->needed = n * (t->width / last->estimate) * (t->width / last->estimate);
    }
}

static void free_precision(struct precision *p)
{
    for (size_t i = 0; i < p->terms; i++)
        free(p->term[i].point);
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
static int find_precision(struct precision *out, const struct sl_runs *r, const struct sl_question *q,
                          struct sl_err *err)
{
    struct sl_question plain = *q;
    int rc;

    *out = (struct precision){0};
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
        free_precision(out);
    return rc;
}

static int fill_enough(struct sl_rows *out, const struct sl_runs *r, const struct sl_question *q, struct sl_err *err)
{
    struct precision p;
    int rc = find_precision(&p, r, q, err);

    if (rc)
        return rc;
    for (size_t i = 0; i < p.terms; i++) {
        const struct precision_term *t = &p.term[i];
        struct sl_enough_row *x = sl_rows_add(out);
        x->term = sl_rows_text(out, p.model.term[t->term].name);
        x->estimate = p.model.term[t->term].estimate;
        x->half_width = t->width;
        x->next_half_width = t->next_width;
        if (t->sure_since)
            x->sure_since = (int64_t)t->sure_since;
        if (t->sure_since && r->time_name)
            x->sure_since_ns = r->time_ns[p.model.run[t->sure_since - 1]];
        x->needed = t->needed;
        x->runs = (int64_t)p.model.n;
    }
    free_precision(&p);
    return 0;
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
    int rc = find_precision(&p, r, q, err);

    if (rc)
        return rc;
    for (size_t i = 0; i < p.terms; i++)
        for (size_t k = 0; k < p.points; k++) {
            struct sl_point_row *x = sl_rows_add(out);
            x->term = sl_rows_text(out, p.model.term[p.term[i].term].name);
            x->runs = (int64_t)p.runs[k];
            if (r->time_name)
                x->time_ns = r->time_ns[p.model.run[p.runs[k] - 1]];
            x->estimate = p.term[i].point[k].estimate;
            x->lower = p.term[i].point[k].lower;
            x->upper = p.term[i].point[k].upper;
        }
    free_precision(&p);
    return 0;
}

const struct sl_experiment_fn sl_experiment_precision = {
    .name = "precision",
    .about = "each treatment's estimate by the first runs, by ever more of them",
    .row = &sl_point_row_columns,
    .fill = fill_precision,
};
