/* SPDX-License-Identifier: Apache-2.0 */
#include "writer/zone.h"
#include "base/clock.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

static const int64_t SECOND_NS = 1000000000;

struct sl_zone_steps *sl_zones_get(struct sl_zones *z, uint32_t root)
{
    uint64_t hash = sl_hash_mix(0, root);
    size_t at = hash;

    if (z->last && z->last->root == root)
        return z->last;
    for (uint32_t i; sl_map_next(&z->by_root, hash, &at, &i);)
        if (z->v.v[i]->root == root)
            return z->last = z->v.v[i];
    return NULL;
}

static struct sl_zone_steps *get_or_new(struct sl_zones *z, uint32_t root)
{
    struct sl_zone_steps *s = sl_zones_get(z, root);

    if (!s) {
        s = sl_alloc(sizeof *s);
        s->root = root;
        sl_map_add(&z->by_root, sl_hash_mix(0, root), (uint32_t)z->v.n);
        *sl_vec_add(&z->v) = s;
    }
    return s;
}

void sl_zones_learn(struct sl_zones *z, uint32_t root, int64_t since_ns, int64_t until_ns, int32_t offset_s)
{
    struct sl_zone_steps *s = get_or_new(z, root);
    size_t at;

    if (!s->learned)
        sl_vec_clear(&s->step);
    s->learned = true;
    s->how = "learned";
    for (at = s->step.n; at > 0 && s->step.v[at - 1].since_ns > since_ns; at--)
        ;
    for (size_t k = at > 0 ? at - 1 : 0; k < s->step.n && k <= at; k++) /* the same as what stands beside it? */
        if (s->step.v[k].offset_s == offset_s) {
            struct sl_zone_step *t = &s->step.v[k];
            t->since_ns = since_ns < t->since_ns ? since_ns : t->since_ns;
            t->until_ns = until_ns > t->until_ns ? until_ns : t->until_ns;
            return;
        }
    sl_vec_add(&s->step);
    memmove(&s->step.v[at + 1], &s->step.v[at], (s->step.n - 1 - at) * sizeof *s->step.v);
    s->step.v[at] = (struct sl_zone_step){since_ns, until_ns, offset_s, 0};
}

struct sl_zone_steps *sl_zones_copy(struct sl_zones *z, uint32_t root, const struct sl_zone_steps *of, const char *how)
{
    struct sl_zone_steps *s = get_or_new(z, root);

    sl_vec_clear(&s->step);
    for (size_t i = 0; i < of->step.n; i++)
        *sl_vec_add(&s->step) =
            (struct sl_zone_step){of->step.v[i].since_ns, of->step.v[i].until_ns, of->step.v[i].offset_s, 0};
    s->how = how;
    s->learned = true;
    return s;
}

struct sl_zone_steps *sl_zones_set(struct sl_zones *z, uint32_t root, int32_t offset_s, const char *how, bool learned)
{
    struct sl_zone_steps *s = get_or_new(z, root);

    sl_vec_clear(&s->step);
    *sl_vec_add(&s->step) = (struct sl_zone_step){INT64_MIN, INT64_MAX, offset_s, 0};
    s->how = how;
    s->learned = learned;
    return s;
}

void sl_zones_drop(struct sl_zones *z, uint32_t root)
{
    struct sl_zone_steps *s = sl_zones_get(z, root);

    if (s) {
        sl_vec_clear(&s->step);
        s->root = UINT32_MAX;
        s->learned = false;
        z->last = NULL;
    }
}

/* Clocks are set at full quarters of an hour: the last one before the later offset was seen first, if that fits. */
static int64_t step_time(const struct sl_zone_step *before, const struct sl_zone_step *after)
{
    const int64_t quarter = 900 * SECOND_NS;
    int64_t t = sl_time_sub(after->since_ns, (after->since_ns % quarter + quarter) % quarter);

    return t > before->until_ns ? t : after->since_ns;
}

/* How far t lies outside of [from, to]. */
static uint64_t outside(int64_t t, int64_t from, int64_t to)
{
    return t < from ? (uint64_t)from - (uint64_t)t : t > to ? (uint64_t)t - (uint64_t)to : 0;
}

/*
 * The offset that makes the time possible: each step has its stretch, between two settings of the clock and within what
 * was seen of the run at all; the one from which the time is least outside is meant.  An hour that a clock repeats is
 * ambiguous only if the run lasted through it, and is then taken as the later one.
 */
struct sl_zone_step *sl_zone_step_of(struct sl_zone_steps *z, int64_t local_ns)
{
    uint64_t best = UINT64_MAX;
    size_t found = 0, n = z->step.n;

    if (n == 1)
        return &z->step.v[0];
    for (size_t i = 0; i < n; i++) {
        int64_t t = sl_time_sub(local_ns, z->step.v[i].offset_s * SECOND_NS);
        int64_t from =
            i == 0 ? sl_time_sub(z->step.v[0].since_ns, 60 * SECOND_NS) : step_time(&z->step.v[i - 1], &z->step.v[i]);
        int64_t to = i == n - 1 ? sl_time_add(z->step.v[i].until_ns, 60 * SECOND_NS)
                                : sl_time_sub(step_time(&z->step.v[i], &z->step.v[i + 1]), 1);
        uint64_t off = outside(t, from, to);
        if (off <= best) {
            best = off;
            found = i;
        }
    }
    return &z->step.v[found];
}

void sl_zones_free(struct sl_zones *z)
{
    for (size_t i = 0; i < z->v.n; i++) {
        sl_vec_free(&z->v.v[i]->step);
        free(z->v.v[i]);
    }
    sl_vec_free(&z->v);
    sl_map_free(&z->by_root);
}
