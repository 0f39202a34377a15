/* SPDX-License-Identifier: Apache-2.0 */
#include "experiment/search/history.h"
#include "analyse/kernels/random.h"
#include "analyse/kernels/sequential.h"

#include <math.h>
#include <stdlib.h>

/* ---- which commits ---- */

/* The commit nearest to `at`, from `from` to `to`, that is not broken; h->commits: there is none. */
static size_t nearest(const struct sl_history *h, size_t at, size_t from, size_t to)
{
    for (size_t by = 0; by < h->commits; by++) {
        if (at >= from + by && !h->broken[at - by])
            return at - by;
        if (at + by <= to && !h->broken[at + by])
            return at + by;
    }
    return h->commits;
}

struct wanted {
    const struct sl_history *h;
    bool *is;       /* of each commit */
    double **costs; /* of each commit by round; NaN: was not measured; NULL: never was */
    size_t rounds;
};

static void sort_scores(struct wanted *w)
{
    const struct sl_history *h = w->h;

    for (size_t i = 0; i < h->score.n; i++)
        w->rounds = h->score.v[i].round >= w->rounds ? h->score.v[i].round + 1 : w->rounds;
    for (size_t i = 0; i < h->score.n; i++) {
        const struct sl_history_score *s = &h->score.v[i];
        if (!w->costs[s->commit]) {
            w->costs[s->commit] = sl_alloc(w->rounds * sizeof **w->costs);
            for (size_t r = 0; r < w->rounds; r++)
                w->costs[s->commit][r] = NAN;
        }
        w->costs[s->commit][s->round] = s->cost;
    }
}

static void judge(const struct wanted *w, struct sl_history_step *s)
{
    const struct sl_history *h = w->h;
    struct sl_sequential pairs = {0};
    struct sl_shift_interval shift;
    double half, alpha = h->alpha / (double)(h->first - 1);

    for (size_t r = 0; r < w->rounds && w->costs[s->old] && w->costs[s->new]; r++)
        if (!isnan(w->costs[s->old][r]) && !isnan(w->costs[s->new][r]))
            sl_sequential_add(&pairs, w->costs[s->new][r] - w->costs[s->old][r]);
    s->rounds = pairs.difference.n;
    shift = sl_sequential_shift(&pairs, alpha);
    sl_sequential_free(&pairs);
    s->change = expm1(shift.estimate);
    s->low = isinf(shift.low) ? -INFINITY : expm1(shift.low);
    s->high = expm1(shift.high);
    half = (s->high - s->low) / 2;
    if (s->low > 0 || s->high < 0)
        s->verdict = SL_HISTORY_CHANGED;
    else if (s->low >= -h->within && s->high <= h->within)
        s->verdict = SL_HISTORY_SAME;
    s->settled = s->verdict == SL_HISTORY_SAME ||
                 (s->verdict == SL_HISTORY_CHANGED && half <= fmax(h->within / 2, fabs(s->change) / 4));
}

/* The middle of a step that is to be halved; h->commits: it is not. */
static size_t middle_of(const struct sl_history *h, const struct sl_history_step *s)
{
    bool small = s->low >= -h->within && s->high <= h->within;

    if (s->verdict != SL_HISTORY_CHANGED || small || s->new - s->old < 2)
        return h->commits;
    return nearest(h, s->old + (s->new - s->old) / 2, s->old + 1, s->new - 1);
}

static size_t steps_of(const struct wanted *w, struct sl_history_step *step)
{
    size_t n = 0, old = w->h->commits;

    for (size_t c = 0; c < w->h->commits; c++) {
        if (!w->is[c])
            continue;
        if (old < w->h->commits) {
            step[n] = (struct sl_history_step){.old = old, .new = c};
            judge(w, &step[n++]);
        }
        old = c;
    }
    return n;
}

size_t sl_history_steps(const struct sl_history *h, struct sl_history_step **step)
{
    struct wanted w = {h, sl_alloc(h->commits * sizeof *w.is), sl_alloc(h->commits * sizeof *w.costs), 0};
    size_t first = h->first < h->commits ? h->first : h->commits, n;
    bool more = true;

    sort_scores(&w);
    *step = sl_alloc(h->commits * sizeof **step);
    for (size_t k = 0; k < first; k++) {
        size_t c = nearest(h, k * (h->commits - 1) / (first - 1), 0, h->commits - 1);
        if (c < h->commits)
            w.is[c] = true;
    }
    /* those in the middle that have joined once stay, though later rounds may make the halving less sure */
    for (size_t c = 0; c < h->commits; c++)
        w.is[c] |= w.costs[c] && !h->broken[c];
    do {
        n = steps_of(&w, *step);
        more = false;
        for (size_t k = 0; k < n; k++) {
            size_t c = middle_of(h, &(*step)[k]);
            if (c < h->commits)
                more = w.is[c] = true;
        }
    } while (more);
    for (size_t c = 0; c < h->commits; c++)
        free(w.costs[c]);
    free(w.costs);
    free(w.is);
    return n;
}

size_t sl_history_round(const struct sl_history *h, uint64_t *random, size_t *commit)
{
    struct sl_history_step *step;
    size_t steps = sl_history_steps(h, &step), n = 0;

    for (size_t k = 0; k < steps; k++) {
        if (step[k].settled)
            continue;
        if (!n || commit[n - 1] != step[k].old)
            commit[n++] = step[k].old;
        commit[n++] = step[k].new;
    }
    free(step);
    for (size_t i = n; i > 1; i--) {
        size_t other = sl_random_below(random, i), c = commit[other];
        commit[other] = commit[i - 1];
        commit[i - 1] = c;
    }
    return n;
}
