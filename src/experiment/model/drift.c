/* SPDX-License-Identifier: Apache-2.0 */
/* Do scores change with time, apart from what treatments do?  Slowly, or from one run to the next? */
#include "analyse/kernels/change_points.h"
#include "analyse/kernels/quantile.h"
#include "experiment/model/linear_model.h"
#include "experiment/questions.h"

#include <math.h>
#include <stdlib.h>

struct drift {
    struct sl_linear_model model; /* without time */
    double *left;                 /* of each run of the model: log(score) less what the model says */
    struct sl_stretch_row whole;  /* what is told of all runs; of noise see kernels/change_points.h */
    struct sl_rows stretch;       /* a row for each: runs of the model one behind the other */
};

enum { LEAST = 10, FAR = 3, BESIDE = 10 };

static const double normal_95 = 1.959963984540054;

/* What is left, but no further than three standard deviations from the median of the 21 around it. */
static double *clip(const struct drift *d)
{
    size_t n = d->model.n;
    double *v = sl_alloc(n * sizeof *v), around[2 * BESIDE + 1];

    for (size_t i = 0; i < n; i++) {
        size_t from = i > BESIDE ? i - BESIDE : 0, to = i + BESIDE < n ? i + BESIDE + 1 : n;
        double middle;
        memcpy(around, d->left + from, (to - from) * sizeof *around);
        middle = sl_quantile(around, to - from, 0.5);
        v[i] = fmin(fmax(d->left[i], middle - FAR * d->whole.sigma), middle + FAR * d->whole.sigma);
    }
    return v;
}

/* Sum of squares about the levels of stretches that begin at begin[0..n). */
static double about_levels(const double *v, const size_t *begin, size_t stretches, size_t n)
{
    double out = 0;

    for (size_t k = 0; k < stretches; k++) {
        size_t end = k + 1 < stretches ? begin[k + 1] : n;
        double level = 0;
        for (size_t i = begin[k]; i < end; i++)
            level += v[i] / (double)(end - begin[k]);
        for (size_t i = begin[k]; i < end; i++)
            out += (v[i] - level) * (v[i] - level);
    }
    return out;
}

static void add_stretches(struct drift *d, const struct sl_runs *r, const double *v, const size_t *begin,
                          size_t stretches, double noise)
{
    for (size_t k = 0; k < stretches; k++) {
        size_t end = k + 1 < stretches ? begin[k + 1] : d->model.n;
        double runs = (double)(end - begin[k]), width = normal_95 * noise / sqrt(runs);
        struct sl_stretch_row *x = sl_rows_add(&d->stretch);
        *x = d->whole;
        x->stretch = (int64_t)k + 1;
        x->first_ns = r->time_ns[d->model.run[begin[k]]];
        x->last_ns = r->time_ns[d->model.run[end - 1]];
        x->runs = (int64_t)(end - begin[k]);
        x->level = 0;
        for (size_t i = begin[k]; i < end; i++)
            x->level += v[i] / runs;
        x->lower = x->level - width;
        x->upper = x->level + width;
        if (k) {
            double before = (double)(begin[k] - begin[k - 1]);
            width = normal_95 * noise * sqrt(1 / runs + 1 / before);
            x->change = x->level - x[-1].level;
            x->change_lower = x->change - width;
            x->change_upper = x->change + width;
        }
    }
}

/* By least squares; what is left by it, as a sum of squares. */
static double find_trend(struct drift *d, const struct sl_runs *r, const double *v, double noise)
{
    struct sl_stretch_row *w = &d->whole;
    size_t n = d->model.n;
    double *hours = sl_alloc(n * sizeof *hours), mean = 0, level = 0, squares = 0, sum = 0, left = 0, error;

    for (size_t i = 0; i < n; i++) {
        hours[i] = (double)(r->time_ns[d->model.run[i]] - r->time_ns[d->model.run[0]]) / 3600e9;
        mean += hours[i] / (double)n;
        level += v[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        squares += (hours[i] - mean) * (hours[i] - mean);
        sum += (hours[i] - mean) * v[i];
    }
    w->trend = sum / squares;
    for (size_t i = 0; i < n; i++) {
        double off = v[i] - level - w->trend * (hours[i] - mean);
        left += off * off;
    }
    error = noise / sqrt(squares);
    w->trend_lower = w->trend - normal_95 * error;
    w->trend_upper = w->trend + normal_95 * error;
    w->trend_p = error > 0 ? erfc(fabs(w->trend / error) / sqrt(2)) : w->trend != 0 ? 0 : 1;
    free(hours);
    return left;
}

/* A straight line that costs as much as one change may say it better than all changes. */
static void find_changes(struct drift *d, const struct sl_runs *r, const double *v)
{
    size_t n = d->model.n, *begin = sl_alloc(n * sizeof *begin), stretches = 1;
    double noise = sl_changes_long_run(d->whole.sigma, d->whole.together, n);
    double penalty = 3 * log((double)n) * noise * noise, line = find_trend(d, r, v, noise) + penalty;

    if (penalty > 0)
        stretches = sl_changes(v, n, penalty, begin);
    if (line < about_levels(v, begin, stretches, n) + penalty * (double)(stretches - 1))
        stretches = 1;
    add_stretches(d, r, v, begin, stretches, noise);
    free(begin);
}

static int check_times(const struct drift *d, const struct sl_runs *r, struct sl_err *err)
{
    size_t n = d->model.n;

    if (n < LEAST)
        return sl_err(err, SL_EUSAGE, "%zu run%s too few to tell drift from noise: that needs %d", n,
                      n == 1 ? " is" : "s are", LEAST);
    if (r->time_ns[d->model.run[0]] == r->time_ns[d->model.run[n - 1]])
        return sl_err(err, SL_EUSAGE, "all runs have the same time");
    return 0;
}

/* Where no factor varies, what is left is the score by its mean. */
static void no_model(struct drift *d, const struct sl_runs *r)
{
    double mean = 0;

    d->model.n = r->n;
    d->model.run = sl_alloc(r->n * sizeof *d->model.run + 1);
    d->model.fitted = sl_alloc(r->n * sizeof *d->model.fitted + 1);
    for (size_t i = 0; i < r->n; i++)
        mean += log(r->score[i]) / (double)r->n;
    for (uint32_t i = 0; i < r->n; i++) {
        d->model.run[i] = i;
        d->model.fitted[i] = exp(mean);
    }
}

static void free_drift(struct drift *d)
{
    sl_model_free(&d->model);
    free(d->left);
    sl_rows_free(&d->stretch);
    *d = (struct drift){0};
}

/*
 * What is left by the model of log(score) that q asks for, without its terms of time, in the order of time.  Values
 * further than three standard deviations from the median of the 21 around them count as three (Hampel's filter).
 * Changes: kernels/change_points.h, with a penalty of 3 log(n) times the long-run variance: twice log(n) would do where
 * the number of changes were all that is asked (Yao, Stat. Probab. Lett. 6 (1988) 181); a third is about what Zhang &
 * Siegmund's criterion has (Biometrics 63 (2007) 22), and finds a change in 1 of 100 made studies that have none, in 10
 * of 100 where the next run has 70 % of an error again (`make coverage`).  A trend, by least squares, costs as much as
 * one change; where it says it better than all changes, there is one stretch.  Intervals, of levels given the changes,
 * and of the trend, take errors that come together into account. On success *out is to be freed with free_drift().
 * SL_EUSAGE: nothing says when, fewer than 10 runs, the times are the same; and those of sl_model_fit().
 */
static int find_drift(struct drift *out, const struct sl_runs *r, const struct sl_question *q, struct sl_err *err)
{
    struct sl_question plain = *q;
    double *v;
    int rc;

    *out = (struct drift){.stretch = {.columns = &sl_stretch_row_columns}};
    sl_row_clear(&sl_stretch_row_columns, &out->whole);
    plain.no_time = plain.log = true;
    if (!r->time_name)
        return sl_err(err, SL_EUSAGE, "nothing says when runs began; import them with --time COLUMN");
    if ((rc = sl_runs_check_log(r, err)))
        return rc;
    if (!r->treatment.n)
        no_model(out, r);
    else if ((rc = sl_model_fit(&out->model, r, &plain, err)))
        return rc;
    if ((rc = check_times(out, r, err))) {
        free_drift(out);
        return rc;
    }
    out->left = sl_alloc(out->model.n * sizeof *out->left);
    for (size_t i = 0; i < out->model.n; i++)
        out->left[i] = log(r->score[out->model.run[i]]) - log(out->model.fitted[i]);
    sl_changes_noise(out->left, out->model.n, &out->whole.sigma, &out->whole.together);
    v = clip(out);
    find_changes(out, r, v);
    free(v);
    return 0;
}

static int fill_drift(struct sl_rows *out, const struct sl_runs *r, const struct sl_question *q, struct sl_err *err)
{
    struct drift d;
    int rc = find_drift(&d, r, q, err);

    if (rc)
        return rc;
    sl_rows_copy(out, &d.stretch);
    free_drift(&d);
    return 0;
}

const struct sl_experiment_fn sl_experiment_drift = {
    .name = "drift",
    .about = "how scores change with time, apart from what treatments do",
    .row = &sl_stretch_row_columns,
    .fill = fill_drift,
};

static int fill_residuals(struct sl_rows *out, const struct sl_runs *r, const struct sl_question *q, struct sl_err *err)
{
    struct drift d;
    int rc = find_drift(&d, r, q, err);

    if (rc)
        return rc;
    for (size_t k = 0, i = 0; k < d.stretch.n; k++) {
        const struct sl_stretch_row *s = sl_rows_at(&d.stretch, k);
        for (int64_t of = 0; of < s->runs; of++, i++) {
            struct sl_residual_row *x = sl_rows_add(out);
            x->run = r->span[d.model.run[i]];
            x->time_ns = r->time_ns[d.model.run[i]];
            x->score = r->score[d.model.run[i]];
            x->residual = d.left[i];
            x->stretch = s->stretch;
            x->level = s->level;
        }
    }
    free_drift(&d);
    return 0;
}

const struct sl_experiment_fn sl_experiment_residuals = {
    .name = "residuals",
    .about = "what a model without time leaves of each run",
    .row = &sl_residual_row_columns,
    .fill = fill_residuals,
};
