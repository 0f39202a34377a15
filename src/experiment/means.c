/* SPDX-License-Identifier: Apache-2.0 */
#include "experiment/means.h"
#include "analyse/kernels/beta.h"
#include "analyse/kernels/bootstrap.h"
#include "analyse/kernels/moments.h"
#include "analyse/kernels/quantile.h"
#include "analyse/kernels/regression/adjust.h"
#include "experiment/deltas.h"
#include "experiment/questions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A weighted sample: how often each run was drawn, and what follows for cells. */
struct draw {
    const struct sl_runs *r;
    const struct sl_deltas *d;
    uint32_t *times;        /* of a run */
    double *weight, *score; /* sums of a cell */
};

static void weigh(struct draw *w)
{
    const struct sl_cells *c = &w->d->cells;

    for (size_t i = 0; i < c->n; i++)
        w->weight[i] = w->score[i] = 0;
    for (size_t i = 0; i < w->r->n; i++) {
        w->weight[c->of[i]] += w->times[i];
        w->score[c->of[i]] += w->times[i] * w->r->score[i];
    }
}

/* Over all pairs of drawn runs: the sum over cells of (sum of with) * (weight of without) - ..., by all weights. */
static void mean_deltas(const struct draw *w, double *out)
{
    const struct sl_deltas *d = w->d;
    size_t n = w->r->treatment.n;
    double *pairs = sl_alloc(n * sizeof *pairs + 1);

    for (size_t t = 0; t < n; t++)
        out[t] = 0;
    for (size_t i = 0; i < d->pair.n; i++) {
        const struct sl_cell_pair *p = &d->pair.v[i];
        out[p->treatment] += w->score[p->with] * w->weight[p->without] - w->score[p->without] * w->weight[p->with];
        pairs[p->treatment] += w->weight[p->with] * w->weight[p->without];
    }
    for (size_t t = 0; t < n; t++)
        out[t] = pairs[t] > 0 ? out[t] / pairs[t] : NAN;
    free(pairs);
}

/* Means of all drawn runs of a level, for each factor and level; the factor's first is at[factor]. */
static void level_means(const struct draw *w, const size_t *at, size_t levels, double *mean)
{
    double *weight = sl_alloc(levels * sizeof *weight + 1);

    for (size_t i = 0; i < levels; i++)
        mean[i] = 0;
    for (uint32_t c = 0; c < w->d->cells.n; c++) {
        const int32_t *level = sl_runs_levels(w->r, w->d->cells.run[w->d->cells.begin[c]]);
        for (size_t f = 0; f < w->r->factors; f++)
            if (level[f] >= 0) {
                mean[at[f] + (size_t)level[f]] += w->score[c];
                weight[at[f] + (size_t)level[f]] += w->weight[c];
            }
    }
    for (size_t i = 0; i < levels; i++)
        mean[i] = weight[i] > 0 ? mean[i] / weight[i] : NAN;
    free(weight);
}

/* Of an estimate with so many runs on the lesser side; v: what the rounds gave, whose spread is too small by `narrow`.
 * Reorders v.  Why there is none; NULL: there is one. */
static const char *interval_of_rounds(double *low, double *high, double *p, double estimate, size_t runs, double narrow,
                                      double *v)
{
    struct sl_moments m = {0};
    double df = (double)(runs - 1), beyond = erfc(sl_t_quantile(0.95, df) * narrow / sqrt(2)) / 2;

    for (size_t i = 0; i < SL_MEANS_ROUNDS; i++)
        if (isnan(v[i]))
            return "on end";
    for (size_t i = 0; i < SL_MEANS_ROUNDS; i += SL_MOMENTS_BLOCK)
        sl_moments_add(&m, v + i, NULL,
                       SL_MEANS_ROUNDS - i < SL_MOMENTS_BLOCK ? SL_MEANS_ROUNDS - i : SL_MOMENTS_BLOCK);
    *p = sl_t_two_sided(estimate / (narrow * sl_moments_stddev(&m)), df);
    *low = sl_quantile(v, SL_MEANS_ROUNDS, beyond);
    *high = sl_quantile(v, SL_MEANS_ROUNDS, 1 - beyond);
    return NULL;
}

/* Distinct runs on either side of the pairs of each treatment, the lesser of both. */
static size_t *runs_on_lesser_side(const struct sl_runs *r, const struct sl_deltas *d)
{
    const struct sl_cells *c = &d->cells;
    size_t n = r->treatment.n, *least = sl_alloc(n * sizeof *least + 1), *seen = sl_alloc(2 * c->n * sizeof *seen + 1);
    size_t *runs = sl_alloc(2 * n * sizeof *runs + 1);

    for (size_t i = 0; i < d->pair.n; i++) {
        const struct sl_cell_pair *p = &d->pair.v[i];
        const uint32_t cell[2] = {p->without, p->with};
        for (size_t side = 0; side < 2; side++)
            if (seen[2 * cell[side] + side] != p->treatment + 1) {
                seen[2 * cell[side] + side] = p->treatment + 1;
                runs[2 * p->treatment + side] += c->begin[cell[side] + 1] - c->begin[cell[side]];
            }
    }
    for (size_t t = 0; t < n; t++)
        least[t] = runs[2 * t] < runs[2 * t + 1] ? runs[2 * t] : runs[2 * t + 1];
    free(seen);
    free(runs);
    return least;
}

static void count_pairs(struct sl_mean *out, const struct sl_deltas *d)
{
    const uint32_t *begin = d->cells.begin;

    for (size_t i = 0; i < d->pair.n; i++) {
        const struct sl_cell_pair *p = &d->pair.v[i];
        out[p->treatment].pairs +=
            (int64_t)(begin[p->without + 1] - begin[p->without]) * (begin[p->with + 1] - begin[p->with]);
    }
}

static void add_mean_intervals(struct sl_mean *out, struct draw *w, const size_t *at, size_t levels)
{
    const struct sl_runs *r = w->r;
    size_t n = r->treatment.n, *least = runs_on_lesser_side(r, w->d);
    double *delta = sl_alloc(2 * n * SL_MEANS_ROUNDS * sizeof *delta + 1), *mean = sl_alloc(levels * sizeof *mean + 1);
    double *group = delta + n * SL_MEANS_ROUNDS, *one = sl_alloc(n * sizeof *one + 1);
    double runs = (double)r->n,
           narrow = sqrt(runs / (runs - ceil(cbrt(runs)))); /* n - length, as n - 1 of a variance */
    uint64_t random = 20261122;

    for (size_t k = 0; k < SL_MEANS_ROUNDS; k++) {
        sl_bootstrap_blocks(w->times, r->n, &random);
        weigh(w);
        mean_deltas(w, one);
        level_means(w, at, levels, mean);
        for (size_t t = 0; t < n; t++) {
            const struct sl_treatment *x = &r->treatment.v[t];
            delta[t * SL_MEANS_ROUNDS + k] = one[t];
            group[t * SL_MEANS_ROUNDS + k] = mean[at[x->factor] + (size_t)x->level] - mean[at[x->factor]];
        }
    }
    for (size_t t = 0; t < n; t++) {
        struct sl_mean *m = &out[t];
        m->lacks = m->difference_lacks = "few";
        if (least[t] >= SL_MEANS_FEW)
            m->lacks =
                interval_of_rounds(&m->lower, &m->upper, &m->p, m->delta, least[t], 1, delta + t * SL_MEANS_ROUNDS);
        if (m->runs_with >= SL_MEANS_FEW && m->runs_without >= SL_MEANS_FEW)
            m->difference_lacks =
                interval_of_rounds(&m->difference_lower, &m->difference_upper, &m->difference_p, m->difference,
                                   (size_t)(m->runs_with < m->runs_without ? m->runs_with : m->runs_without), narrow,
                                   group + t * SL_MEANS_ROUNDS);
        if (m->lacks && !m->difference_lacks)
            m->lacks = "few pairs"; /* there are runs enough on both sides, and in all drawings */
    }
    sl_adjust_members(n, sizeof *out, &out->p, &out->p_holm, &out->p_bh);
    sl_adjust_members(n, sizeof *out, &out->difference_p, &out->difference_p_holm, &out->difference_p_bh);
    free(least);
    free(delta);
    free(mean);
    free(one);
}

/* A difference of what is as large as `of`, 0 where it is rounding. */
static double above_rounding(double difference, double of)
{
    return fabs(difference) < 1e-12 * fabs(of) ? 0 : difference;
}

/*
 * A row for each treatment, of all runs.  Intervals are those of the bootstrap that draws runs, not pairs, in blocks
 * of consecutive runs, ceil(n^(1/3)) of them (Politis & Romano, A circular block-resampling procedure, in Exploring the
 * Limits of Bootstrap, 1992; the length: Hall, Horowitz & Jing, Biometrika 82 (1995) 561), so that drift is not taken
 * for certainty: percentiles of SL_MEANS_ROUNDS rounds, further out the fewer runs there are on the lesser side, as
 * Student's t is (the expanded percentile interval: Hesterberg, The American Statistician 69 (2015) 371).  Always the
 * same for the same runs.
 *
 * p is that of Student's t: the estimate by the standard deviation of the rounds, with one degree of freedom less than
 * there are runs on the lesser side.  Percentiles of the rounds themselves could not fall below 2 / SL_MEANS_ROUNDS,
 * which no correction for many treatments would survive.
 */
static int fill_means(struct sl_rows *out, const struct sl_runs *r, const struct sl_question *q, struct sl_err *err)
{
    struct sl_deltas d;
    struct draw w = {.r = r, .d = &d};
    size_t *at = sl_alloc((r->factors + 1) * sizeof *at), levels, *runs;
    double *mean, *delta = sl_alloc(r->treatment.n * sizeof *delta + 1);

    (void)q, (void)err;
    sl_deltas_make(&d, r);
    for (size_t f = 0; f < r->factors; f++)
        at[f + 1] = at[f] + (size_t)r->factor[f].levels;
    levels = at[r->factors];
    w.times = sl_alloc(r->n * sizeof *w.times);
    w.weight = sl_alloc(d.cells.n * sizeof *w.weight);
    w.score = sl_alloc(d.cells.n * sizeof *w.score);
    mean = sl_alloc(levels * sizeof *mean + 1);
    runs = sl_alloc(levels * sizeof *runs + 1);
    for (size_t i = 0; i < r->n; i++) {
        w.times[i] = 1;
        for (size_t f = 0; f < r->factors; f++)
            if (sl_runs_levels(r, i)[f] >= 0)
                runs[at[f] + (size_t)sl_runs_levels(r, i)[f]]++;
    }
    weigh(&w);
    mean_deltas(&w, delta);
    level_means(&w, at, levels, mean);
    for (size_t t = 0; t < r->treatment.n; t++) {
        const struct sl_treatment *x = &r->treatment.v[t];
        size_t base = at[x->factor], its = base + (size_t)x->level;
        struct sl_mean *m = sl_rows_add(out);
        m->treatment = sl_rows_text(out, x->name);
        m->pairs = 0;
        m->delta = delta[t];
        m->runs_without = (int64_t)runs[base];
        m->runs_with = (int64_t)runs[its];
        m->mean_without = mean[base];
        m->mean_with = mean[its];
        m->difference = above_rounding(mean[its] - mean[base], mean[base]);
    }
    if (out->n) {
        count_pairs(sl_rows_at(out, 0), &d);
        add_mean_intervals(sl_rows_at(out, 0), &w, at, levels);
    }
    sl_deltas_free(&d);
    free(at);
    free(runs);
    free(mean);
    free(delta);
    free(w.times);
    free(w.weight);
    free(w.score);
    return 0;
}

static double difference_of(const void *row)
{
    return ((const struct sl_mean *)row)->difference;
}

const struct sl_experiment_fn sl_experiment_means = {
    .name = "means",
    .about = "what each treatment changes, on average",
    .row = &sl_mean_columns,
    .fill = fill_means,
    .coarse = true,
    .key = difference_of,
};
