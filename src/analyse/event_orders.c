/* SPDX-License-Identifier: Apache-2.0 */
/* Comparing orderings is comparing memory, since what happened is one number (root_events.c). */
#include "analyse/event_orders.h"
#include "analyse/ext.h"
#include "base/hash.h"

#include <stdlib.h>

/* ---- groups ---- */

static struct sl_ordering *add_ordering(struct sl_sequences *s, const uint32_t *code, size_t n, uint64_t hash)
{
    struct sl_ordering *o;

    if (s->n == s->cap)
        s->v = sl_vec_grow(s->v, &s->cap, sizeof *s->v);
    while (s->steps + n > s->code_cap)
        s->code = sl_vec_grow(s->code, &s->code_cap, sizeof *s->code);
    while (s->steps + n > s->step_cap)
        s->step = sl_vec_grow(s->step, &s->step_cap, sizeof *s->step);
    o = &s->v[s->n++];
    *o = (struct sl_ordering){.at = s->steps, .n = (uint32_t)n, .hash = hash};
    if (n)
        memcpy(s->code + s->steps, code, n * sizeof *code);
    for (size_t i = 0; i < n; i++)
        s->step[s->steps + i] = (struct sl_step){.min_ns = UINT64_MAX};
    s->steps += n;
    return o;
}

static struct sl_ordering *find_ordering(struct sl_sequencing *m, const uint32_t *code, size_t n)
{
    struct sl_sequences *s = m->s;
    uint64_t hash = sl_hash(code, n * sizeof *code);
    size_t at = hash;

    for (uint32_t i; sl_map_next(&m->by_code, hash, &at, &i);) {
        struct sl_ordering *o = &s->v[i];
        if (o->hash == hash && o->n == n && (!n || !memcmp(s->code + o->at, code, n * sizeof *code)))
            return o;
    }
    sl_map_add(&m->by_code, hash, (uint32_t)s->n);
    return add_ordering(s, code, n, hash);
}

void sl_sequences_add(struct sl_sequencing *m, const struct sl_timed_event *v, size_t n)
{
    struct sl_ordering *o;

    while (n > m->codes.cap)
        m->codes.v = sl_vec_grow(m->codes.v, &m->codes.cap, sizeof *m->codes.v);
    for (size_t i = 0; i < n; i++)
        m->codes.v[i] = v[i].code;
    o = find_ordering(m, m->codes.v, n);
    o->count++;
    m->s->roots++;
    for (size_t i = 0; i < n; i++) {
        struct sl_step *t = &m->s->step[o->at + i];
        /* in order of time, so never negative; unsigned, because times of garbage may be further apart than 2^63 */
        uint64_t d = i ? (uint64_t)v[i].time_ns - (uint64_t)v[i - 1].time_ns : 0;
        t->sum_ns += d;
        t->min_ns = d < t->min_ns ? d : t->min_ns;
        t->max_ns = d > t->max_ns ? d : t->max_ns;
    }
}

static int by_count(const void *a, const void *b, void *arg)
{
    const struct sl_ordering *x = a, *y = b;
    const uint32_t *code = ((const struct sl_sequences *)arg)->code;

    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    for (uint32_t i = 0; i < x->n && i < y->n; i++)
        if (code[x->at + i] != code[y->at + i])
            return code[x->at + i] < code[y->at + i] ? -1 : 1;
    return (x->n > y->n) - (x->n < y->n);
}

void sl_sequences_finish(struct sl_sequencing *m)
{
    if (m->s->n)
        qsort_r(m->s->v, m->s->n, sizeof *m->s->v, by_count, m->s);
    sl_vec_free(&m->codes);
    sl_map_free(&m->by_code);
}

void sl_sequences_free(struct sl_sequences *s)
{
    free(s->v);
    free(s->code);
    free(s->step);
    *s = (struct sl_sequences){0};
}
