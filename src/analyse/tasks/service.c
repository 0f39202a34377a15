/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/tasks/service.h"

#include <stdlib.h>

/* ---- queues ---- */

static bool before(const struct sl_item *a, const struct sl_item *b)
{
    if (a->at_ns != b->at_ns)
        return a->at_ns < b->at_ns;
    return a->what != b->what ? a->what < b->what : a->which < b->which;
}

static void add(struct sl_queue *q, struct sl_item x)
{
    size_t i = q->heap.n;

    if (q->taken == q->line.n)
        q->taken = q->line.n = 0;
    if (q->line.n == q->line.cap && q->taken > q->line.n / 2) {
        q->line.n -= q->taken;
        memmove(q->line.v, q->line.v + q->taken, q->line.n * sizeof *q->line.v);
        q->taken = 0;
    }
    if (!q->line.n || !before(&x, &q->line.v[q->line.n - 1])) {
        *sl_vec_add(&q->line) = x;
        return;
    }
    sl_vec_add(&q->heap);
    for (; i && before(&x, &q->heap.v[(i - 1) / 2]); i = (i - 1) / 2)
        q->heap.v[i] = q->heap.v[(i - 1) / 2];
    q->heap.v[i] = x;
}

/* NULL: there is none. */
static const struct sl_item *first_of(const struct sl_queue *q)
{
    const struct sl_item *line = q->taken < q->line.n ? &q->line.v[q->taken] : NULL;
    const struct sl_item *heap = q->heap.n ? q->heap.v : NULL;

    return !line || (heap && before(heap, line)) ? heap : line;
}

static struct sl_item take(struct sl_queue *q)
{
    struct sl_item first = *first_of(q), last;
    size_t i = 0;

    if (!q->heap.n || before(&first, q->heap.v)) {
        q->taken++;
        return first;
    }
    last = q->heap.v[--q->heap.n];
    for (size_t child; (child = 2 * i + 1) < q->heap.n; i = child) {
        child += child + 1 < q->heap.n && before(&q->heap.v[child + 1], &q->heap.v[child]);
        if (!before(&q->heap.v[child], &last))
            break;
        q->heap.v[i] = q->heap.v[child];
    }
    if (q->heap.n)
        q->heap.v[i] = last;
    return first;
}

static void free_queue(struct sl_queue *q)
{
    sl_vec_free(&q->line);
    sl_vec_free(&q->heap);
}

/* ---- service ---- */

enum { THERE, FREED, READY }; /* what happens: places are there for the first time, one is free again, a run is ready */

/* When a place that was there at from_ns is there with these factors. */
static int64_t arrives(const struct sl_worker *k, int64_t from_ns, const double *arrival)
{
    int64_t since = 0;
    double at = 0;

    for (int i = 0; i < SL_ARRIVALS; i++) {
        int64_t until = i < SL_ARRIVAL_START && k->arrives_ns[i] < from_ns ? k->arrives_ns[i] : from_ns;
        at += (double)(until - since) * arrival[i];
        since = until;
    }
    return (int64_t)at;
}

static void add_place(struct sl_service *s, const struct sl_worker *k, uint64_t n, int64_t from_ns, int64_t later_ns,
                      const double *arrival)
{
    uint32_t runs = s->p->pool.v[k->pool].runs;

    if (!n || !runs)
        return;
    from_ns = from_ns == INT64_MIN ? from_ns : arrival ? arrives(k, from_ns, arrival) : from_ns;
    if (later_ns)
        from_ns = (from_ns < 0 ? 0 : from_ns) + later_ns;
    *sl_vec_add(&s->place) = (struct sl_place){k->pool, (uint32_t)(n < runs ? n : runs), k->until_ns};
    add(&s->events, (struct sl_item){from_ns, THERE, (uint32_t)s->place.n - 1});
}

/* Of `wanted` workers, number j is as number j * pool->n / wanted of those that there were. */
static void add_places(struct sl_service *s, const struct sl_pool *pool, uint64_t wanted, int64_t later_ns,
                       const double *arrival)
{
    for (uint64_t i = 0; i < pool->n; i++) {
        const struct sl_worker *k = &s->p->worker.v[pool->worker + i];
        uint64_t copies = ((i + 1) * wanted + pool->n - 1) / pool->n - (i * wanted + pool->n - 1) / pool->n;
        if (!copies)
            continue;
        for (uint32_t j = 0; j < k->places; j++) {
            int64_t there = s->p->there_ns.v[k->there + j];
            if (there != INT64_MIN) {
                add_place(s, k, later_ns ? 1 : copies, there, 0, arrival);
                add_place(s, k, later_ns ? copies - 1 : 0, there, later_ns, arrival);
                continue;
            }
            add_place(s, k, 1, INT64_MIN, 0, arrival); /* further ones are there when it had something to do */
            add_place(s, k, copies - 1, k->began_ns == INT64_MAX ? INT64_MIN : k->began_ns, later_ns, arrival);
        }
    }
}

void sl_service_init(struct sl_service *s, const struct sl_places *p, const uint32_t *workers, const int64_t *later_ns,
                     const double *arrival, sl_begin_fn *begin, void *to)
{
    *s = (struct sl_service){.p = p, .begin = begin, .to = to};
    s->waiting = sl_alloc(p->pool.n * sizeof *s->waiting);
    s->free = sl_alloc(p->pool.n * sizeof *s->free);
    s->touched = sl_alloc(p->pool.n * sizeof *s->touched);
    s->place_of = sl_alloc(p->run.n * sizeof *s->place_of);
    memset(s->place_of, 0xFF, p->run.n * sizeof *s->place_of); /* SL_NO_INDEX */
    s->ready_ns = sl_alloc(p->run.n * sizeof *s->ready_ns);
    s->since_ns = sl_alloc(p->run.n * sizeof *s->since_ns);
    s->first = sl_alloc(p->run.n * sizeof *s->first);
    s->next = sl_alloc(p->run.n * sizeof *s->next);
    memset(s->first, 0xFF, p->run.n * sizeof *s->first);
    memset(s->next, 0xFF, p->run.n * sizeof *s->next);
    for (size_t i = 0; i < p->run.n; i++)
        s->since_ns[i] = INT64_MAX;
    for (size_t i = 0; i < p->pool.n; i++)
        add_places(s, &p->pool.v[i], workers ? workers[i] : p->pool.v[i].n, later_ns ? later_ns[i] : 0, arrival);
}

void sl_service_free(struct sl_service *s)
{
    for (size_t i = 0; s->p && i < s->p->pool.n; i++) {
        free_queue(&s->waiting[i]);
        free_queue(&s->free[i]);
    }
    free(s->waiting);
    free(s->free);
    free(s->touched);
    free(s->place_of);
    free(s->ready_ns);
    free(s->since_ns);
    free(s->first);
    free(s->next);
    sl_vec_free(&s->serve);
    free_queue(&s->events);
    sl_vec_free(&s->place);
}

static void release(struct sl_service *s, uint32_t run, int64_t at_ns);

/* Those that were ready but for it. */
static void release_behind(struct sl_service *s, uint32_t run, int64_t at_ns)
{
    uint32_t i = s->first[run], next;

    s->first[run] = SL_NO_INDEX;
    for (; i != SL_NO_INDEX; i = next) {
        next = s->next[i];
        s->next[i] = SL_NO_INDEX;
        s->parked--;
        release(s, i, at_ns > s->ready_ns[i] ? at_ns : s->ready_ns[i]);
    }
}

/* None that is behind another one is before a third. */
static void release(struct sl_service *s, uint32_t run, int64_t at_ns)
{
    s->since_ns[run] = at_ns;
    add(&s->events, (struct sl_item){at_ns, READY, run});
    release_behind(s, run, at_ns);
}

void sl_service_ready(struct sl_service *s, uint32_t run, int64_t at_ns)
{
    uint32_t behind = s->length_ns ? SL_NO_INDEX : s->p->run.v[run].behind;

    s->ready_ns[run] = at_ns;
    if (behind == SL_NO_INDEX || s->since_ns[behind] != INT64_MAX) {
        release(s, run, behind == SL_NO_INDEX || s->since_ns[behind] < at_ns ? at_ns : s->since_ns[behind]);
        return;
    }
    s->next[run] = s->first[behind];
    s->first[behind] = run;
    s->parked++;
}

void sl_service_passed(struct sl_service *s, uint32_t run, int64_t at_ns)
{
    s->since_ns[run] = at_ns;
    release_behind(s, run, at_ns);
}

void sl_service_done(struct sl_service *s, uint32_t run, int64_t at_ns)
{
    uint32_t place = s->place_of[run];

    if (place == SL_NO_INDEX)
        return;
    s->place_of[run] = SL_NO_INDEX;
    if (at_ns < s->place.v[place].until_ns)
        add(&s->events, (struct sl_item){at_ns, FREED, place});
}

static void touch(struct sl_service *s, uint32_t pool)
{
    if (!s->touched[pool])
        *sl_vec_add(&s->serve) = pool;
    s->touched[pool] = true;
}

static void apply(struct sl_service *s, struct sl_item e)
{
    if (e.what == READY) {
        const struct sl_run *r = &s->p->run.v[e.which];
        add(&s->waiting[r->pool], (struct sl_item){s->length_ns ? -s->length_ns[e.which] : e.at_ns, 0, e.which});
        touch(s, r->pool);
    } else {
        uint32_t pool = s->place.v[e.which].pool;
        add(&s->free[pool], e);
        touch(s, pool);
    }
}

static void serve(struct sl_service *s, uint32_t pool, int64_t now_ns)
{
    struct sl_queue *waiting = &s->waiting[pool], *places = &s->free[pool];

    while (first_of(waiting) && first_of(places)) {
        struct sl_item first = *first_of(places);
        struct sl_place *place = &s->place.v[first.which];
        uint32_t run;
        int64_t at;
        if (place->until_ns <= now_ns) {
            take(places);
            continue;
        }
        run = take(waiting).which;
        if (first.what == FREED || !--place->left)
            take(places);
        at = s->since_ns[run] > first.at_ns ? s->since_ns[run] : first.at_ns;
        s->place_of[run] = first.which;
        s->begin(s, run, at, s->to);
    }
}

bool sl_service_next(struct sl_service *s)
{
    int64_t now;

    /* those that wait for one that is never ready: clocks disagree */
    for (uint32_t i = 0; !first_of(&s->events) && s->parked && i < s->p->run.n; i++)
        if (s->first[i] != SL_NO_INDEX)
            release_behind(s, i, INT64_MIN);
    if (!first_of(&s->events)) { /* those for whom there is no place any more */
        for (uint32_t pool = 0; pool < s->p->pool.n; pool++)
            if (first_of(&s->waiting[pool])) {
                uint32_t run = take(&s->waiting[pool]).which;
                s->begin(s, run, s->ready_ns[run], s->to);
                return true;
            }
        return false;
    }
    now = first_of(&s->events)->at_ns;
    for (const struct sl_item *e = first_of(&s->events); e && e->at_ns == now; e = first_of(&s->events))
        apply(s, take(&s->events));
    while (s->serve.n) {
        uint32_t pool = s->serve.v[--s->serve.n];
        s->touched[pool] = false;
        serve(s, pool, now);
    }
    return true;
}
