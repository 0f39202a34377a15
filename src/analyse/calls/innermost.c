/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/calls/innermost.h"

#include <stdlib.h>

struct stretch {
    uint32_t call;
    int64_t from_ns, to_ns;
};
typedef SL_VEC(struct stretch) stretches;

struct edge {
    int64_t at_ns;
    uint32_t call;
    bool ends;
};

static int by_call(const void *a, const void *b)
{
    const struct stretch *x = a, *y = b;

    if (x->call != y->call)
        return x->call < y->call ? -1 : 1;
    return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

static int by_time(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;

    return (x->at_ns > y->at_ns) - (x->at_ns < y->at_ns);
}

/* A thread: what it lies in is not its own; calls of one are not side by side in the arrays. */
struct thread {
    int64_t from_ns, to_ns;
    uint32_t span, process;
};

static int by_process(const void *a, const void *b)
{
    const struct thread *x = a, *y = b;

    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    if (x->from_ns != y->from_ns)
        return x->from_ns < y->from_ns ? -1 : 1;
    return (x->span > y->span) - (x->span < y->span);
}

/* Threads with calls, by process, those that began first before others. */
static struct thread *find_threads(const struct sl_calls *c, uint32_t *n)
{
    uint32_t *of = sl_alloc(((size_t)c->g.n + 1) * sizeof *of); /* by span: its thread, plus 1 */
    struct thread *v = sl_alloc(((size_t)c->n + 1) * sizeof *v);

    *n = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        uint32_t span = c->g.parent[c->span[i]];
        struct thread *t;
        if (span == SL_NO_INDEX || c->g.parent[span] == SL_NO_INDEX)
            continue;
        if (!of[span]) {
            of[span] = ++*n;
            v[*n - 1] = (struct thread){c->begin_ns[i], c->end_ns[i], span, c->g.parent[span]};
        }
        t = &v[of[span] - 1];
        t->from_ns = c->begin_ns[i] < t->from_ns ? c->begin_ns[i] : t->from_ns;
        t->to_ns = c->end_ns[i] > t->to_ns ? c->end_ns[i] : t->to_ns;
    }
    free(of);
    qsort(v, *n, sizeof *v, by_process);
    return v;
}

static const struct thread *process_of(const struct thread *v, uint32_t n, uint32_t process)
{
    uint32_t low = 0, high = n;

    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (v[mid].process < process)
            low = mid + 1;
        else
            high = mid;
    }
    return v + low;
}

/* The innermost call of its process's first thread that each other thread lies in counts as around it. */
static void add_threads(stretches *inner, const struct sl_calls *c)
{
    uint32_t n;
    struct thread *v = find_threads(c, &n);
    uint32_t *around = sl_alloc(((size_t)n + 1) * sizeof *around);

    memset(around, 0xff, ((size_t)n + 1) * sizeof *around);
    for (uint32_t i = 0; i < c->n; i++) {
        uint32_t span = c->g.parent[c->span[i]];
        const struct thread *t = span == SL_NO_INDEX ? v + n : process_of(v, n, c->g.parent[span]);
        if (t == v + n || t->span != span)
            continue;
        for (const struct thread *o = t + 1; o < v + n && o->process == t->process && o->from_ns <= c->end_ns[i]; o++)
            if (o->from_ns >= c->begin_ns[i] && o->to_ns <= c->end_ns[i])
                around[o - v] = i; /* callers stand before what they call */
    }
    for (uint32_t i = 0; i < n; i++)
        if (around[i] != SL_NO_INDEX)
            *sl_vec_add(inner) = (struct stretch){around[i], v[i].from_ns, v[i].to_ns};
    free(around);
    free(v);
}

static void add_edges(struct edge *v, size_t *n, uint32_t call, int64_t from_ns, int64_t to_ns)
{
    if (to_ns > from_ns) {
        v[(*n)++] = (struct edge){from_ns, call, false};
        v[(*n)++] = (struct edge){to_ns, call, true};
    }
}

/* Of each call, the time between and around what is in it. */
static struct edge *find_edges(const struct sl_calls *c, const stretches *inner, size_t *n)
{
    struct edge *v = sl_alloc((2 * (inner->n + c->n) + 1) * sizeof *v);
    size_t k = 0;

    *n = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        int64_t at = c->begin_ns[i], end = c->end_ns[i];
        for (; k < inner->n && inner->v[k].call == i; k++) {
            const struct stretch *s = &inner->v[k];
            add_edges(v, n, i, at, s->from_ns < end ? s->from_ns : end);
            at = s->to_ns > at ? s->to_ns : at;
        }
        add_edges(v, n, i, at, end);
    }
    qsort(v, *n, sizeof *v, by_time);
    return v;
}

/* Of damaged stores times can be centuries apart: sums wrap. */
static void add_ns(int64_t *to, int64_t ns, bool minus)
{
    *to = (int64_t)(minus ? (uint64_t)*to - (uint64_t)ns : (uint64_t)*to + (uint64_t)ns);
}

void sl_innermost_find(struct sl_innermost *out, const struct sl_calls *c)
{
    stretches inner = {0};
    struct edge *v;
    size_t n;
    double share = 0; /* sums until now */
    int64_t alone = 0;
    uint32_t open = 0;

    for (uint32_t i = 0; i < c->n; i++)
        if (c->caller[i] != SL_NO_INDEX)
            *sl_vec_add(&inner) = (struct stretch){c->caller[i], c->begin_ns[i], c->end_ns[i]};
    add_threads(&inner, c);
    if (inner.n)
        qsort(inner.v, inner.n, sizeof *inner.v, by_call);
    v = find_edges(c, &inner, &n);
    sl_vec_free(&inner);
    out->own_ns = sl_alloc(((size_t)c->n + 1) * sizeof *out->own_ns);
    out->share_ns = sl_alloc(((size_t)c->n + 1) * sizeof *out->share_ns);
    out->alone_ns = sl_alloc(((size_t)c->n + 1) * sizeof *out->alone_ns);
    for (size_t i = 0; i < n; i++) {
        uint32_t call = v[i].call;
        int64_t since = i ? v[i].at_ns : 0;
        bool begins = !v[i].ends;
        if (i)
            add_ns(&since, v[i - 1].at_ns, true);
        share += open ? (double)since / open : 0;
        add_ns(&alone, open == 1 ? since : 0, false);
        open = v[i].ends ? open - 1 : open + 1;
        out->most = open > out->most && i + 1 < n && v[i + 1].at_ns > v[i].at_ns ? open : out->most;
        add_ns(&out->own_ns[call], v[i].at_ns, begins);
        out->share_ns[call] += begins ? -share : share;
        add_ns(&out->alone_ns[call], alone, begins);
    }
    free(v);
}

void sl_innermost_free(struct sl_innermost *m)
{
    free(m->own_ns);
    free(m->share_ns);
    free(m->alone_ns);
    *m = (struct sl_innermost){0};
}
