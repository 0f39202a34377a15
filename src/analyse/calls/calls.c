/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/calls/calls.h"
#include "analyse/calls/part.h"
#include "analyse/calls/unfinished.h"
#include "analyse/ext.h"
#include "analyse/load/fast_rows.h"
#include "base/buf.h"
#include "calls_calls.sql.h"

#include <stdio.h>
#include <stdlib.h>

struct load {
    struct sl_calls *c;
    const struct sl_graph *g;
    struct sl_events e;
    uint32_t call_type, process_type, thread_type;
    uint32_t *call_of; /* by span: its call; SL_NO_INDEX */
    uint32_t *above;   /* by span, of processes: the call they lie in */
    uint32_t *around;  /* by span, of processes: the process they lie in */
    uint32_t *thread;  /* by thread of the sums: its span; SL_NO_INDEX */
    struct sl_unfinished open;
};

int sl_calls_by_find(const char *text)
{
    static const char *const names[] = {"", "thread", "process", "rank"};

    for (int i = 1; i < 4; i++)
        if (!strcmp(text, names[i]))
            return i;
    return -1;
}

/* ---- which ---- */

static unsigned char *mark(const struct load *l, const struct sl_calls_want *want)
{
    unsigned char *in;
    struct sl_walk w;

    if (!want->nwithin)
        return NULL;
    in = sl_alloc(l->g->n + 1);
    sl_walk_init(&w, l->g);
    for (size_t i = 0; i < want->nwithin; i++) {
        uint32_t root = sl_graph_find(l->g, want->within[i]);
        if (root == SL_NO_INDEX || in[root])
            continue;
        sl_walk_closure(&w, root);
        for (size_t k = 0; k < w.n; k++)
            in[w.span[k]] = 1;
    }
    sl_walk_free(&w);
    return in;
}

static void choose(struct load *l, const struct sl_calls_want *want)
{
    struct sl_calls *c = l->c;
    unsigned char *in = mark(l, want);
    size_t n = 0;

    l->call_of = sl_alloc(((size_t)l->g->n + 1) * sizeof *l->call_of);
    for (uint32_t i = 0; i < l->g->n; i++) {
        bool is = l->g->type[i] == l->call_type && l->call_type != SL_NO_INDEX && (!in || in[i]);
        l->call_of[i] = is ? (uint32_t)n++ : SL_NO_INDEX;
    }
    c->n = (uint32_t)n;
    c->span = sl_alloc((n + 1) * sizeof *c->span);
    c->caller = sl_alloc((n + 1) * sizeof *c->caller);
    c->name = sl_alloc((n + 1) * sizeof *c->name);
    c->part = sl_alloc((n + 1) * sizeof *c->part);
    c->flags = sl_alloc(n + 1);
    c->begin_ns = sl_alloc((n + 1) * sizeof *c->begin_ns);
    c->end_ns = sl_alloc((n + 1) * sizeof *c->end_ns);
    for (uint32_t i = 0; i < l->g->n; i++)
        if (l->call_of[i] != SL_NO_INDEX)
            c->span[l->call_of[i]] = i;
    free(in);
}

size_t sl_calls_name(const char *key)
{
    size_t n = strlen(key), at = n;

    while (at && key[at - 1] >= '0' && key[at - 1] <= '9')
        at--;
    return at && at < n && key[at - 1] == '#' ? at - 1 : n;
}

static void name_calls(struct load *l)
{
    struct sl_calls *c = l->c;
    const char *last = "";
    size_t last_n = SIZE_MAX;

    for (uint32_t i = 0; i < c->n; i++) {
        const char *key = l->g->key_text + l->g->key_at[c->span[i]];
        size_t n = sl_calls_name(key);
        c->name[i] = n == last_n && !memcmp(key, last, n) ? c->name[i - 1] : sl_intern(&c->names, key, n);
        last = key;
        last_n = n;
    }
}

/* ---- when ---- */

static void time_calls(struct load *l)
{
    uint32_t begin = sl_names_find(&l->g->names, "begin"), end = sl_names_find(&l->g->names, "end");
    struct sl_calls *c = l->c;

    for (uint32_t i = 0; i < c->n; i++) {
        uint32_t from = l->e.start[c->span[i]], to = l->e.start[c->span[i] + 1], b = from, e = to;
        while (b < to && (begin == SL_NO_INDEX || sl_number_at(&l->e.type, b) != begin))
            b++;
        while (e > from && (end == SL_NO_INDEX || sl_number_at(&l->e.type, e - 1) != end))
            e--;
        if (b < to && e > from) {
            c->begin_ns[i] = l->e.time_ns[b];
            c->end_ns[i] = l->e.time_ns[e - 1];
            if (c->end_ns[i] < c->begin_ns[i]) {
                c->end_ns[i] = c->begin_ns[i];
                c->odd++;
            }
            continue;
        }
        c->flags[i] = SL_CALL_UNFINISHED;
        if (b == to) { /* how long is unknown */
            c->flags[i] |= SL_CALL_NO_BEGIN;
            c->begin_ns[i] = c->end_ns[i] = e > from ? l->e.time_ns[e - 1] : from < to ? l->e.time_ns[from] : 0;
            continue;
        }
        if (!l->open.until)
            sl_unfinished_find(&l->open, l->g, &l->e);
        c->begin_ns[i] = l->e.time_ns[b];
        c->end_ns[i] = l->open.until[sl_unfinished_root(l->g, c->span[i])];
        if (c->end_ns[i] < c->begin_ns[i])
            c->end_ns[i] = c->begin_ns[i];
    }
}

/* ---- by whom ---- */

static void nearer(const struct sl_calls *c, uint32_t *caller, uint32_t than)
{
    if (*caller == SL_NO_INDEX || c->begin_ns[than] > c->begin_ns[*caller] ||
        (c->begin_ns[than] == c->begin_ns[*caller] && than > *caller))
        *caller = than;
}

static void follow(struct load *l, uint32_t from)
{
    const struct sl_graph *g = l->g;
    struct sl_calls *c = l->c;
    uint32_t call = l->call_of[from];
    bool process = g->type[from] == l->process_type || g->type[from] == l->thread_type;

    if (call == SL_NO_INDEX && !process)
        return;
    for (uint32_t k = g->sub.start[from]; k < g->sub.start[from + 1]; k++) {
        uint32_t to = g->sub.to[k];
        if (to == from)
            continue;
        if (call != SL_NO_INDEX && l->call_of[to] != SL_NO_INDEX)
            nearer(c, &c->caller[l->call_of[to]], call);
        else if (call != SL_NO_INDEX && g->type[to] == l->process_type)
            nearer(c, &l->above[to], call);
        else if (process && g->type[to] == l->process_type)
            l->around[to] = sl_unfinished_root(g, from);
    }
}

/* The call that a process lies in, or those around it. */
static uint32_t caller_of_process(const struct load *l, uint32_t p)
{
    for (int k = 0; k < SL_UNFINISHED_CHAIN && p != SL_NO_INDEX; k++, p = l->around[p])
        if (l->above[p] != SL_NO_INDEX)
            return l->above[p];
    return SL_NO_INDEX;
}

static void find_callers(struct load *l)
{
    struct sl_calls *c = l->c;
    size_t bytes = ((size_t)l->g->n + 1) * sizeof(uint32_t);

    memset(c->caller, 0xff, ((size_t)c->n + 1) * sizeof *c->caller);
    memset(l->above = sl_alloc(bytes), 0xff, bytes);
    memset(l->around = sl_alloc(bytes), 0xff, bytes);
    for (uint32_t i = 0; i < l->g->n; i++)
        follow(l, i);
    for (uint32_t i = 0; i < c->n; i++)
        if (c->caller[i] == SL_NO_INDEX)
            c->caller[i] = caller_of_process(l, sl_unfinished_root(l->g, c->span[i]));
    for (size_t i = 0; c->sums && i < c->sums->threads.n; i++)
        c->added[i].caller =
            l->thread[i] == SL_NO_INDEX ? SL_NO_INDEX : caller_of_process(l, sl_unfinished_root(l->g, l->thread[i]));
}

/* ---- calls that were added up ---- */

static void find_threads(struct load *l)
{
    const struct sl_call_sums *s = l->c->sums;
    size_t n = s ? s->threads.n : 0;

    l->c->added = sl_alloc((n + 1) * sizeof *l->c->added);
    l->c->added_name = sl_alloc((s ? s->texts.of.n + 1 : 1) * sizeof *l->c->added_name);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < s->threads.v[i].paths.n; k++) {
            uint32_t name = s->threads.v[i].paths.v[k].name;
            if (!l->c->added_name[name - 1])
                l->c->added_name[name - 1] =
                    sl_intern(&l->c->names, sl_intern_text(&s->texts, name), sl_intern_len(&s->texts, name));
        }
    memset(l->thread = sl_alloc((n + 1) * sizeof *l->thread), 0xff, (n + 1) * sizeof *l->thread);
    for (uint32_t i = 0; n && i < l->g->n; i++) {
        const char *tid = l->g->key_text + l->g->key_at[i], *process;
        uint32_t key[2], at;
        if (l->g->type[i] != l->thread_type || l->g->parent[i] == SL_NO_INDEX)
            continue;
        process = l->g->key_text + l->g->key_at[l->g->parent[i]];
        key[0] = sl_intern_find(&s->texts, process, strlen(process));
        key[1] = sl_intern_find(&s->texts, tid, strlen(tid));
        at = sl_intern_find(&s->by_key, (const char *)key, sizeof key);
        if (at)
            l->thread[at - 1] = i;
    }
}

/* ---- in order ---- */

struct order {
    const struct sl_calls *c;
    uint32_t *first, *to; /* by caller, and the roots at n: what it calls */
    uint32_t *v, n;       /* calls in the new order */
    uint32_t *stack;
    unsigned char *seen;
};

static int by_begin(const void *a, const void *b, void *of)
{
    const struct sl_calls *c = of;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    if (c->begin_ns[x] != c->begin_ns[y])
        return c->begin_ns[x] < c->begin_ns[y] ? -1 : 1;
    return (x > y) - (x < y);
}

/* Counting sort by caller; then by time, which they mostly are already. */
static void gather(struct order *o)
{
    const struct sl_calls *c = o->c;
    uint32_t n = c->n;

    o->first = sl_alloc(((size_t)n + 3) * sizeof *o->first);
    o->to = sl_alloc(((size_t)n + 1) * sizeof *o->to);
    for (uint32_t i = 0; i < n; i++)
        o->first[(c->caller[i] == SL_NO_INDEX ? n : c->caller[i]) + 2]++;
    for (uint32_t i = 2; i < n + 3; i++)
        o->first[i] += o->first[i - 1];
    for (uint32_t i = 0; i < n; i++)
        o->to[o->first[(c->caller[i] == SL_NO_INDEX ? n : c->caller[i]) + 1]++] = i;
    for (uint32_t i = 0; i <= n; i++) {
        uint32_t from = o->first[i], end = o->first[i + 1], k = from + 1;
        while (k < end && by_begin(&o->to[k - 1], &o->to[k], (void *)c) <= 0)
            k++;
        if (k < end)
            qsort_r(o->to + from, end - from, sizeof *o->to, by_begin, (void *)c);
    }
}

static void descend(struct order *o, uint32_t root)
{
    uint32_t top = 0;

    if (o->seen[root])
        return;
    o->seen[root] = 1;
    o->stack[top++] = root;
    while (top) {
        uint32_t i = o->stack[--top];
        o->v[o->n++] = i;
        for (uint32_t k = o->first[i + 1]; k-- > o->first[i];)
            if (!o->seen[o->to[k]]) {
                o->seen[o->to[k]] = 1;
                o->stack[top++] = o->to[k];
            }
    }
}

#define REORDER(array)                                                                                                 \
    do {                                                                                                               \
        void *old_ = (array);                                                                                          \
        __typeof__(array) from_ = old_, to_ = sl_alloc(((size_t)c->n + 1) * sizeof *to_);                              \
        for (uint32_t i_ = 0; i_ < c->n; i_++)                                                                         \
            to_[i_] = from_[o.v[i_]];                                                                                  \
        (array) = to_;                                                                                                 \
        free(old_);                                                                                                    \
    } while (0)

static void put_in_order(struct sl_calls *c)
{
    struct order o = {.c = c};
    uint32_t *place;

    gather(&o);
    o.v = sl_alloc(((size_t)c->n + 1) * sizeof *o.v);
    o.stack = sl_alloc(((size_t)c->n + 1) * sizeof *o.stack);
    o.seen = sl_alloc((size_t)c->n + 1);
    for (uint32_t k = o.first[c->n]; k < o.first[c->n + 1]; k++)
        descend(&o, o.to[k]);
    for (uint32_t i = 0; i < c->n && o.n < c->n; i++) /* what is left lies in cycles */
        if (!o.seen[i]) {
            c->caller[i] = SL_NO_INDEX;
            descend(&o, i);
        }
    place = o.stack; /* it is empty now */
    for (uint32_t i = 0; i < c->n; i++)
        place[o.v[i]] = i;
    for (uint32_t i = 0; i < c->n; i++)
        if (c->caller[i] != SL_NO_INDEX)
            c->caller[i] = place[c->caller[i]];
    for (size_t i = 0; c->sums && i < c->sums->threads.n; i++)
        if (c->added[i].caller != SL_NO_INDEX)
            c->added[i].caller = place[c->added[i].caller];
    REORDER(c->span);
    REORDER(c->caller);
    REORDER(c->name);
    REORDER(c->flags);
    REORDER(c->begin_ns);
    REORDER(c->end_ns);
    free(o.first);
    free(o.to);
    free(o.v);
    free(o.stack);
    free(o.seen);
}

/* ---- what follows from the order ---- */

/* What is open around a process was open when that last did something. */
static void reach_below(struct load *l)
{
    struct sl_calls *c = l->c;
    int64_t *reach = sl_alloc(((size_t)c->n + 1) * sizeof *reach);

    for (uint32_t i = 0; i < c->n; i++)
        reach[i] = l->open.below[c->span[i]];
    for (uint32_t i = c->n; i-- > 0;) {
        if ((c->flags[i] & (SL_CALL_UNFINISHED | SL_CALL_NO_BEGIN)) == SL_CALL_UNFINISHED && c->end_ns[i] < reach[i])
            c->end_ns[i] = reach[i];
        if (c->caller[i] != SL_NO_INDEX && reach[c->caller[i]] < reach[i])
            reach[c->caller[i]] = reach[i];
    }
    free(reach);
}

/* Left by longjmp or an exception that nothing saw: it cannot have lasted longer than its caller on the thread. */
static void end_unfinished(struct load *l)
{
    struct sl_calls *c = l->c;

    if (l->open.until)
        reach_below(l);
    for (uint32_t i = 0; i < c->n; i++) {
        uint32_t by = c->caller[i];
        if (c->flags[i] & SL_CALL_UNFINISHED && by != SL_NO_INDEX &&
            c->g.parent[c->span[by]] == c->g.parent[c->span[i]] && c->end_ns[i] > c->end_ns[by])
            c->end_ns[i] = c->end_ns[by] > c->begin_ns[i] ? c->end_ns[by] : c->begin_ns[i];
    }
}

/* Callers stand before what they call: the calls around one are a stack. */
static void find_outermost(struct sl_calls *c)
{
    uint32_t *open = sl_alloc((c->names.of.n + 1) * sizeof *open),
             *stack = sl_alloc(((size_t)c->n + 1) * sizeof *stack);
    uint32_t top = 0;

    for (uint32_t i = 0; i < c->n; i++) {
        while (top && stack[top - 1] != c->caller[i])
            open[c->name[stack[--top]]]--;
        if (!open[c->name[i]]++)
            c->flags[i] |= SL_CALL_OUTERMOST;
        stack[top++] = i;
    }
    free(open);
    free(stack);
}

/* ---- parts ---- */

struct parts {
    struct sl_calls *c;
    uint32_t *part;      /* by span */
    uint32_t *title;     /* by part */
    unsigned char *seen; /* by span, of enum seen */
};

enum seen { PROCESS = 1, THREAD = 2, OWN = 4 };

static int rank_row(void *to, sqlite3_value **v)
{
    struct parts *p = to;
    uint32_t span = sl_graph_find(&p->c->g, sqlite3_value_int64(v[0]));
    const char *text = (const char *)sqlite3_value_text(v[1]);

    if (span != SL_NO_INDEX && text && *text)
        p->part[span] = sl_intern(&p->c->parts, text, (size_t)sqlite3_value_bytes(v[1]));
    return 0;
}

static int thread_row(void *to, sqlite3_value **v)
{
    struct parts *p = to;
    uint32_t span = sl_graph_find(&p->c->g, sqlite3_value_int64(v[0]));
    const char *text = (const char *)sqlite3_value_text(v[1]);

    if (span != SL_NO_INDEX && p->part[span] && text && *text)
        p->title[p->part[span]] = sl_intern(&p->c->parts, text, (size_t)sqlite3_value_bytes(v[1]));
    return 0;
}

static int program_row(void *to, sqlite3_value **v)
{
    struct parts *p = to;
    uint32_t span = sl_graph_find(&p->c->g, sqlite3_value_int64(v[0]));
    const char *text = (const char *)sqlite3_value_text(v[1]);

    if (span != SL_NO_INDEX && text && !strcmp(text, "spanloom"))
        p->seen[span] |= OWN;
    return 0;
}

static int read_attribute(struct parts *p, sqlite3 *db, const char *type, const char *name, sl_query_row_fn *row,
                          struct sl_err *err)
{
    char spans[200], sql[500];

    snprintf(spans, sizeof spans, p->c->g.part ? sql_of_these : sql_of_all, type);
    snprintf(sql, sizeof sql, sql_attribute, spans, name);
    return sl_query_each_of(db, sql, p->c->g.part, row, p, err);
}

static uint32_t part_of(struct sl_calls *c, uint32_t thread, enum sl_calls_by by)
{
    uint32_t root = sl_unfinished_root(&c->g, thread), id;
    const char *key = c->g.key_text + c->g.key_at[root];
    struct sl_buf b = {0};

    if (by == SL_BY_RANK)
        return sl_intern(&c->parts, "", 0);
    sl_buf_adds(&b, key);
    if (by == SL_BY_THREAD && thread != root)
        sl_buf_addf(&b, "/%s", c->g.key_text + c->g.key_at[thread]);
    id = sl_intern(&c->parts, b.s, b.n);
    sl_buf_free(&b);
    return id;
}

/* The part of what is on this thread. */
static uint32_t divide_thread(struct parts *p, uint32_t thread, enum sl_calls_by by)
{
    struct sl_calls *c = p->c;
    uint32_t root = sl_unfinished_root(&c->g, thread), at = by == SL_BY_THREAD ? thread : root;

    c->processes += !(p->seen[root] & PROCESS);
    c->own += (p->seen[root] & (PROCESS | OWN)) == OWN;
    p->seen[root] |= PROCESS;
    c->threads += !(p->seen[thread] & THREAD);
    p->seen[thread] |= THREAD;
    if (by != SL_BY_NONE && !p->part[at])
        p->part[at] = part_of(c, at, by);
    return by == SL_BY_NONE ? 0 : p->part[at];
}

static void divide(struct parts *p, const uint32_t *thread, enum sl_calls_by by)
{
    struct sl_calls *c = p->c;

    for (uint32_t i = 0; i < c->n; i++) {
        uint32_t of = c->g.parent[c->span[i]];
        c->part[i] = divide_thread(p, of == SL_NO_INDEX ? c->span[i] : of, by);
    }
    for (size_t i = 0; c->sums && i < c->sums->threads.n; i++) {
        const struct sl_call_thread *t = &c->sums->threads.v[i];
        uint64_t calls = 0;
        for (size_t k = 0; k < t->paths.n; k++)
            calls += t->paths.v[k].calls;
        if (thread[i] != SL_NO_INDEX)
            c->added[i].part = divide_thread(p, thread[i], by);
        c->all += calls;
    }
}

static int make_parts(struct sl_calls *c, sqlite3 *db, const uint32_t *thread, enum sl_calls_by by, struct sl_err *err)
{
    size_t n = (size_t)c->g.n + 1;
    struct parts p = {.c = c, .part = sl_alloc(n * sizeof *p.part), .seen = sl_alloc(n)};
    int rc = read_attribute(&p, db, "trace.process", "program", program_row, err);

    if (!rc && by == SL_BY_RANK)
        rc = read_attribute(&p, db, "trace.process", "rank", rank_row, err);
    if (!rc)
        divide(&p, thread, by);
    c->title = p.title = sl_alloc((c->parts.of.n + 1) * sizeof *p.title);
    if (!rc && by == SL_BY_THREAD)
        rc = read_attribute(&p, db, "trace.thread", "name", thread_row, err);
    free(p.part);
    free(p.seen);
    return rc;
}

int sl_calls_load(struct sl_calls *c, sqlite3 *db, const struct sl_calls_want *want, struct sl_err *err)
{
    struct load l = {.c = c, .g = &c->g};
    char *part;
    int rc;

    *c = (struct sl_calls){.sums = want->sums};
    rc = sl_calls_part(&part, db, want, err);
    if (!rc)
        rc = sl_graph_load_these(&c->g, db, SL_GRAPH_KEYS | SL_GRAPH_PARENTS, part, err);
    if (!rc && (rc = sl_events_load(&l.e, &c->g, db, 0, err)))
        sl_graph_free(&c->g);
    if (rc)
        return rc;
    l.call_type = sl_names_find(&c->g.names, SL_CALL_TYPE);
    l.process_type = sl_names_find(&c->g.names, "trace.process");
    l.thread_type = sl_names_find(&c->g.names, "trace.thread");
    choose(&l, want);
    name_calls(&l);
    time_calls(&l);
    sl_events_free(&l.e);
    find_threads(&l);
    find_callers(&l);
    free(l.above);
    free(l.around);
    free(l.call_of);
    put_in_order(c);
    end_unfinished(&l);
    sl_unfinished_free(&l.open);
    find_outermost(c);
    c->all = c->n;
    rc = make_parts(c, db, l.thread, want->by, err);
    free(l.thread);
    return rc;
}

void sl_calls_free(struct sl_calls *c)
{
    free(c->span);
    free(c->caller);
    free(c->name);
    free(c->part);
    free(c->title);
    free(c->flags);
    free(c->begin_ns);
    free(c->end_ns);
    free(c->added);
    free(c->added_name);
    sl_intern_free(&c->names);
    sl_intern_free(&c->parts);
    sl_graph_free(&c->g);
    *c = (struct sl_calls){0};
}
