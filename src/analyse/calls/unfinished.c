/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/calls/unfinished.h"
#include "base/mem.h"

#include <stdlib.h>

struct work {
    struct sl_unfinished *o;
    const struct sl_graph *g;
    const struct sl_events *e;
    uint32_t begin, end, call, process, thread; /* types; SL_NO_INDEX: there is none of it */
    uint32_t *above;                            /* by span, of processes: the call they lie in */
    uint32_t *around;                           /* by span, of processes: the process they lie in */
    int64_t *over;                              /* by span, of processes: when they were over; INT64_MIN: not known */
    unsigned char *found;                       /* ... and this is known */
};

uint32_t sl_unfinished_root(const struct sl_graph *g, uint32_t span)
{
    for (int k = 0; k < SL_UNFINISHED_CHAIN && g->parent[span] != SL_NO_INDEX; k++)
        span = g->parent[span];
    return span;
}

/* INT64_MIN: it has none. */
static int64_t first(const struct work *w, uint32_t span, uint32_t type)
{
    for (uint32_t k = w->e->start[span]; k < w->e->start[span + 1]; k++)
        if (sl_number_at(&w->e->type, k) == type)
            return w->e->time_ns[k];
    return INT64_MIN;
}

static int64_t last(const struct work *w, uint32_t span, uint32_t type)
{
    for (uint32_t k = w->e->start[span + 1]; k-- > w->e->start[span];)
        if (sl_number_at(&w->e->type, k) == type)
            return w->e->time_ns[k];
    return INT64_MIN;
}

static void find_last(struct work *w)
{
    for (uint32_t i = 0; i < w->g->n; i++)
        w->o->until[i] = w->o->below[i] = INT64_MIN;
    for (uint32_t i = 0; i < w->g->n; i++)
        if (w->e->start[i + 1] > w->e->start[i]) {
            uint32_t root = sl_unfinished_root(w->g, i);
            int64_t t = w->e->time_ns[w->e->start[i + 1] - 1];
            if (t > w->o->until[root])
                w->o->until[root] = t;
        }
}

/* The innermost: that which began last. */
static void find_above(struct work *w)
{
    const struct sl_graph *g = w->g;

    for (uint32_t i = 0; i < g->n; i++) {
        bool call = w->call != SL_NO_INDEX && g->type[i] == w->call;
        if (!call && g->type[i] != w->process && g->type[i] != w->thread)
            continue;
        for (uint32_t k = g->sub.start[i]; k < g->sub.start[i + 1]; k++) {
            uint32_t to = g->sub.to[k];
            if (to == i || g->type[to] != w->process)
                continue;
            if (!call)
                w->around[to] = sl_unfinished_root(g, i);
            else if (w->above[to] == SL_NO_INDEX || first(w, i, w->begin) >= first(w, w->above[to], w->begin))
                w->above[to] = i;
        }
    }
}

/* The call that a process lies in, or those around it; SL_NO_INDEX. */
static uint32_t call_above(const struct work *w, uint32_t p)
{
    for (int k = 0; k < SL_UNFINISHED_CHAIN && p != SL_NO_INDEX; k++, p = w->around[p])
        if (w->above[p] != SL_NO_INDEX)
            return w->above[p];
    return SL_NO_INDEX;
}

static int64_t find_over(struct work *w, uint32_t p, int depth)
{
    uint32_t call;
    int64_t t;

    if (w->found[p])
        return w->over[p];
    t = last(w, p, w->end);
    call = t == INT64_MIN ? call_above(w, p) : SL_NO_INDEX;
    if (call != SL_NO_INDEX) {
        t = last(w, call, w->end);
        if (t == INT64_MIN && depth < SL_UNFINISHED_CHAIN)
            t = find_over(w, sl_unfinished_root(w->g, call), depth + 1);
    }
    w->found[p] = 1;
    return w->over[p] = t;
}

void sl_unfinished_find(struct sl_unfinished *o, const struct sl_graph *g, const struct sl_events *e)
{
    struct work w = {.o = o, .g = g, .e = e};
    size_t n = (size_t)g->n + 1;

    w.begin = sl_names_find(&g->names, "begin");
    w.end = sl_names_find(&g->names, "end");
    w.call = sl_names_find(&g->names, SL_CALL_TYPE);
    w.process = sl_names_find(&g->names, "trace.process");
    w.thread = sl_names_find(&g->names, "trace.thread");
    o->until = sl_alloc(n * sizeof *o->until);
    o->below = sl_alloc(n * sizeof *o->below);
    w.over = sl_alloc(n * sizeof *w.over);
    w.found = sl_alloc(n);
    memset(w.above = sl_alloc(n * sizeof *w.above), 0xff, n * sizeof *w.above);
    memset(w.around = sl_alloc(n * sizeof *w.around), 0xff, n * sizeof *w.around);
    find_last(&w);
    if (w.process != SL_NO_INDEX)
        find_above(&w);
    for (uint32_t i = 0; i < g->n; i++) {
        uint32_t call = w.process != SL_NO_INDEX && g->type[i] == w.process ? call_above(&w, i) : SL_NO_INDEX;
        if (call != SL_NO_INDEX && o->below[call] < o->until[i])
            o->below[call] = o->until[i];
    }
    for (uint32_t i = 0; i < g->n; i++) { /* behind `below`: that a process is over is not its last event */
        int64_t t = w.process != SL_NO_INDEX && g->type[i] == w.process ? find_over(&w, i, 0) : INT64_MIN;
        if (t > o->until[i])
            o->until[i] = t;
    }
    free(w.above);
    free(w.around);
    free(w.over);
    free(w.found);
}

void sl_unfinished_free(struct sl_unfinished *o)
{
    free(o->until);
    free(o->below);
    *o = (struct sl_unfinished){0};
}
