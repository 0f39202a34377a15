/* SPDX-License-Identifier: Apache-2.0 */
#include "experiment/tune.h"
#include "analyse/kernels/beta.h"
#include "analyse/kernels/random.h"

#include <math.h>
#include <stdlib.h>

double sl_tune_failed(const double *y, const bool *failed, size_t n)
{
    double worst = -INFINITY;

    for (size_t i = 0; i < n; i++)
        worst = failed[i] ? worst : fmax(worst, y[i]);
    return isfinite(worst) ? worst : 0;
}

/* Pairs to confirm with: an eighth of the budget, so that a quarter of the runs is theirs. */
static size_t pairs_of(const struct sl_tune *t)
{
    return t->budget / 8 > 4 ? t->budget / 8 : 4;
}

static size_t searches_of(const struct sl_tune *t)
{
    return t->budget - 2 * pairs_of(t);
}

static const int32_t *own(const struct sl_tune *t, size_t i)
{
    return t->settings + (t->others + i) * t->space->factors;
}

static size_t done(const struct sl_tune *t)
{
    return t->n - t->others;
}

static bool base_of(const struct sl_tune *t, uint64_t *random, int32_t *setting)
{
    size_t k = t->space->factors;

    memset(setting, 0, k * sizeof *setting);
    if (t->space->allowed(t->space->arg, setting))
        return true;
    if (!done(t))
        return sl_space_random(t->space, random, setting);
    memcpy(setting, own(t, 0), k * sizeof *setting);
    return true;
}

/* Random numbers of run i, whatever was asked before. */
static uint64_t numbers(const struct sl_tune *t, size_t i)
{
    uint64_t random = t->seed + i * 0x9E3779B97F4A7C15u;

    random = sl_random(&random);
    return random;
}

/* What the runs before those that confirm say is best. */
static bool best_of(const struct sl_tune *t, int32_t *setting)
{
    size_t n = t->others + (done(t) < searches_of(t) ? done(t) : searches_of(t));
    uint64_t random = numbers(t, searches_of(t));
    struct sl_surrogate s;
    bool found;

    if (!n)
        return false;
    sl_surrogate_fit(&s, t->space, t->settings, t->y, n);
    found = sl_surrogate_best(&s, &random, false, setting);
    sl_surrogate_free(&s);
    return found;
}

/* In pair k, is the best the first?  By a coin. */
static bool best_first(const struct sl_tune *t, size_t pair)
{
    uint64_t random = numbers(t, t->budget + pair);
    return sl_random(&random) >> 63;
}

enum sl_tune_next sl_tune_next(const struct sl_tune *t, int32_t *setting)
{
    size_t i = done(t);
    uint64_t random = numbers(t, i);
    struct sl_surrogate s;
    bool found;

    if (i >= t->budget)
        return SL_TUNE_END;
    if (!i)
        return base_of(t, &random, setting) ? SL_TUNE_SEARCH : SL_TUNE_END;
    if (i < searches_of(t)) {
        sl_surrogate_fit(&s, t->space, t->settings, t->y, t->n);
        found = sl_surrogate_draw(&s, &random, setting);
        sl_surrogate_free(&s);
        return found ? SL_TUNE_SEARCH : SL_TUNE_END;
    }
    i -= searches_of(t);
    found = i % 2 == best_first(t, i / 2) ? base_of(t, &random, setting) : best_of(t, setting);
    return found ? SL_TUNE_CONFIRM : SL_TUNE_END;
}

bool sl_tune_result(const struct sl_tune *t, struct sl_tuned *out)
{
    size_t k = t->space->factors, from = searches_of(t), runs = done(t) > from ? done(t) - from : 0;
    uint64_t random = numbers(t, 0);
    double squares = 0, half;
    struct sl_surrogate s;

    *out = (struct sl_tuned){.change = NAN, .low = NAN, .high = NAN, .searched = done(t) - runs};
    if (!t->n)
        return false;
    out->base = sl_alloc(k * sizeof *out->base + 1);
    out->best = sl_alloc(k * sizeof *out->best + 1);
    if (!base_of(t, &random, out->base) || !best_of(t, out->best)) {
        free(out->base);
        free(out->best);
        return false;
    }
    sl_surrogate_fit(&s, t->space, t->settings, t->y, t->n);
    out->base_is = sl_surrogate_believe(&s, out->base);
    out->best_is = sl_surrogate_believe(&s, out->best);
    sl_surrogate_free(&s);
    out->pairs = runs / 2;
    if (!memcmp(out->base, out->best, k * sizeof *out->base) || out->pairs < 2)
        return true;
    out->change = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < out->pairs; i++) {
            const double *y = t->y + t->others + from + 2 * i;
            double change = best_first(t, i) ? y[0] - y[1] : y[1] - y[0];
            if (!pass)
                out->change += change / (double)out->pairs;
            else
                squares += (change - out->change) * (change - out->change);
        }
    half = sl_t_quantile(0.95, (double)out->pairs - 1) * sqrt(squares / (double)(out->pairs - 1) / (double)out->pairs);
    out->low = out->change - half;
    out->high = out->change + half;
    return true;
}
