/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/kernels/beta.h"
#include "analyse/kernels/regression/adjust.h"
#include "analyse/kernels/regression/least_squares.h"
#include "base/buf.h"
#include "experiment/model/linear_model_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double day_ns = 86400e9;
enum {
    EXPLAINED = 20, /* of terms that follow from others, so many are told from which */
    LEAST_RUNS = 10 /* for an elastic net */
};

const char *const sl_model_methods[] = {
    [SL_MODEL_LEAST_SQUARES] = "least squares", [SL_MODEL_ELASTIC_NET] = "elastic net", [SL_MODEL_TOBIT] = "Tobit"};

/* ---- the matrix ---- */

struct design {
    struct sl_linear_model *m;
    const struct sl_runs *r;
    SL_VEC(struct sl_term) term;
    SL_VEC(double) column;
};

static struct sl_term *add_term(struct design *d, int32_t a, int32_t b)
{
    struct sl_term *t = sl_vec_add(&d->term);

    *t = (struct sl_term){.part = {a, b},
                          .estimate = NAN,
                          .error = NAN,
                          .lower = NAN,
                          .upper = NAN,
                          .t = NAN,
                          .p = NAN,
                          .p_holm = NAN,
                          .p_bh = NAN,
                          .kept = NAN};
    return t;
}

/* Which treatments are columns: all, but of a numeric factor only the first. */
static bool is_column(const struct sl_runs *r, const struct sl_treatment *t)
{
    return r->factor[t->factor].kind != SL_FACTOR_NUMERIC || t->level == 1;
}

/* As R calls it: the factor, and behind it the level of a categorical one. */
static const char *r_name(struct sl_linear_model *m, const struct sl_runs *r, const struct sl_treatment *t)
{
    const struct sl_factor *f = &r->factor[t->factor];
    const char *level = f->kind == SL_FACTOR_CATEGORICAL ? f->level[t->level] : "";
    char *name = sl_arena_alloc(&m->arena, strlen(f->name) + strlen(level) + 1);

    strcpy(name, f->name);
    strcat(name, level);
    return name;
}

static double value_of(const struct sl_runs *r, const struct sl_treatment *t, const int32_t *level)
{
    const struct sl_factor *f = &r->factor[t->factor];

    return f->kind == SL_FACTOR_NUMERIC ? f->value[level[t->factor]] : level[t->factor] == t->level;
}

static void add_treatments(struct design *d)
{
    for (size_t i = 0; i < d->r->treatment.n; i++) {
        const struct sl_treatment *t = &d->r->treatment.v[i];
        if (!is_column(d->r, t))
            continue;
        add_term(d, (int32_t)i, -1)->name = r_name(d->m, d->r, t);
        for (size_t k = 0; k < d->m->n; k++)
            *sl_vec_add(&d->column) = value_of(d->r, t, sl_runs_levels(d->r, d->m->run[k]));
    }
}

static double hours(const struct sl_runs *r, size_t run)
{
    return (double)(r->time_ns[run] - r->time_ns[0]) / 3600e9;
}

static double of_day(const struct sl_runs *r, size_t run, bool sine)
{
    double turn = 2 * M_PI * fmod((double)(r->time_ns[run] % (int64_t)day_ns) / day_ns, 1);
    return sine ? sin(turn) : cos(turn);
}

static void add_times(struct design *d, bool wanted)
{
    const struct sl_runs *r = d->r;
    double span = r->n ? (double)(r->time_ns[r->n - 1] - r->time_ns[0]) : 0;

    d->m->timed = wanted && r->time_name && span > 0;
    d->m->daily = d->m->timed && span >= day_ns;
    for (int i = 0; i < (d->m->daily ? 3 : d->m->timed ? 1 : 0); i++) {
        add_term(d, -1, -1)->name = i == 0 ? "hours" : i == 1 ? "day_cos" : "day_sin";
        for (size_t k = 0; k < d->m->n; k++)
            *sl_vec_add(&d->column) = i ? of_day(r, d->m->run[k], i == 2) : hours(r, d->m->run[k]);
    }
}

/* Column j of term j; the intercept has none. */
static double *column_of(const struct design *d, size_t term)
{
    return d->column.v + (term - 1) * d->m->n;
}

static void add_interactions(struct design *d, size_t mains)
{
    size_t n = d->m->n;

    for (size_t a = 1; a <= mains; a++)
        for (size_t b = a + 1; b <= mains; b++) {
            const int32_t part[2] = {d->term.v[a].part[0], d->term.v[b].part[0]};
            const char *names[2] = {d->term.v[a].name, d->term.v[b].name};
            char *name;
            if (d->r->treatment.v[part[0]].factor == d->r->treatment.v[part[1]].factor)
                continue;
            name = sl_arena_alloc(&d->m->arena, strlen(names[0]) + strlen(names[1]) + 2);
            sprintf(name, "%s:%s", names[0], names[1]);
            add_term(d, part[0], part[1])->name = name;
            for (size_t k = 0; k < n; k++)
                sl_vec_add(&d->column);
            for (size_t k = 0; k < n; k++)
                column_of(d, d->term.n - 1)[k] = column_of(d, a)[k] * column_of(d, b)[k];
        }
}

static void choose_runs(struct sl_linear_model *m, const struct sl_runs *r)
{
    m->run = sl_alloc(r->n * sizeof *m->run + 1);
    for (uint32_t i = 0; i < r->n; i++) {
        bool whole = true;
        for (size_t f = 0; f < r->factors; f++)
            whole &= sl_runs_levels(r, i)[f] >= 0 || r->factor[f].levels < 2;
        if (whole)
            m->run[m->n++] = i;
    }
}

static void make_design(struct design *d, const struct sl_question *q)
{
    size_t mains;

    choose_runs(d->m, d->r);
    add_term(d, -1, -1)->name = "(Intercept)";
    add_treatments(d);
    mains = d->term.n - 1;
    add_times(d, !q->no_time);
    if (q->interactions)
        add_interactions(d, mains);
    for (size_t k = 0; k < d->m->n; k++)
        *sl_vec_add(&d->column) = q->log ? log(d->r->score[d->m->run[k]]) : d->r->score[d->m->run[k]];
}

/* ---- terms that follow from others ---- */

/* How column `term` comes from those before it that were found: they are the x of another least squares. */
static const char *follows(struct design *d, size_t term)
{
    size_t n = d->m->n, p = 0;
    double *x = sl_alloc(term * n * sizeof *x);
    const char **name = sl_alloc(term * sizeof *name);
    struct sl_ols o;
    struct sl_ols_fit fit;
    struct sl_buf text = {0};
    const char *out = NULL;

    for (size_t j = 1; j < term; j++)
        if (!isnan(d->term.v[j].estimate)) {
            memcpy(x + p * n, column_of(d, j), n * sizeof *x);
            name[p++] = d->term.v[j].name;
        }
    memcpy(x + p * n, column_of(d, term), n * sizeof *x);
    sl_ols_init(&o, p);
    sl_ols_matrix(&o, x, n);
    if (sl_ols_solve(&o, NULL, &fit)) {
        for (size_t j = 0; j <= p; j++) {
            double b = fit.b[j], size = fabs(b);
            if (!(size > 1e-7))
                continue;
            sl_buf_adds(&text, !text.n ? (b < 0 ? "-" : "") : b < 0 ? " - " : " + ");
            if (!j || fabs(size - 1) > 1e-7)
                sl_buf_addf(&text, "%.3g%s", size, j ? " " : "");
            sl_buf_adds(&text, j ? name[j - 1] : "");
        }
        out = sl_arena_copy(&d->m->arena, text.n ? text.s : "0", text.n ? text.n : 1);
        sl_ols_fit_free(&fit);
    }
    sl_ols_free(&o);
    sl_buf_free(&text);
    free(x);
    free(name);
    return out ? out : "others";
}

/* ---- the fit ---- */

static void find_means(struct design *d)
{
    for (size_t j = 1; j < d->term.n; j++)
        for (size_t k = 0; k < d->m->n; k++)
            d->term.v[j].mean += column_of(d, j)[k] / (double)d->m->n;
}

static void take_fit(struct design *d, const struct sl_ols_fit *fit)
{
    struct sl_linear_model *m = d->m;
    double width = fit->df ? sl_t_quantile(0.95, (double)fit->df) : NAN;
    size_t explained = 0;

    m->df = fit->df;
    m->r_squared = fit->r_squared;
    m->adj_r_squared = fit->adj_r_squared;
    m->residual_stddev = fit->residual_stddev;
    m->f = fit->f;
    m->f_p = fit->f_pr;
    for (size_t j = 0; j < d->term.n; j++) {
        struct sl_term *t = &d->term.v[j];
        t->estimate = fit->b[j];
        t->error = fit->se[j];
        t->lower = t->estimate - width * t->error;
        t->upper = t->estimate + width * t->error;
        t->t = fit->t[j];
        t->p = fit->pr[j];
    }
    for (size_t j = 1; j < d->term.n; j++)
        if (isnan(d->term.v[j].estimate))
            d->term.v[j].follows = explained++ < EXPLAINED ? follows(d, j) : "others";
}

/* The intercept is no comparison. */
static void correct_terms(struct sl_linear_model *m)
{
    struct sl_term *t = m->term + 1;

    sl_adjust_members(m->terms - 1, sizeof *t, &t->p, &t->p_holm, &t->p_bh);
}

static void compute_fitted(struct sl_linear_model *m)
{
    m->fitted = sl_alloc(m->n * sizeof *m->fitted + 1);
    for (size_t k = 0; k < m->n; k++)
        m->fitted[k] = m->term[0].estimate;
    for (size_t j = 1; j < m->terms; j++)
        for (size_t k = 0; k < m->n && !isnan(m->term[j].estimate); k++)
            m->fitted[k] += m->term[j].estimate * m->column[(j - 1) * m->n + k];
    for (size_t k = 0; k < m->n && m->log; k++)
        m->fitted[k] = exp(m->fitted[k]);
}

static int fit_least_squares(struct design *d, struct sl_err *err)
{
    struct sl_linear_model *m = d->m;
    struct sl_ols o;
    struct sl_ols_fit fit;
    bool good;

    sl_ols_init(&o, m->terms - 1);
    sl_ols_matrix(&o, m->column, m->n);
    good = sl_ols_solve(&o, NULL, &fit);
    sl_ols_free(&o);
    if (!good)
        return sl_err(err, SL_EUSAGE, "the scores are too large, or too far apart, for least squares");
    take_fit(d, &fit);
    correct_terms(m);
    sl_ols_fit_free(&fit);
    return 0;
}

/* The first and the last run (one more) that have a level of the factor. */
static void known(const struct sl_runs *r, size_t factor, size_t *first, size_t *last)
{
    *first = r->n;
    *last = 0;
    for (size_t i = 0; i < r->n; i++)
        if (sl_runs_levels(r, i)[factor] >= 0) {
            *first = *first < i ? *first : i;
            *last = i + 1;
        }
}

/* No run has all levels.  Where some factors begin after another has ended, that may have been split. */
static int none_is_whole(const struct sl_runs *r, struct sl_err *err)
{
    size_t first, last, end = r->n, ended = r->factors;
    struct sl_buf parts = {0};

    for (size_t f = 0; f < r->factors; f++) {
        known(r, f, &first, &last);
        if (last && last < end && r->factor[f].levels > 1) {
            end = last;
            ended = f;
        }
    }
    for (size_t f = 0; f < r->factors && ended < r->factors; f++) {
        known(r, f, &first, &last);
        if (first >= end || r->factor[f].joined >= end)
            sl_buf_addf(&parts, "%s%s", parts.n ? "," : "", r->factor[f].name);
    }
    sl_err(err, SL_EUSAGE, "of each of these %zu runs the level of some factor is not known%s%s%s%.400s%s", r->n,
           parts.n ? "; was one split into others? Say --split '" : ": see which with spanloom experiment factors",
           parts.n ? r->factor[ended].name : "", parts.n ? "=" : "", parts.n ? parts.s : "", parts.n ? "'" : "");
    sl_buf_free(&parts);
    return SL_EUSAGE;
}

static int check_design(const struct sl_linear_model *m, const struct sl_runs *r, const struct sl_question *q,
                        struct sl_err *err)
{
    if (!r->treatment.n)
        return sl_err(err, SL_EUSAGE, "no factor varies in %s%zu run%s, so there is nothing to explain",
                      r->n == 1 ? "" : "these ", r->n, r->n == 1 ? "" : "s");
    if (!m->n)
        return none_is_whole(r, err);
    if (m->n <= m->terms && m->n < LEAST_RUNS && !q->elastic_net)
        return sl_err(err, SL_EUSAGE,
                      "%zu run%s%s cannot tell %zu terms apart: there must be more runs than terms, or %d for an "
                      "elastic net%s%s",
                      m->n, m->n == 1 ? "" : "s", m->n < r->n ? " in which all levels are known" : "", m->terms,
                      LEAST_RUNS, q->interactions ? "; leave out --interactions" : "",
                      !q->interactions && m->timed ? "; --no-time has fewer" : "");
    return 0;
}

int sl_model_fit(struct sl_linear_model *out, const struct sl_runs *r, const struct sl_question *q, struct sl_err *err)
{
    struct design d = {.m = out, .r = r};
    int rc;

    *out = (struct sl_linear_model){.log = q->log, .interactions = q->interactions};
    out->r_squared = out->adj_r_squared = out->residual_stddev = out->f = out->f_p = NAN;
    out->alpha = out->lambda = out->lambda_1se = out->cv_r_squared = out->limit = NAN;
    make_design(&d, q);
    out->term = d.term.v;
    out->terms = d.term.n;
    out->column = d.column.v;
    rc = check_design(out, r, q, err);
    if (!rc && q->limit > 0)
        rc = sl_model_set_limit(out, r, q, err);
    if (!rc) {
        find_means(&d);
        rc = q->elastic_net || out->n <= out->terms ? sl_model_fit_net(out, q, err) : fit_least_squares(&d, err);
    }
    if (!rc && q->limit > 0 && !(rc = sl_model_fit_limit(out, r, err)))
        correct_terms(out);
    if (rc)
        sl_model_free(out);
    else
        compute_fitted(out);
    return rc;
}

const struct sl_term *sl_model_term(const struct sl_linear_model *m, const struct sl_runs *r, int32_t treatment)
{
    uint32_t factor = r->treatment.v[treatment].factor;

    for (size_t j = 1; j < m->terms; j++) {
        const struct sl_term *t = &m->term[j];
        if (t->part[0] >= 0 && t->part[1] < 0 && r->treatment.v[t->part[0]].factor == factor &&
            (t->part[0] == treatment || r->factor[factor].kind == SL_FACTOR_NUMERIC))
            return t;
    }
    return NULL;
}

double sl_model_predict(const struct sl_linear_model *m, const struct sl_runs *r, const int32_t *level)
{
    double sum = m->term[0].estimate;

    for (size_t j = 1; j < m->terms; j++) {
        const struct sl_term *t = &m->term[j];
        double x = 1;
        if (isnan(t->estimate))
            continue;
        for (int i = 0; i < 2 && t->part[i] >= 0; i++)
            x *= value_of(r, &r->treatment.v[t->part[i]], level);
        if (t->part[0] < 0) /* a time */
            x = t->mean;
        sum += t->estimate * x;
    }
    return m->log ? exp(sum) : sum;
}

void sl_model_free(struct sl_linear_model *m)
{
    free(m->run);
    free(m->term);
    free(m->fitted);
    free(m->column);
    sl_arena_free(&m->arena);
    *m = (struct sl_linear_model){0};
}
