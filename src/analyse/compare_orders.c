/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/compare_orders.h"
#include "analyse/kernels/bootstrap.h"
#include "analyse/kernels/quantile.h"

#include <math.h>
#include <stdlib.h>

/* ---- events: from the codes of each side to common ones ---- */

struct codes {
    uint32_t *v, *common;
    size_t n;
};

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* All codes of a side, each once.  A history of one event has no transition. */
static struct codes codes_of(const struct sl_transitions *t)
{
    struct codes c = {.v = sl_alloc((2 * t->kind.n + t->seq.n) * sizeof *c.v)};
    size_t n = 0;

    for (size_t i = 0; i < t->kind.n; i++) {
        c.v[n++] = t->kind.v[i].from;
        c.v[n++] = t->kind.v[i].to;
    }
    for (size_t i = 0; i < t->seq.n; i++)
        if (t->seq.v[i].n == 1)
            c.v[n++] = t->seq.code[t->seq.v[i].at];
    if (n)
        qsort(c.v, n, sizeof *c.v, ascending);
    for (size_t i = 0; i < n; i++)
        if (!i || c.v[i] != c.v[i - 1])
            c.v[c.n++] = c.v[i];
    c.common = sl_alloc(c.n * sizeof *c.common);
    return c;
}

static struct sl_diff_event event_of(const struct sl_transitions *t, uint32_t code)
{
    return (struct sl_diff_event){.span_type = sl_root_events_span_type(&t->names, code),
                                  .event_type = sl_root_events_event_type(&t->names, code)};
}

static int by_name(const struct sl_diff_event *x, const struct sl_diff_event *y)
{
    int order = strcmp(x->span_type, y->span_type);
    return order ? order : strcmp(x->event_type, y->event_type);
}

/* Codes of either side ascend as their names do. */
static void join_codes(struct sl_diff *d, struct codes c[2])
{
    for (size_t i = 0, k = 0; i < c[0].n || k < c[1].n;) {
        struct sl_diff_event a, b, *e = sl_vec_add(&d->event);
        int order = i == c[0].n ? 1 : k == c[1].n ? -1 : 0;
        if (order <= 0)
            a = event_of(&d->t[0], c[0].v[i]);
        if (order >= 0)
            b = event_of(&d->t[1], c[1].v[k]);
        if (!order)
            order = by_name(&a, &b);
        *e = order <= 0 ? a : b;
        e->in[0] = order <= 0;
        e->in[1] = order >= 0;
        if (e->in[0])
            c[0].common[i++] = (uint32_t)d->event.n - 1;
        if (e->in[1])
            c[1].common[k++] = (uint32_t)d->event.n - 1;
    }
}

static uint32_t common(const struct codes *c, uint32_t code)
{
    const uint32_t *at = bsearch(&code, c->v, c->n, sizeof *c->v, ascending);
    return c->common[at - c->v];
}

static void translate(struct sl_transitions *t, struct codes *c)
{
    for (size_t i = 0; i < t->kind.n; i++) {
        t->kind.v[i].from = common(c, t->kind.v[i].from);
        t->kind.v[i].to = common(c, t->kind.v[i].to);
    }
    for (size_t i = 0; i < t->seq.steps; i++)
        t->seq.code[i] = common(c, t->seq.code[i]);
    free(c->v);
    free(c->common);
}

/* ---- changes ---- */

/*
 * Not even the range from the least to the greatest of n values holds their distribution's p-quantile with 95 %: an
 * interval from resamples would claim what is not known.  6 values do for a median, 59 for p = 0.95.
 */
static bool too_few(size_t n, double p)
{
    return 1 - pow(p, (double)n) - pow(1 - p, (double)n) < 0.95;
}

static struct sl_shift shift_of(const double *a, size_t na, const double *b, size_t nb, double p)
{
    struct sl_shift s = {sl_quantile_sorted(a, na, p), sl_quantile_sorted(b, nb, p), .low = NAN, .high = NAN};
    struct sl_interval i;

    s.change = s.b - s.a;
    if (!too_few(na, p) && !too_few(nb, p) &&
        !sl_bootstrap_quantile(&i, a, na, b, nb, p, 0.95, SL_BOOTSTRAP_ROUNDS, NULL)) {
        s.low = i.low;
        s.high = i.high;
    }
    return s;
}

static struct sl_diff_row row_of(const double *a, size_t na, const double *b, size_t nb)
{
    return (struct sl_diff_row){.n = {na, nb},
                                .median = shift_of(a, na, b, nb, 0.5),
                                .p95 = shift_of(a, na, b, nb, 0.95),
                                .p99 = shift_of(a, na, b, nb, 0.99)};
}

static void add_transition(struct sl_diff *d, const struct sl_transition *a, const struct sl_transition *b)
{
    static const struct sl_transition none;
    const struct sl_transition *x = a ? a : &none, *y = b ? b : &none;
    double often_a = (double)x->n / (double)d->t[0].roots, often_b = (double)y->n / (double)d->t[1].roots;
    struct sl_diff_row *r = sl_vec_add(&d->transition);

    *r = row_of(x->v, x->n, y->v, y->n);
    r->from = a ? a->from : b->from;
    r->to = a ? a->to : b->to;
    r->alike = a && b && fmin(often_a, often_b) >= 0.9 * fmax(often_a, often_b);
    r->weight = a && b ? fabs(r->median.change) * fmin(often_a, often_b)
                : a    ? r->median.a * often_a
                       : r->median.b * often_b;
}

static int by_codes(const struct sl_transition *x, const struct sl_transition *y)
{
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

static int group(const struct sl_diff_row *r)
{
    return !r->n[0] || !r->n[1] ? 2 : !sl_diff_sure(r);
}

static int by_weight(const void *a, const void *b)
{
    const struct sl_diff_row *x = a, *y = b;

    if (group(x) != group(y))
        return group(x) - group(y);
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

static void join_transitions(struct sl_diff *d)
{
    const struct sl_transition *a = d->t[0].kind.v, *b = d->t[1].kind.v;
    size_t na = d->t[0].kind.n, nb = d->t[1].kind.n;

    while (na || nb) {
        int order = !na ? 1 : !nb ? -1 : by_codes(a, b);
        add_transition(d, order <= 0 ? a : NULL, order >= 0 ? b : NULL);
        if (order <= 0)
            a++, na--;
        if (order >= 0)
            b++, nb--;
    }
    if (d->transition.n)
        qsort(d->transition.v, d->transition.n, sizeof *d->transition.v, by_weight);
}

/* ---- groups ---- */

static void join_groups(struct sl_diff *d)
{
    static const struct sl_history_group none;

    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < d->t[side].group.n; i++) {
            const struct sl_history_group *g = &d->t[side].group.v[i], *other = &none;
            for (size_t k = 0; k < d->t[!side].group.n; k++)
                if (!strcmp(d->t[!side].group.v[k].name, g->name))
                    other = &d->t[!side].group.v[k];
            if (side && other != &none)
                continue;
            *sl_vec_add(&d->group) = (struct sl_diff_group){g->name, side ? row_of(other->v, other->n, g->v, g->n)
                                                                          : row_of(g->v, g->n, other->v, other->n)};
        }
}

/* ---- orderings ---- */

struct known {
    const struct sl_ordering *o;
    const uint32_t *code;
};

static int by_steps(const void *a, const void *b)
{
    const struct known *x = a, *y = b;

    if (x->o->n != y->o->n)
        return x->o->n < y->o->n ? -1 : 1;
    return x->o->n ? memcmp(x->code, y->code, x->o->n * sizeof *x->code) : 0;
}

static struct known known_of(const struct sl_sequences *s, size_t i)
{
    return (struct known){&s->v[i], s->code ? s->code + s->v[i].at : NULL};
}

/* What `side` has and the other has not, in the order of seq.v. */
static void find_lone(struct sl_diff *d, int side)
{
    const struct sl_sequences *s = &d->t[side].seq, *other = &d->t[!side].seq;
    struct known *v = sl_alloc(other->n * sizeof *v);

    for (size_t i = 0; i < other->n; i++)
        v[i] = known_of(other, i);
    if (other->n)
        qsort(v, other->n, sizeof *v, by_steps);
    for (size_t i = 0; i < s->n; i++) {
        struct known k = known_of(s, i);
        if (!bsearch(&k, v, other->n, sizeof *v, by_steps))
            *sl_vec_add(&d->lone) = (struct sl_diff_lone){side, i};
    }
    free(v);
}

/* ---- all of it ---- */

void sl_diff_make(struct sl_diff *d)
{
    struct codes c[2] = {codes_of(&d->t[0]), codes_of(&d->t[1])};

    join_codes(d, c);
    translate(&d->t[0], &c[0]);
    translate(&d->t[1], &c[1]);
    d->history = row_of(d->t[0].history, d->t[0].histories, d->t[1].history, d->t[1].histories);
    join_groups(d);
    join_transitions(d);
    find_lone(d, 0);
    find_lone(d, 1);
}

void sl_diff_free(struct sl_diff *d)
{
    sl_transitions_free(&d->t[0]);
    sl_transitions_free(&d->t[1]);
    sl_vec_free(&d->event);
    sl_vec_free(&d->transition);
    sl_vec_free(&d->lone);
    sl_vec_free(&d->group);
}
