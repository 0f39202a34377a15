/* SPDX-License-Identifier: Apache-2.0 */
#include "bind/align.h"

#include <stdlib.h>

enum { CELLS = 20 * 1000 * 1000, NEVER = UINT32_MAX / 4 };

struct dp {
    const struct sl_align_item *a, *b;
    uint32_t na, nb;
    double slack;
    int64_t low; /* of j - i in the band; */
    uint32_t width;
    uint32_t *f, *g; /* cost of the first i and j; of those from i and j on */
};

/* Not `<`: what is not known fits. */
static bool fits(const struct dp *d, uint32_t i, uint32_t j)
{
    const struct sl_align_item *a = &d->a[i], *b = &d->b[j];

    if (a->label && b->label && a->label != b->label)
        return false;
    return !(a->from_s < b->from_s - d->slack) && !(a->to_s > b->to_s + d->slack) && !(a->from_s > b->to_s + d->slack);
}

/* The cell of (i, j); NULL outside of the band. */
static uint32_t *cell(const struct dp *d, uint32_t *t, int64_t i, int64_t j)
{
    int64_t k = j - i - d->low;

    return k < 0 || k >= d->width || j < 0 || j > d->nb ? NULL : &t[(size_t)i * d->width + (size_t)k];
}

static uint32_t plus(const uint32_t *from, uint32_t cost)
{
    return from && *from < NEVER && cost < NEVER - *from ? *from + cost : NEVER;
}

static uint32_t least(uint32_t x, uint32_t y)
{
    return x < y ? x : y;
}

static void fill(struct dp *d)
{
    for (int64_t i = 0; i <= d->na; i++)
        for (int64_t k = 0; k < d->width; k++) {
            int64_t j = i + d->low + k;
            uint32_t *c = cell(d, d->f, i, j), best = i || j ? NEVER : 0;
            if (!c)
                continue;
            if (i > 0)
                best = least(best, plus(cell(d, d->f, i - 1, j), d->a[i - 1].skip));
            if (j > 0)
                best = least(best, plus(cell(d, d->f, i, j - 1), d->b[j - 1].skip));
            if (i > 0 && j > 0 && fits(d, (uint32_t)i - 1, (uint32_t)j - 1))
                best = least(best, plus(cell(d, d->f, i - 1, j - 1), 0));
            *c = best;
        }
    for (int64_t i = d->na; i >= 0; i--)
        for (int64_t k = d->width - 1; k >= 0; k--) {
            int64_t j = i + d->low + k;
            uint32_t *c = cell(d, d->g, i, j), best = i < d->na || j < d->nb ? NEVER : 0;
            if (!c)
                continue;
            if (i < d->na)
                best = least(best, plus(cell(d, d->g, i + 1, j), d->a[i].skip));
            if (j < d->nb)
                best = least(best, plus(cell(d, d->g, i, j + 1), d->b[j].skip));
            if (i < d->na && j < d->nb && fits(d, (uint32_t)i, (uint32_t)j))
                best = least(best, plus(cell(d, d->g, i + 1, j + 1), 0));
            *c = best;
        }
}

/* What a[i] may be paired with, at no more than `limit` in all; and may it have none? */
static void choose(struct sl_align *out, const struct dp *d, uint32_t i, uint32_t limit)
{
    size_t first = out->pair.n;
    bool alone = false;

    for (int64_t k = 0; k < d->width; k++) {
        int64_t j = (int64_t)i + d->low + k;
        const uint32_t *f = cell(d, d->f, i, j), *over = cell(d, d->g, (int64_t)i + 1, j), *on;
        if (!f || *f >= NEVER)
            continue;
        alone |= over && plus(f, d->a[i].skip) <= limit && plus(over, plus(f, d->a[i].skip)) <= limit;
        if (j >= d->nb || !fits(d, i, (uint32_t)j) || out->pair.n - first >= SL_ALIGN_DOUBTS)
            continue;
        on = cell(d, d->g, (int64_t)i + 1, j + 1);
        if (on && plus(on, *f) <= limit)
            *sl_vec_add(&out->pair) = (struct sl_align_pair){i, (uint32_t)j, false};
    }
    if (out->pair.n == first + 1 && !alone && limit < SL_ALIGN_NEVER + SL_ALIGN_MARGIN)
        out->pair.v[first].certain = true;
}

/* ---- several at once ---- */

enum { HANDING_S = 1 }; /* handing over takes no longer */

struct lane {
    uint32_t lane;
    double last_s;
};

/* Since when b[j] may have been in somebody's hands: since the one before it left them. */
static double *in_hand_since(const struct sl_align_item *b, uint32_t nb, bool *several)
{
    double *since = sl_alloc(((size_t)nb + 1) * sizeof *since);
    SL_VEC(struct lane) lane = {0};

    for (uint32_t j = 0; j < nb; j++) {
        size_t k = 0;
        while (k < lane.n && lane.v[k].lane != b[j].lane)
            k++;
        since[j] = b[j].from_s - HANDING_S;
        if (k == lane.n)
            *sl_vec_add(&lane) = (struct lane){b[j].lane, b[j].from_s};
        else if (lane.v[k].last_s > since[j])
            since[j] = lane.v[k].last_s;
        lane.v[k].last_s = b[j].from_s;
    }
    *several = lane.n > 1;
    sl_vec_free(&lane);
    return since;
}

/* What somebody else handed over at the same time may have overtaken it. */
static void doubt_races(struct sl_align *out, const struct dp *d)
{
    bool several;
    double *since = in_hand_since(d->b, d->nb, &several);

    for (size_t p = 0, n = out->pair.n; several && p < n; p++) {
        struct sl_align_pair v = out->pair.v[p];
        const struct sl_align_item *b = &d->b[v.b];
        if (!v.certain)
            continue;
        for (uint32_t j = v.b > 256 ? v.b - 256 : 0; j < d->nb && j < v.b + 256; j++)
            if (d->b[j].lane != b->lane && since[j] < b->from_s && since[v.b] < d->b[j].from_s && fits(d, v.a, j)) {
                out->pair.v[p].certain = false;
                *sl_vec_add(&out->pair) = (struct sl_align_pair){v.a, j, false};
            }
    }
    free(since);
}

void sl_align(struct sl_align *out, const struct sl_align_item *a, uint32_t na, const struct sl_align_item *b,
              uint32_t nb, double slack_s)
{
    struct dp d = {.a = a, .b = b, .na = na, .nb = nb, .slack = slack_s};
    int64_t differ = (int64_t)nb - na;

    *out = (struct sl_align){0};
    /* A path that leaves a band of this much on either side leaves out as many of both, at 1 each at least. */
    for (uint32_t wide = 16;; wide *= 4) {
        uint64_t width = (uint64_t)(differ < 0 ? -differ : differ) + 2 * (uint64_t)wide + 1;
        uint32_t best;
        if (width * ((uint64_t)na + 1) > CELLS) {
            out->given_up = true;
            return;
        }
        d.low = (differ < 0 ? differ : 0) - (int64_t)wide;
        d.width = (uint32_t)width;
        d.f = sl_alloc((size_t)width * ((size_t)na + 1) * sizeof *d.f);
        d.g = sl_alloc((size_t)width * ((size_t)na + 1) * sizeof *d.g);
        fill(&d);
        best = *cell(&d, d.f, na, nb);
        if (best + SL_ALIGN_MARGIN < wide || wide > na + nb) {
            out->cost = best;
            for (uint32_t i = 0; i < na && best < NEVER; i++)
                choose(out, &d, i, best + SL_ALIGN_MARGIN);
            doubt_races(out, &d);
        }
        free(d.f);
        free(d.g);
        if (best + SL_ALIGN_MARGIN < wide || wide > na + nb)
            return;
    }
}

void sl_align_free(struct sl_align *al)
{
    sl_vec_free(&al->pair);
}
