/* SPDX-License-Identifier: Apache-2.0 */
#include "experiment/runs_internal.h"

#include <math.h>
#include <stdlib.h>

/* How many runs have each level. */
static size_t *count_levels(const struct sl_runs *r, uint32_t factor)
{
    size_t *runs = sl_alloc((size_t)r->factor[factor].levels * sizeof *runs);

    for (size_t i = 0; i < r->n; i++)
        if (r->level[i * r->factors + factor] >= 0)
            runs[r->level[i * r->factors + factor]]++;
    return runs;
}

/* to[level] is its quarter, by the runs below it and half of its own. */
static int32_t quarters(const struct sl_factor *f, const size_t *runs, int32_t *to)
{
    size_t all = 0, below = 0, last = SIZE_MAX;
    int32_t n = 0;

    for (int32_t k = 0; k < f->levels; k++)
        all += runs[k];
    for (int32_t k = 0; k < f->levels; below += runs[k++]) {
        size_t bin = (2 * below + runs[k]) * SL_LEVELS_BINS / (2 * all);
        n += bin != last;
        to[k] = n - 1;
        last = bin;
    }
    return n;
}

static int32_t without_rare(const struct sl_factor *f, const size_t *runs, int32_t *to)
{
    int32_t n = 0, rare = 0;

    for (int32_t k = 0; k < f->levels; k++) {
        to[k] = runs[k] < SL_LEVELS_FEW ? -1 : n++;
        rare += to[k] < 0;
    }
    for (int32_t k = 0; k < f->levels; k++)
        to[k] = to[k] < 0 ? n : to[k];
    return n + (rare > 0);
}

/* Of levels first..last, which are one now. */
static const char *name_of(struct sl_runs *r, const struct sl_factor *f, int32_t first, int32_t last, bool others)
{
    const char *a = f->level[first], *b = f->level[last];
    size_t n = strlen(a), m = strlen(b);
    char *s;

    if (others || first == last)
        return others ? "(others)" : a;
    s = sl_arena_alloc(&r->arena, n + m + 3);
    memcpy(s, a, n);
    memcpy(s + n, "..", 2);
    memcpy(s + n + 2, b, m + 1);
    return s;
}

void sl_levels_identity(struct sl_runs *r, uint32_t factor)
{
    struct sl_factor *f = &r->factor[factor];
    size_t known = 0;

    for (size_t i = 0; i < r->n; i++)
        known += r->level[i * r->factors + factor] >= 0;
    if (f->kind != SL_FACTOR_CATEGORICAL || f->levels <= SL_LEVELS_NAMES || 2 * (size_t)f->levels <= known)
        return;
    for (size_t i = 0; i < r->n; i++)
        r->level[i * r->factors + factor] = 0;
    f->kind = SL_FACTOR_IDENTITY;
    f->levels = 1;
    f->level[0] = "(each its own)";
}

void sl_levels_coarsen(struct sl_runs *r, uint32_t factor, int32_t *base)
{
    struct sl_factor *f = &r->factor[factor];
    bool numbers = f->kind == SL_FACTOR_NUMERIC;
    const char **level;
    size_t *runs;
    int32_t *to, n;

    if (f->levels <= SL_LEVELS_MANY)
        return;
    runs = count_levels(r, factor);
    to = sl_alloc((size_t)f->levels * sizeof *to);
    n = numbers ? quarters(f, runs, to) : without_rare(f, runs, to);
    level = memset(sl_arena_alloc(&r->arena, (size_t)n * sizeof *level), 0, (size_t)n * sizeof *level);
    for (int32_t k = 0; k < f->levels; k++) {
        int32_t last = k;
        while (numbers && last + 1 < f->levels && to[last + 1] == to[k])
            last++;
        if (!level[to[k]])
            level[to[k]] = name_of(r, f, k, last, !numbers && runs[k] < SL_LEVELS_FEW);
    }
    for (size_t i = 0; i < r->n; i++) {
        int32_t *mine = &r->level[i * r->factors + factor];
        *mine = *mine < 0 ? -1 : to[*mine];
    }
    *base = *base < 0 ? -1 : to[*base];
    f->kind = SL_FACTOR_CATEGORICAL;
    f->value = NULL;
    f->level = level;
    f->levels = n;
    free(runs);
    free(to);
}

/* Level `at` becomes the first one. */
static void put_first(struct sl_runs *r, uint32_t factor, int32_t at)
{
    struct sl_factor *f = &r->factor[factor];
    const char *base = f->level[at];

    for (int32_t k = at; k > 0; k--)
        f->level[k] = f->level[k - 1];
    f->level[0] = base;
    for (size_t i = 0; i < r->n; i++) {
        int32_t *mine = &r->level[i * r->factors + factor];
        *mine = *mine == at ? 0 : *mine + (*mine >= 0 && *mine < at);
    }
}

void sl_levels_base(struct sl_runs *r, uint32_t factor, int32_t at)
{
    struct sl_factor *f = &r->factor[factor];

    f->stated = at >= 0;
    f->absent = at < 0;
    if (f->kind == SL_FACTOR_NUMERIC || (f->kind == SL_FACTOR_BOOLEAN && at > 0))
        f->kind = SL_FACTOR_CATEGORICAL;
    f->value = NULL;
    if (at > 0)
        put_first(r, factor, at);
}

void sl_levels_join(struct sl_runs *r, uint32_t factor)
{
    struct sl_factor *f = &r->factor[factor];
    size_t first = 0;

    while (first < r->n && r->level[first * r->factors + factor] < 0)
        first++;
    if (!r->time_name || f->kind != SL_FACTOR_BOOLEAN || f->joined)
        return;
    f->joined = first;
    for (size_t i = 0; i < first; i++)
        r->level[i * r->factors + factor] = 0;
}

int sl_question_check(const struct sl_question *q, struct sl_err *err)
{
    if (!(q->alpha >= 0 && q->alpha <= 1))
        return sl_err(err, SL_EUSAGE, "alpha is a number from 0 (ridge) to 1 (lasso)");
    if (!(q->lambda >= 0 && isfinite(q->lambda)))
        return sl_err(err, SL_EUSAGE, "lambda is a number above 0, in the unit of the score");
    if (!(q->limit >= 0))
        return sl_err(err, SL_EUSAGE, "the limit is a number above 0, in the unit of the score, or worst");
    return 0;
}
