/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread of a trace: which begin belongs to which end, which call lies in which, and which call an instant or the
 * end of a flow is on.  One pass in the order of time, with a stack of what is open.
 *
 * B and E are paired as the format says: an E ends the innermost call, but where it has a name that no open call has,
 * it ends nothing; calls inside of the one that it ends, end with it.  X lie in what is open when they begin and does
 * not end before them.
 */
#include "read/trace/model_internal.h"

#include <stdlib.h>

enum { ROUNDING_NS = 1000 }; /* begin and duration are rounded apart, to microseconds or by floating point */

struct nesting {
    struct sl_trace_model *t;
    struct sl_model_thread *th;
    uint32_t thread;
    SL_VEC(struct sl_model_open) stack;
    SL_VEC(uint32_t) wait; /* flows that end in the next call that begins */
};

/* There may be many names, and many threads that have but a few of them. */
static typeof(*((struct sl_trace_model *)0)->of_name.v) *of_name(struct sl_trace_model *t, uint32_t name)
{
    while (t->of_name.n <= name)
        sl_vec_add(&t->of_name);
    if (t->of_name.v[name].round != t->round)
        t->of_name.v[name] = (typeof(*t->of_name.v)){.round = t->round};
    return &t->of_name.v[name];
}

static struct sl_model_call *call_of(struct nesting *s, size_t at)
{
    return &s->th->calls.v[s->stack.v[at].call];
}

/* The number is that of the name on the thread: what was added to a file later does not change it, but for calls that
 * began before. */
static void begin(struct nesting *s, const struct sl_model *h, int64_t end)
{
    uint32_t call = (uint32_t)s->th->calls.n;
    struct sl_model_call *c = sl_vec_add(&s->th->calls);

    *c = (struct sl_model_call){.begin = h->ts,
                                .end = end,
                                .place = h->place,
                                .name = h->name,
                                .category = h->category,
                                .first_more = h->more,
                                .last_more = SL_MODEL_NONE,
                                .outer = s->stack.n ? s->stack.v[s->stack.n - 1].call : SL_MODEL_NONE,
                                .number = ++of_name(s->t, h->name)->calls};
    *sl_vec_add(&s->stack) = (struct sl_model_open){call, end};
    for (size_t i = 0; i < s->wait.n; i++)
        s->t->flows.v[s->wait.v[i]].call = call;
    sl_vec_clear(&s->wait);
}

/* Without X that are over at this time; at the moment of their end they still hold points, but nothing that begins. */
static size_t not_over(const struct sl_model_open *open, size_t n, int64_t now, bool point)
{
    while (n && open[n - 1].end != INT64_MAX && (open[n - 1].end < now || (open[n - 1].end == now && !point)))
        n--;
    return n;
}

static void drop_over(struct nesting *s, int64_t now, bool point)
{
    s->stack.n = not_over(s->stack.v, s->stack.n, now, point);
}

size_t sl_model_around(const struct sl_model_open *open, size_t n, const struct sl_model *h)
{
    n = not_over(open, n, h->ts, false);
    /* What ends before this one does, can hold nothing later that does not lie in this one as well. */
    while (n && open[n - 1].end < h->end && (uint64_t)h->end - (uint64_t)open[n - 1].end > ROUNDING_NS)
        n--;
    return n;
}

static void begin_whole(struct nesting *s, const struct sl_model *h)
{
    s->stack.n = sl_model_around(s->stack.v, s->stack.n, h);
    begin(s, h, h->end);
}

static void begin_mark(struct nesting *s, const struct sl_model *h)
{
    drop_over(s, h->ts, false);
    begin(s, h, INT64_MAX);
    of_name(s->t, h->name)->open++;
}

/* False: it ends nothing. */
static bool end(struct nesting *s, const struct sl_model *h)
{
    size_t i = s->stack.n;

    if (h->name && !of_name(s->t, h->name)->open)
        return false;
    while (i > 0 && (s->stack.v[i - 1].end != INT64_MAX || (h->name && call_of(s, i - 1)->name != h->name)))
        i--;
    if (!i)
        return false;
    call_of(s, i - 1)->last_more = h->more;
    for (size_t k = i - 1; k < s->stack.n; k++)
        if (s->stack.v[k].end == INT64_MAX) {
            struct sl_model_call *c = call_of(s, k);
            c->end = h->ts;
            of_name(s->t, c->name)->open--;
        }
    s->stack.n = i - 1;
    return true;
}

static void point(struct nesting *s, struct sl_model *h)
{
    struct sl_model_flow f = {*h, SL_MODEL_NONE};

    drop_over(s, h->ts, true);
    h->end = s->stack.n ? (int64_t)s->stack.v[s->stack.n - 1].call : -1;
    if (!strchr("stf", h->phase))
        return;
    if (h->end >= 0)
        f.call = (uint32_t)h->end;
    if (h->phase == 'f' && !h->enclosing)
        *sl_vec_add(&s->wait) = (uint32_t)s->t->flows.n;
    *sl_vec_add(&s->t->flows) = f;
}

static void reject(struct nesting *s, const struct sl_model *h, const char *why)
{
    *sl_vec_add(&s->t->rejects) = (typeof(*s->t->rejects.v)){h->place, h->name, why};
}

/* ---- the order of what happened ---- */

/* How many begins and ends would have no other half in this order. */
static size_t count_single(struct sl_trace_model *t, const sl_model_list *l)
{
    SL_VEC(uint32_t) stack = {0};
    size_t single = 0;

    t->round++;
    for (size_t i = 0; i < l->n; i++) {
        const struct sl_model *h = &l->v[i];
        if (h->phase == 'B') {
            *sl_vec_add(&stack) = h->name;
            of_name(t, h->name)->open++;
        } else if (h->phase == 'E' && (h->name ? of_name(t, h->name)->open > 0 : stack.n > 0)) {
            uint32_t name;
            do {
                name = stack.v[--stack.n];
                of_name(t, name)->open--;
                single += h->name && name != h->name;
            } while (h->name && name != h->name);
        } else if (h->phase == 'E') {
            single++;
        }
    }
    single += stack.n;
    sl_vec_free(&stack);
    return single;
}

/*
 * Some write what threads did in pieces of any order, so times say what was first; but where a clock was set back, the
 * order of the file does.  The one that leaves less alone is right.
 */
static void order_marks(struct sl_trace_model *t, sl_model_list *l)
{
    sl_model_list as_written = {0};
    size_t i = 1;

    while (i < l->n && l->v[i - 1].ts <= l->v[i].ts)
        i++;
    if (i >= l->n)
        return;
    for (i = 0; i < l->n; i++)
        *sl_vec_add(&as_written) = l->v[i];
    sl_model_sort(l);
    if (count_single(t, &as_written) < count_single(t, l))
        memcpy(l->v, as_written.v, l->n * sizeof *l->v);
    sl_vec_free(&as_written);
}

/* By begin, the longer first.  Of equal ones, the one written last where they were written when they ended. */
static int by_begin(const void *x, const void *y)
{
    const struct sl_model *a = x, *b = y;

    if (a->ts != b->ts)
        return a->ts < b->ts ? -1 : 1;
    if (a->end != b->end)
        return a->end > b->end ? -1 : 1;
    return a->thread < b->thread ? -1 : a->thread > b->thread;
}

void sl_model_order_whole(sl_model_list *l, uint32_t thread)
{
    size_t back = 0, forth = 0;

    for (size_t i = 1; i < l->n; i++) {
        back += l->v[i].ts < l->v[i - 1].ts;
        forth += l->v[i].ts > l->v[i - 1].ts && l->v[i].end < l->v[i - 1].end;
    }
    for (size_t i = 0; i < l->n; i++) /* all are of this thread: the field serves as the order in the file */
        l->v[i].thread = back > forth ? (uint32_t)(l->n - i) : (uint32_t)i;
    if (l->n > 1)
        qsort(l->v, l->n, sizeof *l->v, by_begin);
    for (size_t i = 0; i < l->n; i++)
        l->v[i].thread = thread;
}

/* Begins and ends have become calls; those are many, and the writer needs the memory. */
static void keep_points(sl_model_list *marks)
{
    sl_model_list points = {0};

    for (size_t i = 0; i < marks->n; i++)
        if (strchr("iIR", marks->v[i].phase))
            *sl_vec_add(&points) = marks->v[i];
    sl_vec_free(marks);
    *marks = points;
}

void sl_trace_model_nest(struct sl_trace_model *t, uint32_t thread)
{
    struct nesting s = {.t = t, .th = &t->threads.v[thread], .thread = thread};
    sl_model_list *marks = &s.th->marks, *whole = &s.th->whole;
    size_t i = 0, k = 0;

    order_marks(t, marks);
    sl_model_order_whole(whole, thread);
    t->round++;
    while (i < marks->n || k < whole->n) {
        struct sl_model *m = i < marks->n ? &marks->v[i] : NULL, *x = k < whole->n ? &whole->v[k] : NULL;
        /* at one time: a begin or an end goes before X, and X before a point, which is on it */
        bool mark = m && (!x || m->ts < x->ts || (m->ts == x->ts && (m->phase == 'B' || m->phase == 'E')));
        if (!mark) {
            begin_whole(&s, x);
            k++;
            continue;
        }
        i++;
        if (m->phase == 'B')
            begin_mark(&s, m);
        else if (m->phase != 'E')
            point(&s, m);
        else if (!end(&s, m))
            reject(&s, m, "an end without a begin");
    }
    sl_vec_free(&s.stack);
    sl_vec_free(&s.wait);
    sl_vec_free(whole);
    keep_points(marks);
}
