/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/tasks/places.h"
#include "analyse/ext.h"
#include "analyse/tasks/service.h"

#include <stdlib.h>

const char *const sl_arrival_component[] = {"blocks", "blocks", "blocks", "workers"};
const char *const sl_arrival_state[] = {"before the first", "asked for later", "in the queue", "starting"};

/* ---- stretches of running ---- */

static enum sl_phase_kind kind_at(const struct sl_workflow *w, uint32_t seg)
{
    return w->states.v[w->seg.v[seg].state].kind;
}

int64_t sl_run_ready(const struct sl_workflow *w, const struct sl_run *r)
{
    return w->seg.v[r->queue].from_ns - w->first_ns;
}

int64_t sl_run_until(const struct sl_workflow *w, const struct sl_run *r)
{
    return sl_segment_end(w, &w->task[r->task], r->last - w->task[r->task].seg) - w->first_ns;
}

/* Of one task, from the last to the first.  A queue reaches back to the first wait, between which it may be on its way.
 */
void sl_places_runs(struct sl_places *p, const struct sl_workflow *w, uint32_t task)
{
    const struct sl_task *t = &w->task[task];
    struct sl_run *run = NULL;
    bool lost = t->ended && !strcmp(t->ended, "failed");
    size_t n = p->run.n;

    for (uint32_t s = t->seg + t->nseg; s-- > t->seg;) {
        enum sl_phase_kind kind = kind_at(w, s);
        if (kind == SL_PHASE_RUN && (s + 1 == t->seg + t->nseg || kind_at(w, s + 1) != SL_PHASE_RUN)) {
            run = sl_vec_add(&p->run);
            *run = (struct sl_run){.task = task, .last = s, .lost = lost || p->run.n > n + 1};
        }
        if (kind == SL_PHASE_RUN || (kind == SL_PHASE_WAIT && run))
            run->queue = s;
        if (kind == SL_PHASE_RUN) {
            run->first = s;
            run->from_ns = w->seg.v[s].from_ns - w->first_ns;
        } else if (kind != SL_PHASE_WORK && kind != SL_PHASE_WAIT) {
            run = NULL;
        }
    }
}

static int by_from(const void *a, const void *b)
{
    const struct sl_run *x = a, *y = b;

    if (x->from_ns != y->from_ns)
        return x->from_ns < y->from_ns ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

/* ---- workers ---- */

struct make {
    struct sl_places *p;
    const struct sl_workflow *w;
    uint32_t *anchor;    /* by span that pools stand for: the pool, SL_NO_INDEX */
    uint32_t *type;      /* by rank of a type's name: the same, of workers that stand in no executor */
    uint32_t unknown;    /* the pool of nobody's workers, SL_NO_INDEX */
    uint32_t *worker;    /* by span: its number, SL_NO_INDEX; the last is nobody's */
    uint32_t *by_worker; /* runs, by worker */
    uint32_t *begin_of;  /* by worker, into by_worker; n + 1 */
    uint32_t *worker_of; /* by run; SL_NO_INDEX: some worker of its pool */
};

static uint32_t *none(size_t n)
{
    uint32_t *v = sl_alloc(n * sizeof *v);

    memset(v, 0xFF, n * sizeof *v);
    return v;
}

static const char *copy_key(struct make *m, uint32_t span)
{
    sqlite3_stmt *q = m->w->key;
    const char *s, *out = "";

    sqlite3_bind_int64(q, 1, m->w->s.g.id.v[span]);
    if (sqlite3_step(q) == SQLITE_ROW && (s = (const char *)sqlite3_column_text(q, 0)))
        out = sl_arena_copy(&m->p->names, s, strlen(s));
    sqlite3_reset(q);
    return out;
}

static uint32_t add_pool(struct make *m, const char *name)
{
    *sl_vec_add(&m->p->pool) = (struct sl_pool){.name = name};
    return (uint32_t)m->p->pool.n - 1;
}

/* The executor: what its worker lies in, next to the workflow; the worker itself, where it lies there.  *below: what
 * lies in the executor, and holds the worker or is it. */
static uint32_t executor_of(const struct make *m, uint32_t worker, uint32_t *below)
{
    const struct sl_graph *g = &m->w->s.g;
    uint32_t x = worker, steps = 0;

    *below = worker;
    for (uint32_t up; (up = g->parent[x]) != SL_NO_INDEX && up != m->w->root && steps < 100; steps++) {
        if (g->type[up] != SL_NO_INDEX && m->w->role[g->type[up]] == SL_ROLE_WORKFLOW)
            break;
        *below = x;
        x = up;
    }
    return x;
}

/* Is it the workflow, seen by another source? */
static bool is_view(const struct make *m, uint32_t span)
{
    const struct sl_csr *facet = &m->w->s.g.facet;

    for (uint32_t i = facet->start[span]; i < facet->start[span + 1]; i++)
        if (facet->to[i] == m->w->root)
            return true;
    return false;
}

static uint32_t pool_of(struct make *m, uint32_t worker)
{
    const struct sl_graph *g = &m->w->s.g;
    uint32_t x, below, *at;

    if (worker == SL_NO_INDEX) {
        if (m->unknown == SL_NO_INDEX)
            m->unknown = add_pool(m, "");
        return m->unknown;
    }
    x = executor_of(m, worker, &below);
    if (x == worker && g->parent[x] != SL_NO_INDEX && g->parent[x] != m->w->root && !is_view(m, g->parent[x])) {
        at = &m->anchor[g->parent[x]]; /* of a manager of Work Queue in Parsl's workflow: RUN/EXECUTOR */
        if (*at == SL_NO_INDEX) {
            const char *key = copy_key(m, g->parent[x]), *slash = strrchr(key, '/');
            *at = add_pool(m, slash ? slash + 1 : key);
        }
        return *at;
    }
    at = x == worker ? &m->type[g->type[x]] : &m->anchor[x];
    if (*at == SL_NO_INDEX)
        *at = add_pool(m, x == worker ? g->names.text[g->type[x]] : copy_key(m, x));
    return *at;
}

/* Since the beginning of the workflow, but not after `most`; `none` where it has no event. */
static int64_t first_event(const struct make *m, uint32_t span, int64_t most, int64_t none)
{
    const struct sl_events *e = &m->w->s.e;
    int64_t at;

    if (span == SL_NO_INDEX || e->start[span] == e->start[span + 1])
        return none < most ? none : most;
    at = e->time_ns[e->start[span]] - m->w->first_ns;
    return at < 0 ? 0 : at < most ? at : most;
}

/* What a worker with events of its own lies in: executor, block, manager.  Where there is no block, nothing is known.
 */
static void find_arrival(const struct make *m, struct sl_worker *x)
{
    uint32_t block, manager = m->w->s.g.parent[x->span];
    int64_t there = x->first_ns == INT64_MAX || x->first_ns < 0 ? 0 : x->first_ns;

    executor_of(m, x->span, &block);
    if (block == x->span || block == manager)
        return;
    x->arrives_ns[SL_ARRIVAL_QUEUE] = first_event(m, manager, there, 0);
    x->arrives_ns[SL_ARRIVAL_LATER] = first_event(m, block, x->arrives_ns[SL_ARRIVAL_QUEUE], 0);
}

/* Since when there were blocks, by pool. */
static void find_first_blocks(struct sl_places *p)
{
    int64_t *first = sl_alloc(p->pool.n * sizeof *first);

    for (size_t i = 0; i < p->pool.n; i++)
        first[i] = INT64_MAX;
    for (size_t i = 0; i < p->worker.n; i++) {
        const struct sl_worker *x = &p->worker.v[i];
        if (x->first_ns != INT64_MAX && x->arrives_ns[SL_ARRIVAL_LATER] < first[x->pool])
            first[x->pool] = x->arrives_ns[SL_ARRIVAL_LATER];
    }
    for (size_t i = 0; i < p->worker.n; i++) {
        struct sl_worker *x = &p->worker.v[i];
        x->arrives_ns[SL_ARRIVAL_FIRST] =
            first[x->pool] < x->arrives_ns[SL_ARRIVAL_LATER] ? first[x->pool] : x->arrives_ns[SL_ARRIVAL_LATER];
    }
    free(first);
}

static uint32_t add_worker(struct make *m, uint32_t span)
{
    uint32_t *at = &m->worker[span == SL_NO_INDEX ? m->w->s.g.n : span];
    const struct sl_events *e = &m->w->s.e;

    if (*at != SL_NO_INDEX)
        return *at;
    *at = (uint32_t)m->p->worker.n;
    *sl_vec_add(&m->p->worker) = (struct sl_worker){.span = span,
                                                    .pool = pool_of(m, span),
                                                    .places = 1,
                                                    .first_ns = INT64_MAX,
                                                    .began_ns = INT64_MAX,
                                                    .until_ns = INT64_MAX};
    if (span != SL_NO_INDEX && e->start[span] < e->start[span + 1])
        m->p->worker.v[*at].first_ns = e->time_ns[e->start[span]] - m->w->first_ns;
    if (span != SL_NO_INDEX)
        find_arrival(m, &m->p->worker.v[*at]);
    return *at;
}

/* What runs right before its task waits for others is a function that joins them, in a thread of the driver. */
static bool joins(const struct make *m, const struct sl_run *r)
{
    const struct sl_task *t = &m->w->task[r->task];

    return t->depends && r->last + 1 < t->seg + t->nseg && kind_at(m->w, r->last + 1) == SL_PHASE_DEPEND;
}

/* The pool of runs of which no log says whose they are: that of another run of the task, or the only one. */
static void find_unknown(struct make *m)
{
    struct sl_places *p = m->p;
    uint32_t known = (uint32_t)p->pool.n, *of_task = none(m->w->n);

    for (size_t i = 0; i < p->run.n; i++)
        if (m->worker_of[i] != SL_NO_INDEX)
            of_task[p->run.v[i].task] = p->run.v[i].pool;
    for (size_t i = 0; i < p->run.n; i++) {
        struct sl_run *r = &p->run.v[i];
        if (m->worker_of[i] != SL_NO_INDEX)
            continue;
        if (of_task[r->task] != SL_NO_INDEX || (known == 1 && !joins(m, r))) {
            r->pool = known == 1 ? 0 : of_task[r->task];
            continue;
        }
        m->worker_of[i] = add_worker(m, SL_NO_INDEX);
        r->pool = p->worker.v[m->worker_of[i]].pool;
        if (r->from_ns < p->worker.v[m->worker_of[i]].began_ns)
            p->worker.v[m->worker_of[i]].began_ns = r->from_ns;
    }
    free(of_task);
}

/* Those that ran nothing, too. */
static void find_workers(struct make *m)
{
    const struct sl_workflow *w = m->w;

    for (size_t i = 0; i < m->p->run.n; i++) {
        struct sl_run *r = &m->p->run.v[i];
        uint32_t span = w->worker[w->seg.v[r->first].span];
        struct sl_worker *k;
        m->worker_of[i] = span == SL_NO_INDEX ? SL_NO_INDEX : add_worker(m, span);
        if (span == SL_NO_INDEX)
            continue;
        k = &m->p->worker.v[m->worker_of[i]];
        r->pool = k->pool;
        if (r->from_ns < k->began_ns)
            k->began_ns = r->from_ns;
    }
    for (size_t i = 0; i < w->workers.n; i++)
        add_worker(m, w->workers.v[i]);
    find_unknown(m);
}

/* Runs side by side for each worker, by counting. */
static void gather_runs(struct make *m)
{
    size_t n = m->p->run.n;

    m->begin_of = sl_alloc((m->p->worker.n + 2) * sizeof *m->begin_of);
    m->by_worker = sl_alloc(n * sizeof *m->by_worker);
    for (size_t i = 0; i < n; i++)
        if (m->worker_of[i] != SL_NO_INDEX)
            m->begin_of[m->worker_of[i] + 2]++;
    for (size_t k = 2; k < m->p->worker.n + 2; k++)
        m->begin_of[k] += m->begin_of[k - 1];
    for (uint32_t i = 0; i < n; i++)
        if (m->worker_of[i] != SL_NO_INDEX)
            m->by_worker[m->begin_of[m->worker_of[i] + 1]++] = i;
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* How many ran at once on worker k, but for a fiftieth of the time in which any did. */
static uint32_t count_places(const struct make *m, uint32_t k)
{
    const struct sl_run *run = m->p->run.v;
    uint32_t from = m->begin_of[k], n = m->begin_of[k + 1] - from, at = 0;
    int64_t *until = sl_alloc(n * sizeof *until), busy = 0, rest = 0, since = 0;
    int64_t *with = sl_alloc(((size_t)n + 1) * sizeof *with); /* so many */
    size_t ended = 0;
    uint32_t most = 0;

    for (uint32_t i = 0; i < n; i++)
        until[i] = sl_run_until(m->w, &run[m->by_worker[from + i]]);
    if (n)
        qsort(until, n, sizeof *until, by_value);
    while (ended < n) {
        bool begins = at < n && run[m->by_worker[from + at]].from_ns < until[ended];
        int64_t t = begins ? run[m->by_worker[from + at]].from_ns : until[ended];
        with[at - ended] += at > ended ? t - since : 0;
        since = t;
        if (begins)
            at++;
        else if (at > ended)
            ended++;
        else /* it took no time */
            at++;
        most = at - ended > most ? (uint32_t)(at - ended) : most;
    }
    for (uint32_t i = 1; i <= most; i++)
        busy += with[i];
    while (most > 1 && rest + with[most] <= busy / 50)
        rest += with[most--];
    free(until);
    free(with);
    return most ? most : 1;
}

/* From when the places of worker k are there.  Its first runs are taken to be the first of each. */
static void find_there(struct make *m, uint32_t k)
{
    struct sl_worker *x = &m->p->worker.v[k];
    uint32_t n = m->begin_of[k + 1] - m->begin_of[k];
    int64_t own = x->first_ns < x->began_ns ? x->first_ns : x->began_ns;

    x->there = m->p->there_ns.n;
    for (uint32_t i = 0; i < x->places; i++) {
        const struct sl_run *r = i < n ? &m->p->run.v[m->by_worker[m->begin_of[k] + i]] : NULL;
        *sl_vec_add(&m->p->there_ns) = x->first_ns == INT64_MAX                                  ? INT64_MIN
                                       : r && sl_run_ready(m->w, r) < own && r->queue < r->first ? r->from_ns
                                                                                                 : own;
    }
}

/*
 * Who was gone: idle after its last task for longer than two tasks take, and a second, while one waited that long.
 * SL_NO_INDEX's workers are never.
 */
static void find_gone(struct make *m)
{
    struct sl_places *p = m->p;
    struct {
        double took_ns;
        int64_t long_ns, last_ns;
    } *of = sl_alloc(p->pool.n * sizeof *of);

    for (size_t i = 0; i < p->run.n; i++) {
        of[p->run.v[i].pool].took_ns += (double)(sl_run_until(m->w, &p->run.v[i]) - p->run.v[i].from_ns);
        p->pool.v[p->run.v[i].pool].runs++;
    }
    for (size_t i = 0; i < p->pool.n; i++) {
        double two = p->pool.v[i].runs ? 2 * of[i].took_ns / p->pool.v[i].runs : 0;
        of[i].long_ns = two > 1e9 ? (int64_t)two : 1000000000;
        of[i].last_ns = INT64_MIN;
    }
    for (size_t i = 0; i < p->run.n; i++) {
        const struct sl_run *r = &p->run.v[i];
        if (r->from_ns - sl_run_ready(m->w, r) >= of[r->pool].long_ns && r->from_ns > of[r->pool].last_ns)
            of[r->pool].last_ns = r->from_ns;
    }
    for (uint32_t k = 0; k < p->worker.n; k++) {
        struct sl_worker *x = &p->worker.v[k];
        int64_t last = x->first_ns == INT64_MAX ? INT64_MIN : x->first_ns;
        for (uint32_t i = m->begin_of[k]; i < m->begin_of[k + 1]; i++) {
            int64_t until = sl_run_until(m->w, &p->run.v[m->by_worker[i]]);
            last = until > last ? until : last;
        }
        if (x->span != SL_NO_INDEX && last != INT64_MIN && of[x->pool].last_ns > last &&
            of[x->pool].last_ns - last >= of[x->pool].long_ns)
            x->until_ns = last;
    }
    free(of);
}

static int by_pool(const void *a, const void *b)
{
    const struct sl_worker *x = a, *y = b;

    if (x->pool != y->pool)
        return x->pool < y->pool ? -1 : 1;
    if (x->first_ns != y->first_ns)
        return x->first_ns < y->first_ns ? -1 : 1;
    return (x->span > y->span) - (x->span < y->span);
}

/* ---- as it was ---- */

static void as_it_was(struct sl_service *s, uint32_t run, int64_t at_ns, void *to)
{
    const struct make *m = to;
    struct sl_run *r = &m->p->run.v[run];
    struct sl_pool *pool = &m->p->pool.v[r->pool];

    r->own_ns = r->from_ns - at_ns;
    pool->waited += at_ns > s->since_ns[run];
    sl_service_done(s, run, sl_run_until(m->w, r));
}

struct own {
    uint32_t pool;
    int64_t ns;
};

static int by_own(const void *a, const void *b)
{
    const struct own *x = a, *y = b;

    if (x->pool != y->pool)
        return x->pool < y->pool ? -1 : 1;
    return (x->ns > y->ns) - (x->ns < y->ns);
}

/* What waits that the order of the run and places do not explain. */
static void find_own(struct make *m)
{
    struct sl_places *p = m->p;
    struct sl_service s;
    uint32_t *last = none(p->pool.n); /* by pool: which was ready last, so far */
    struct own *own = sl_alloc(p->run.n * sizeof *own);

    for (uint32_t i = 0; i < p->run.n; i++) {
        struct sl_run *r = &p->run.v[i];
        bool behind =
            last[r->pool] != SL_NO_INDEX && sl_run_ready(m->w, &p->run.v[last[r->pool]]) > sl_run_ready(m->w, r);
        r->behind = behind ? last[r->pool] : SL_NO_INDEX;
        if (!behind)
            last[r->pool] = i;
    }
    sl_service_init(&s, p, NULL, NULL, NULL, as_it_was, m);
    for (uint32_t i = 0; i < p->run.n; i++)
        sl_service_ready(&s, i, sl_run_ready(m->w, &p->run.v[i]));
    while (sl_service_next(&s))
        ;
    sl_service_free(&s);
    for (size_t i = 0; i < p->run.n; i++)
        own[i] = (struct own){p->run.v[i].pool, p->run.v[i].own_ns};
    if (p->run.n)
        qsort(own, p->run.n, sizeof *own, by_own);
    for (size_t i = 0, n; i < p->run.n; i += n) {
        struct sl_pool *pool = &p->pool.v[own[i].pool];
        n = pool->runs;
        pool->typical_own_ns = own[i + n / 2].ns > 0 ? own[i + n / 2].ns : 0;
    }
    free(last);
    free(own);
}

void sl_places_make(struct sl_places *out, const struct sl_workflow *w)
{
    struct make m = {.p = out, .w = w, .unknown = SL_NO_INDEX};

    *out = (struct sl_places){0};
    for (uint32_t i = 0; i < w->n; i++)
        sl_places_runs(out, w, i);
    if (out->run.n)
        qsort(out->run.v, out->run.n, sizeof *out->run.v, by_from);
    m.anchor = none(w->s.g.n);
    m.type = none((size_t)w->s.g.names.n + 1);
    m.worker = none((size_t)w->s.g.n + 1);
    m.worker_of = sl_alloc(out->run.n * sizeof *m.worker_of);
    find_workers(&m);
    gather_runs(&m);
    for (uint32_t k = 0; k < out->worker.n; k++)
        out->worker.v[k].places = count_places(&m, k);
    for (uint32_t k = 0; k < out->worker.n; k++)
        find_there(&m, k);
    find_gone(&m);
    find_first_blocks(out);
    if (out->worker.n)
        qsort(out->worker.v, out->worker.n, sizeof *out->worker.v, by_pool);
    for (uint32_t k = 0; k < out->worker.n; k++) {
        struct sl_pool *pool = &out->pool.v[out->worker.v[k].pool];
        if (!pool->n++)
            pool->worker = k;
    }
    free(m.anchor);
    free(m.type);
    free(m.worker);
    free(m.worker_of);
    free(m.begin_of);
    free(m.by_worker);
    find_own(&m);
}

void sl_places_free(struct sl_places *p)
{
    sl_vec_free(&p->run);
    sl_vec_free(&p->worker);
    sl_vec_free(&p->there_ns);
    sl_vec_free(&p->pool);
    sl_arena_free(&p->names);
}
