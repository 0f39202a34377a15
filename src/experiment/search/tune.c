/* SPDX-License-Identifier: Apache-2.0 */
#include "experiment/search/tune.h"
#include "analyse/kernels/beta.h"
#include "analyse/kernels/random.h"

#include <math.h>
#include <stdlib.h>

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

    if (!sl_surrogate_fit(&s, t->space, t->settings, t->y, n))
        return false;
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
    size_t i = done(t), k = t->space->factors;
    uint64_t random = numbers(t, i);
    struct sl_surrogate s;
    bool found;

    if (i >= t->budget)
        return SL_TUNE_END;
    if (!i)
        return base_of(t, &random, setting) ? SL_TUNE_SEARCH : SL_TUNE_END;
    if (i < searches_of(t)) {
        if (!sl_surrogate_fit(&s, t->space, t->settings, t->y, t->n))
            return sl_space_random(t->space, &random, setting) ? SL_TUNE_SEARCH : SL_TUNE_END;
        found = sl_surrogate_draw(&s, &random, setting);
        sl_surrogate_free(&s);
        return found ? SL_TUNE_SEARCH : SL_TUNE_END;
    }
    i -= searches_of(t);
    int32_t *best = sl_alloc(k * sizeof *best + 1);
    found = base_of(t, &random, setting) && best_of(t, best) && memcmp(setting, best, k * sizeof *best) != 0;
    if (found && i % 2 != best_first(t, i / 2))
        memcpy(setting, best, k * sizeof *best);
    free(best);
    return found ? SL_TUNE_CONFIRM : SL_TUNE_END; /* nothing is better than the base: that needs no pairs */
}

bool sl_tune_result(const struct sl_tune *t, struct sl_tuned *out)
{
    size_t k = t->space->factors, from = searches_of(t), runs = done(t) > from ? done(t) - from : 0;
    uint64_t random = numbers(t, 0);
    double sum = 0, squares = 0, half;
    struct sl_surrogate s;

    *out = (struct sl_tuned){.change = NAN, .low = NAN, .high = NAN, .searched = done(t) - runs};
    out->base = sl_alloc(k * sizeof *out->base + 1);
    out->best = sl_alloc(k * sizeof *out->best + 1);
    if (!base_of(t, &random, out->base) || !best_of(t, out->best) ||
        !sl_surrogate_fit(&s, t->space, t->settings, t->y, t->n)) {
        free(out->base);
        free(out->best);
        out->base = out->best = NULL;
        return false;
    }
    out->base_is = sl_surrogate_believe(&s, out->base);
    out->best_is = sl_surrogate_believe(&s, out->best);
    sl_surrogate_free(&s);
    if (!memcmp(out->base, out->best, k * sizeof *out->base))
        return true;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < runs / 2; i++) {
            const double *y = t->y + t->others + from + 2 * i;
            double change = best_first(t, i) ? y[0] - y[1] : y[1] - y[0];
            if (isnan(change) || memcmp(own(t, from + 2 * i + !best_first(t, i)), out->best, k * sizeof *out->best))
                continue; /* it failed; or others have run since, and something else is best */
            if (!pass) {
                sum += change;
                out->pairs++;
            } else {
                squares += pow(change - sum / (double)out->pairs, 2);
            }
        }
    if (out->pairs < 2)
        return true;
    out->change = sum / (double)out->pairs;
    half = sl_t_quantile(0.95, (double)out->pairs - 1) * sqrt(squares / (double)(out->pairs - 1) / (double)out->pairs);
    out->low = out->change - half;
    out->high = out->change + half;
    return true;
}
