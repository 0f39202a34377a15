/* SPDX-License-Identifier: Apache-2.0 */
/* Which treatments make runs fail, and what they do to scores where a failed run is worse than any that did not. */
#include "analyse/kernels/bootstrap.h"
#include "analyse/kernels/proportion.h"
#include "analyse/kernels/quantile.h"
#include "analyse/kernels/regression/adjust.h"
#include "experiment/means.h"
#include "experiment/questions.h"

#include <math.h>
#include <stdlib.h>

/* Runs, the worst first: failed ones, then as scores fall, or rates rise. */
struct ranked {
    const struct sl_runs *r;
    uint32_t *run;
    bool *next;     /* not as bad as the one before it; by place in run */
    uint8_t *side;  /* of each treatment: 0 without, 1 with, 2 neither; by place in run */
    double *weight; /* by place in run */
};

struct place {
    double badness;
    uint32_t run;
};

static int worst_first(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return x->badness > y->badness ? -1 : x->badness < y->badness ? 1 : x->run < y->run ? -1 : x->run > y->run;
}

static void rank_runs(struct ranked *k, const struct sl_runs *r)
{
    struct place *v = sl_alloc(r->n * sizeof *v + 1);

    *k = (struct ranked){.r = r};
    k->run = sl_alloc(r->n * sizeof *k->run + 1);
    k->next = sl_alloc(r->n * sizeof *k->next + 1);
    k->side = sl_alloc(r->n * r->treatment.n + 1);
    k->weight = sl_alloc(r->n * sizeof *k->weight + 1);
    for (uint32_t i = 0; i < r->n; i++)
        v[i] = (struct place){isnan(r->score[i]) ? INFINITY : r->rate ? -r->score[i] : r->score[i], i};
    qsort(v, r->n, sizeof *v, worst_first);
    for (size_t i = 0; i < r->n; i++) {
        k->run[i] = v[i].run;
        k->next[i] = i && v[i].badness != v[i - 1].badness;
        k->weight[i] = 1;
        for (size_t t = 0; t < r->treatment.n; t++) {
            const struct sl_treatment *x = &r->treatment.v[t];
            int32_t level = sl_runs_levels(r, v[i].run)[x->factor];
            k->side[t * r->n + i] = level == 0 ? 0 : level == x->level ? 1 : 2;
        }
    }
    free(v);
}

/* By all pairs of a run with the treatment and one without, by their weights. */
static double chance_better(const struct ranked *k, size_t treatment)
{
    const uint8_t *side = k->side + treatment * k->r->n;
    double worse = 0, with = 0, won = 0, tied[3] = {0};

    for (size_t i = 0; i < k->r->n; i++) {
        if (k->next[i]) {
            won += tied[1] * (worse + tied[0] / 2);
            worse += tied[0];
            with += tied[1];
            tied[0] = tied[1] = 0;
        }
        tied[side[i]] += k->weight[i];
    }
    won += tied[1] * (worse + tied[0] / 2);
    worse += tied[0];
    with += tied[1];
    return with > 0 && worse > 0 ? won / (with * worse) : NAN;
}

static void count_failed(struct sl_failure *f, const struct sl_runs *r, const struct sl_treatment *t)
{
    uint64_t runs[2] = {0}, failed[2] = {0}; /* without, with */

    for (size_t i = 0; i < r->n; i++) {
        int32_t level = sl_runs_levels(r, i)[t->factor];
        if (level == 0 || level == t->level) {
            runs[level != 0]++;
            failed[level != 0] += isnan(r->score[i]);
        }
    }
    f->runs_without = (int64_t)runs[0];
    f->failed_without = (int64_t)failed[0];
    f->runs_with = (int64_t)runs[1];
    f->failed_with = (int64_t)failed[1];
    if (runs[0] && runs[1]) {
        f->difference = (double)failed[1] / (double)runs[1] - (double)failed[0] / (double)runs[0];
        sl_proportion_interval(failed, runs, &f->lower, &f->upper);
        f->p = sl_proportion_fisher(failed, runs);
    }
}

static void add_better_intervals(struct sl_failure *f, struct ranked *k)
{
    const struct sl_runs *r = k->r;
    size_t n = r->treatment.n;
    double *v = sl_alloc(n * SL_MEANS_ROUNDS * sizeof *v + 1);
    uint32_t *times = sl_alloc(r->n * sizeof *times + 1);
    uint64_t random = 20261122;

    for (size_t round = 0; round < SL_MEANS_ROUNDS; round++) {
        sl_bootstrap_blocks(times, r->n, &random);
        for (size_t i = 0; i < r->n; i++)
            k->weight[i] = times[k->run[i]];
        for (size_t t = 0; t < n; t++)
            v[t * SL_MEANS_ROUNDS + round] = chance_better(k, t);
    }
    for (size_t t = 0; t < n; t++) {
        double *mine = v + t * SL_MEANS_ROUNDS;
        bool all = f[t].runs_without >= SL_MEANS_FEW && f[t].runs_with >= SL_MEANS_FEW;
        for (size_t i = 0; i < SL_MEANS_ROUNDS && all; i++)
            all = !isnan(mine[i]);
        if (all) {
            f[t].better_lower = sl_quantile(mine, SL_MEANS_ROUNDS, 0.025);
            f[t].better_upper = sl_quantile(mine, SL_MEANS_ROUNDS, 0.975);
        }
    }
    free(v);
    free(times);
}

/*
 * better: the chance that of a run with the treatment and one without the former is the better one, where failed runs
 * are the worst and equal ones count half: the statistic of Mann & Whitney (Ann. Math. Stat. 18 (1947) 50) by all
 * pairs, which needs no score of a failed run.  Its interval: percentiles of SL_MEANS_ROUNDS rounds of the bootstrap of
 * blocks, as in means.h; none where fewer than SL_MEANS_FEW runs are on one side.
 */
static int fill_failures(struct sl_rows *out, const struct sl_runs *r, const struct sl_question *q, struct sl_err *err)
{
    struct ranked k;

    (void)q, (void)err;
    rank_runs(&k, r);
    for (size_t t = 0; t < r->treatment.n; t++) {
        struct sl_failure *f = sl_rows_add(out);
        f->treatment = sl_rows_text(out, r->treatment.v[t].name);
        count_failed(f, r, &r->treatment.v[t]);
        f->better = chance_better(&k, t);
    }
    if (out->n) {
        struct sl_failure *f = sl_rows_at(out, 0);
        sl_adjust_members(out->n, sizeof *f, &f->p, &f->p_holm, &f->p_bh);
        add_better_intervals(f, &k);
    }
    free(k.run);
    free(k.next);
    free(k.side);
    free(k.weight);
    return 0;
}

static double difference_of(const void *row)
{
    return ((const struct sl_failure *)row)->difference;
}

const struct sl_experiment_fn sl_experiment_failures = {
    .name = "failures",
    .about = "which treatments make runs fail",
    .row = &sl_failure_columns,
    .fill = fill_failures,
    .failed = true,
    .coarse = true,
    .key = difference_of,
    .as_cost = true,
};
