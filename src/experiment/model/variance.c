/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much of the variance of scores each factor explains.  Shares are those of Lindeman, Merenda & Gold (Introduction
 * to Bivariate and Multivariate Analysis, 1980, p. 119), known as LMG: Shapley values of R^2.  They add up to R^2,
 * whatever the order in which factors are told.  Up to ALL_ORDERS factors over all orders, of more (or of many levels)
 * over 2000 random ones.  Intervals: percentiles of 200 rounds of the bootstrap of blocks (kernels/bootstrap.h), moved
 * so that the median is the share, since all of a round is larger by its noise, the more so of a factor of many levels.
 *
 * R^2 of a set of factors follows from sums of squares and products alone: columns are swept out of them one by one
 * (Goodnight, The American Statistician 33 (1979) 149).  All 2^n sets are gone through as a tree, in which each step
 * sweeps one factor out of what is behind it: half of the sets have nothing behind them, so a set costs a few
 * operations.
 */
#include "analyse/kernels/beta.h"
#include "analyse/kernels/bootstrap.h"
#include "analyse/kernels/quantile.h"
#include "analyse/kernels/random.h"
#include "analyse/kernels/regression/adjust.h"
#include "experiment/model/orders.h"
#include "experiment/questions.h"

#include <math.h>
#include <stdlib.h>

enum {
    ALL_ORDERS = 16,
    COLUMNS_EXACT = 64,
    ROUNDS = 200,
    ORDERS = 1000,
    ORDERS_OF_ROUND = 25
}; /* orders: each is taken forwards and backwards */

static const double nothing = 1e-11; /* of a column's squares: it follows from those that were swept before */

struct groups {
    const struct sl_linear_model *m;
    size_t n, columns; /* columns: with that of the scores, the last */
    bool exact;
    size_t *begin; /* columns begin[g]..begin[g + 1] are those of group g */
    const char **name;
    const double **column;
    double *sums;  /* columns by columns: squares and products about the means */
    double *work;  /* of all sets: such a matrix for each depth; of an order: one */
    double *value; /* of all sets: R^2 */
};

/* ---- groups of columns ---- */

static void make_groups(struct groups *s, const struct sl_runs *r)
{
    const struct sl_linear_model *m = s->m;
    int64_t last = -1;

    s->begin = sl_alloc((m->terms + 1) * sizeof *s->begin);
    s->name = sl_alloc(m->terms * sizeof *s->name);
    s->column = sl_alloc(m->terms * sizeof *s->column);
    for (size_t j = 1; j <= m->terms; j++) {
        int32_t t = j < m->terms ? m->term[j].part[0] : -1;
        int64_t of = t >= 0 ? (int64_t)r->treatment.v[t].factor : (int64_t)r->factors;
        if (j < m->terms && of != last) {
            s->name[s->n] = t >= 0 ? r->factor[of].name : "(time)";
            s->begin[s->n++] = s->columns;
        }
        last = of;
        s->column[s->columns++] = m->column + (j - 1) * m->n;
    }
    s->begin[s->n] = s->columns - 1;
    s->sums = sl_alloc(s->columns * s->columns * sizeof *s->sums);
    s->exact = s->n <= ALL_ORDERS && s->columns <= COLUMNS_EXACT;
    s->work = sl_alloc((s->exact ? s->n + 1 : 1) * s->columns * s->columns * sizeof *s->work);
    s->value = sl_alloc(((size_t)1 << (s->exact ? s->n : 0)) * sizeof *s->value);
}

static void free_groups(struct groups *s)
{
    free(s->begin);
    free(s->name);
    free(s->column);
    free(s->sums);
    free(s->work);
    free(s->value);
}

/* ---- sums of squares ---- */

static double product(const double *a, const double *b, size_t n)
{
    double sum[4] = {0};
    size_t i = 0;

    for (; i + 4 <= n; i += 4)
        for (size_t k = 0; k < 4; k++)
            sum[k] += a[i + k] * b[i + k];
    for (; i < n; i++)
        sum[0] += a[i] * b[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* Where run i counts times[i] times. */
static void add_up(struct groups *s, const uint32_t *times)
{
    size_t n = s->m->n, c = s->columns;
    double *about = sl_alloc(c * n * sizeof *about), *weighed = sl_alloc(n * sizeof *weighed);

    for (size_t j = 0; j < c; j++) {
        double sum = 0, all = 0;
        for (size_t i = 0; i < n; i++) {
            sum += times[i] * s->column[j][i];
            all += times[i];
        }
        for (size_t i = 0; i < n; i++)
            about[j * n + i] = s->column[j][i] - sum / all;
    }
    for (size_t j = 0; j < c; j++) {
        for (size_t i = 0; i < n; i++)
            weighed[i] = times[i] * about[j * n + i];
        for (size_t k = 0; k <= j; k++)
            s->sums[j * c + k] = s->sums[k * c + j] = product(weighed, about + k * n, n);
    }
    free(weighed);
    free(about);
}

/* Sweeps column k out of those behind it, of a, of which only what is to the right of the diagonal is kept.  whole: the
 * column's squares before anything was swept.  false: it follows from what was swept before. */
static bool sweep(double *a, size_t c, size_t k, double whole)
{
    double pivot = a[k * c + k];

    if (!(pivot > nothing * whole))
        return false;
    for (size_t i = k + 1; i < c; i++) {
        double f = a[k * c + i] / pivot;
        for (size_t j = i; j < c; j++)
            a[i * c + j] -= f * a[k * c + j];
    }
    return true;
}

static double r_squared(const struct groups *s, const double *a)
{
    size_t last = s->columns * s->columns - 1;
    return 1 - a[last] / s->sums[last];
}

/* ---- all sets, or some orders ---- */

static void all_sets(struct groups *s, const double *a, size_t set, size_t from, size_t depth)
{
    size_t c = s->columns;
    double *next = s->work + depth * c * c;

    s->value[set] = r_squared(s, a);
    for (size_t g = from; g < s->n; g++) {
        for (size_t i = s->begin[g]; i < c; i++)
            memcpy(next + i * c + i, a + i * c + i, (c - i) * sizeof *next);
        for (size_t k = s->begin[g]; k < s->begin[g + 1]; k++)
            sweep(next, c, k, s->sums[k * c + k]);
        all_sets(s, next, set | (size_t)1 << g, g + 1, depth + 1);
    }
}

/* What each group adds to R^2 in this order is added to adds; df, where it is not NULL: how many of its columns are
 * new. */
static void one_order(struct groups *s, const size_t *order, double *adds, size_t *df)
{
    size_t c = s->columns, n = 0, *from = sl_alloc(c * sizeof *from);
    double *a = s->work, before = 0;

    for (size_t i = 0; i < s->n; i++)
        for (size_t k = s->begin[order[i]]; k < s->begin[order[i] + 1]; k++)
            from[n++] = k;
    from[n] = n;
    for (size_t i = 0; i < c; i++)
        for (size_t j = i; j < c; j++)
            a[i * c + j] = s->sums[from[i] * c + from[j]];
    for (size_t i = 0, k = 0; i < s->n; i++) {
        size_t g = order[i], rank = 0;
        double now;
        for (size_t j = s->begin[g]; j < s->begin[g + 1]; j++, k++)
            rank += sweep(a, c, k, s->sums[from[k] * c + from[k]]);
        now = r_squared(s, a);
        adds[g] += now - before;
        before = now;
        if (df)
            df[g] = rank;
    }
    free(from);
}

static void some_orders(struct groups *s, size_t orders, uint64_t *random, double *out)
{
    size_t n = s->n, *order = sl_alloc(2 * n * sizeof *order), *back = order + n;

    for (size_t g = 0; g < n; g++) {
        order[g] = g;
        out[g] = 0;
    }
    for (size_t k = 0; k < orders; k++) {
        for (size_t i = n; i-- > 1;) { /* Fisher & Yates */
            size_t j = sl_random_below(random, i + 1), x = order[i];
            order[i] = order[j];
            order[j] = x;
        }
        for (size_t i = 0; i < n; i++)
            back[n - 1 - i] = order[i];
        one_order(s, order, out, NULL);
        one_order(s, back, out, NULL);
    }
    for (size_t g = 0; g < n; g++)
        out[g] /= 2 * (double)orders;
    free(order);
}

static void find_shares(struct groups *s, size_t orders, uint64_t *random, double *out)
{
    double *ends = sl_alloc(2 * s->n * sizeof *ends);

    if (s->exact) {
        all_sets(s, s->sums, 0, 0, 0);
        sl_shapley(out, ends, ends + s->n, s->value, (int)s->n);
    } else {
        some_orders(s, orders, random, out);
    }
    free(ends);
}

/* ---- what is said of each ---- */

/* Group g goes to the place `to`, the others stay in their order. */
static void place(size_t *order, size_t n, size_t g, size_t to)
{
    for (size_t i = 0, k = 0; i < n; i++)
        order[i] = i == to ? g : (k += k == g, k++);
}

static void test_shares(struct groups *s, struct sl_variance_row *share)
{
    size_t n = s->n, *order = sl_alloc(2 * n * sizeof *order), *df = order + n;
    double *adds = sl_alloc(n * sizeof *adds), left = (double)s->m->df;

    for (size_t g = 0; g < n; g++) {
        struct sl_variance_row *x = &share[g];
        memset(adds, 0, n * sizeof *adds);
        place(order, n, g, 0);
        one_order(s, order, adds, NULL);
        x->alone = adds[g];
        adds[g] = 0;
        place(order, n, g, n - 1);
        one_order(s, order, adds, df);
        x->df = (int64_t)df[g];
        x->last = df[g] ? adds[g] : 0;
        x->f = df[g] && left > 0 ? x->last / (double)df[g] / ((1 - s->m->r_squared) / left) : NAN;
        x->p = x->f >= 0 ? sl_f_upper(x->f, (double)df[g], left) : NAN;
    }
    sl_adjust_members(n, sizeof *share, &share->p, &share->p_holm, &share->p_bh);
    free(order);
    free(adds);
}

static void add_intervals(struct groups *s, struct sl_variance_row *share, uint64_t *random)
{
    size_t n = s->n, runs = s->m->n;
    uint32_t *times = sl_alloc(runs * sizeof *times);
    double *v = sl_alloc(n * ROUNDS * sizeof *v), *one = sl_alloc(n * sizeof *one);

    for (size_t k = 0; k < ROUNDS; k++) {
        sl_bootstrap_blocks(times, runs, random);
        add_up(s, times);
        find_shares(s, ORDERS_OF_ROUND, random, one);
        for (size_t g = 0; g < n; g++)
            v[g * ROUNDS + k] = one[g];
    }
    for (size_t g = 0; g < n; g++) {
        double *mine = v + g * ROUNDS, middle = sl_quantile(mine, ROUNDS, 0.5);
        double low = sl_quantile(mine, ROUNDS, 0.025), high = sl_quantile(mine, ROUNDS, 0.975);
        share[g].lower = fmax(share[g].share + low - middle, 0);
        share[g].upper = share[g].share + high - middle;
    }
    free(times);
    free(v);
    free(one);
}

static double share_of(const void *row)
{
    return ((const struct sl_variance_row *)row)->share;
}

/* The sums are those of all runs. */
static void add_shares(struct sl_rows *out, struct groups *s)
{
    const struct sl_linear_model *m = s->m;
    uint64_t random = 20261122;
    double *share = sl_alloc(s->n * sizeof *share);
    struct sl_variance_row *first;

    find_shares(s, ORDERS, &random, share);
    for (size_t g = 0; g < s->n; g++) {
        struct sl_variance_row *x = sl_rows_add(out);
        x->factor = sl_rows_text(out, s->name[g]);
        x->share = share[g];
        x->runs = (int64_t)m->n;
        x->r_squared = m->r_squared;
        x->by_chance = m->df ? (1 - m->r_squared) / (double)m->df : NAN;
        x->exact = s->exact;
    }
    first = sl_rows_at(out, 0);
    test_shares(s, first);
    add_intervals(s, first, &random);
    sl_rows_sort(out, share_of, true);
    free(share);
}

/* Adds them up, of all runs once. */
static int check_sums(struct groups *s, struct sl_err *err)
{
    const double *y = s->column[s->columns - 1];
    uint32_t *times = sl_alloc(s->m->n * sizeof *times);
    double most = 0, whole;

    for (size_t i = 0; i < s->m->n; i++) {
        times[i] = 1;
        most = fmax(most, fabs(y[i]));
    }
    add_up(s, times);
    free(times);
    whole = s->sums[s->columns * s->columns - 1];
    if (!isfinite(whole))
        return sl_err(err, SL_EUSAGE, "the scores are too large, or too far apart, for least squares");
    if (sqrt(whole / (double)s->m->n) <= 1e-12 * most)
        return sl_err(err, SL_EUSAGE, "all scores are the same, so there is nothing to explain");
    return 0;
}

static int fill_variance(struct sl_rows *out, const struct sl_runs *r, const struct sl_question *q, struct sl_err *err)
{
    struct sl_question plain = *q;
    struct sl_linear_model m;
    struct groups s = {.m = &m};
    int rc;

    plain.interactions = false;
    if ((rc = sl_model_fit(&m, r, &plain, err)))
        return rc;
    if (m.method != SL_MODEL_LEAST_SQUARES)
        rc =
            sl_err(err, SL_EUSAGE,
                   "%zu runs cannot tell %zu terms apart, so the variance is no sum of shares: there must be more runs "
                   "than terms",
                   m.n, m.terms);
    if (!rc) {
        make_groups(&s, r);
        rc = check_sums(&s, err);
    }
    if (!rc)
        add_shares(out, &s);
    free_groups(&s);
    sl_model_free(&m);
    return rc;
}

const struct sl_experiment_fn sl_experiment_variance = {
    .name = "variance",
    .about = "how much of the variance of scores each factor explains",
    .row = &sl_variance_row_columns,
    .fill = fill_variance,
};
