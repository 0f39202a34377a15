/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moments are the beginnings of segments, and when tasks are done; each is the latest of what it needs, another moment
 * plus a lag.  Lags are taken from the run, so that with factors of 1 one of them gives just what was: a wait that
 * another task ended keeps only what came after that end.  Moments are worked out depth first, as clocks that disagree
 * leave no order of time to go by; where they even form a circle, a moment stays as far behind the one before it in its
 * task as it was.
 */
#include "analyse/tasks/simulate.h"
#include "analyse/ext.h"
#include "analyse/tasks/changes.h"
#include "base/buf.h"

#include <math.h>
#include <stdlib.h>

struct place { /* on a worker, by the last who had it */
    int64_t free_ns;
    uint32_t seg; /* the last that ran there */
};

struct worker {
    SL_VEC(struct place) taken; /* a heap: the first to become free stands first */
    SL_VEC(struct place) free;  /* the last that became free stands last */
};

struct replay {
    const struct sl_workflow *w;
    struct sl_root_events *histories; /* of w: whether to go on */
    struct sl_changes *c;
    int64_t *time;        /* by moment (segment, then task: done), since the beginning of the workflow */
    unsigned char *state; /* by moment: 0 unknown, 1 being worked out, 2 known */
    uint32_t *task_of;    /* by segment */
    uint32_t *queue; /* by segment that is the first to run: where its queue begins; SL_NO_INDEX: it is not the first */
    uint32_t *run;   /* by segment: which such segment it leads to; SL_NO_INDEX: none */
    uint32_t *taken_from;  /* by segment that is the first to run: the segment that had the place before; SL_NO_INDEX */
    int64_t latency, turn; /* of waits for a place: without one who had it before; after that one left */
    struct sl_driver *why; /* by task: why the driver submitted it then */
    uint32_t *same_as;     /* by task: the first that was submitted in the same moment */
    uint32_t *idle_from;   /* by task: when it was submitted the driver had waited for all tasks from this one on */
    SL_VEC(uint32_t) stack;
};

#define FAR (INT64_MAX / 4) /* from the beginning of the workflow; what is later is as late */

static int64_t within(double ns)
{
    return ns > (double)FAR ? FAR : ns < (double)-FAR ? -FAR : llround(ns);
}

static int64_t scale(int64_t ns, double factor)
{
    return factor == 1 ? ns : within((double)ns * factor); /* doubles are exact for 104 days */
}

static int64_t moment_was(const struct replay *r, uint32_t moment)
{
    const struct sl_workflow *w = r->w;
    return moment < w->seg.n ? w->seg.v[moment].from_ns : w->task[moment - (uint32_t)w->seg.n].done_ns;
}

static uint32_t done_moment(const struct replay *r, uint32_t task)
{
    return (uint32_t)r->w->seg.n + task;
}

static enum sl_phase_kind kind_at(const struct replay *r, uint32_t seg)
{
    return r->w->states.v[r->w->seg.v[seg].state].kind;
}

/* The moment at which segment i of a task ends. */
static uint32_t end_moment(const struct replay *r, const struct sl_task *t, uint32_t seg)
{
    return seg + 1 < t->seg + t->nseg ? seg + 1 : done_moment(r, (uint32_t)(t - r->w->task));
}

/* ---- places on workers ---- */

/*
 * Where stretches of running begin, and which of the segments before them are the queue: from the first wait on,
 * between which it may be on its way.
 */
static void find_queues(struct replay *r, const struct sl_task *t)
{
    uint32_t run = SL_NO_INDEX, first = t->seg;

    for (uint32_t s = t->seg + t->nseg; s-- > first;) {
        enum sl_phase_kind kind = kind_at(r, s);
        if (kind == SL_PHASE_RUN && (s == first || kind_at(r, s - 1) != SL_PHASE_RUN)) {
            run = s;
            r->queue[s] = s;
        } else if (kind == SL_PHASE_WAIT && run != SL_NO_INDEX) {
            r->queue[run] = s;
        } else if (kind != SL_PHASE_WORK) {
            run = SL_NO_INDEX;
        }
        r->run[s] = run;
    }
}

/* Does a stretch of running begin with segment run?  *queue is where its queue does; run itself, where it did not wait.
 */
static bool begins_run(const struct replay *r, uint32_t run, uint32_t *queue)
{
    *queue = r->queue[run];
    return *queue != SL_NO_INDEX;
}

/* Is segment seg in a queue?  Where that begins. */
static bool in_queue(const struct replay *r, uint32_t seg, uint32_t *queue)
{
    uint32_t run = r->run[seg];

    *queue = run == SL_NO_INDEX ? SL_NO_INDEX : r->queue[run];
    return run != SL_NO_INDEX && *queue <= seg && seg < run;
}

static uint32_t run_end(const struct replay *r, const struct sl_task *t, uint32_t run)
{
    while (run + 1 < t->seg + t->nseg && kind_at(r, run + 1) == SL_PHASE_RUN)
        run++;
    return run;
}

struct running {
    int64_t from_ns;
    uint32_t queue, run;
};

static int by_from(const void *a, const void *b)
{
    const struct running *x = a, *y = b;

    if (x->from_ns != y->from_ns)
        return x->from_ns < y->from_ns ? -1 : 1;
    return (x->run > y->run) - (x->run < y->run);
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void take(struct worker *k, struct place p)
{
    size_t i = k->taken.n;

    sl_vec_add(&k->taken);
    for (; i && k->taken.v[(i - 1) / 2].free_ns > p.free_ns; i = (i - 1) / 2)
        k->taken.v[i] = k->taken.v[(i - 1) / 2];
    k->taken.v[i] = p;
}

/* Those that are free by then. */
static void release(struct worker *k, int64_t by_ns)
{
    while (k->taken.n && k->taken.v[0].free_ns <= by_ns) {
        struct place last = k->taken.v[--k->taken.n];
        size_t i = 0, n = k->taken.n;
        *sl_vec_add(&k->free) = k->taken.v[0];
        for (size_t child; (child = 2 * i + 1) < n; i = child) {
            child += child + 1 < n && k->taken.v[child + 1].free_ns < k->taken.v[child].free_ns;
            if (k->taken.v[child].free_ns >= last.free_ns)
                break;
            k->taken.v[i] = k->taken.v[child];
        }
        if (n)
            k->taken.v[i] = last;
    }
}

/* The worker of a segment; those of which nobody says it are one. */
static struct worker *worker_of(const struct replay *r, uint32_t *number, struct worker **all, size_t *n, uint32_t seg)
{
    uint32_t by = r->w->worker[r->w->seg.v[seg].span], at = by == SL_NO_INDEX ? r->w->s.g.n : by;

    if (number[at] == SL_NO_INDEX) {
        number[at] = (uint32_t)*n;
        *all = sl_realloc(*all, ++*n * sizeof **all);
        (*all)[*n - 1] = (struct worker){0};
    }
    return &(*all)[number[at]];
}

/*
 * Who had the place of each run before: of those on the worker that were free by then, the one that was so last.  Where
 * that was before the task came, what it waited all the same is what a wait takes at least.
 */
static void take_places(struct replay *r, const struct running *v, size_t n)
{
    const struct sl_workflow *w = r->w;
    uint32_t *number = sl_alloc(((size_t)w->s.g.n + 1) * sizeof *number);
    struct worker *all = NULL;
    size_t workers = 0;
    SL_VEC(int64_t) turns = {0};

    memset(number, 0xFF, ((size_t)w->s.g.n + 1) * sizeof *number);
    r->latency = INT64_MAX;
    for (size_t i = 0; i < n; i++) {
        const struct sl_task *t = &w->task[r->task_of[v[i].run]];
        struct worker *k = worker_of(r, number, &all, &workers, v[i].run);
        int64_t came = w->seg.v[v[i].queue].from_ns, waited = v[i].from_ns - came;
        uint32_t last = run_end(r, t, v[i].run);
        release(k, v[i].from_ns);
        if (k->free.n) {
            struct place p = k->free.v[--k->free.n];
            r->taken_from[v[i].run] = p.seg;
            if (p.free_ns > came) {
                *sl_vec_add(&turns) = v[i].from_ns - p.free_ns;
                waited = INT64_MAX;
            }
        }
        r->latency = waited < r->latency ? waited : r->latency;
        take(k, (struct place){moment_was(r, end_moment(r, t, last)), last});
    }
    if (r->latency == INT64_MAX)
        r->latency = 0;
    if (turns.n) {
        qsort(turns.v, turns.n, sizeof *turns.v, by_value);
        r->turn = turns.v[turns.n / 2];
    }
    for (size_t i = 0; i < workers; i++) {
        sl_vec_free(&all[i].taken);
        sl_vec_free(&all[i].free);
    }
    sl_vec_free(&turns);
    free(all);
    free(number);
}

static void find_places(struct replay *r)
{
    const struct sl_workflow *w = r->w;
    SL_VEC(struct running) v = {0};

    for (uint32_t i = 0; i < w->n; i++) {
        const struct sl_task *t = &w->task[i];
        find_queues(r, t);
        for (uint32_t s = t->seg; s < t->seg + t->nseg; s++) {
            uint32_t queue;
            if (!begins_run(r, s, &queue))
                continue;
            *sl_vec_add(&v) = (struct running){w->seg.v[s].from_ns, queue, s};
        }
    }
    if (v.n)
        qsort(v.v, v.n, sizeof *v.v, by_from);
    take_places(r, v.v, v.n);
    sl_vec_free(&v);
}

/* ---- what a moment needs ---- */

typedef void need_fn(struct replay *r, uint32_t on, int64_t lag_ns, void *to);

static double factor(const struct replay *r, uint32_t seg)
{
    return sl_changes_factor(r->c, seg);
}

/* The end of a segment of waiting for other tasks. */
static void need_awaited(struct replay *r, const struct sl_task *t, uint32_t seg, need_fn *need, void *to)
{
    const struct sl_workflow *w = r->w;
    uint32_t i = seg - t->seg;
    int64_t from = w->seg.v[seg].from_ns, end = sl_segment_end(w, t, i), at = from;
    uint32_t on = sl_awaited(w, t, i, &at);
    int64_t lag = scale(end - (on == SL_NO_INDEX ? from : at), factor(r, seg));

    need(r, seg, on == SL_NO_INDEX ? lag : 0, to);
    for (uint32_t k = t->pred; k < t->pred + t->npred; k++) {
        int64_t done = w->task[w->pred[k]].done_ns;
        if (done <= end)
            need(r, done_moment(r, w->pred[k]), lag, to);
        else if (w->pred[k] == on) /* clocks disagree: as far behind as it was */
            need(r, done_moment(r, w->pred[k]), end - done, to);
    }
}

/* What the place needs, for the segment that runs after a queue from segment `queue` on. */
static void need_place(struct replay *r, uint32_t queue, uint32_t run, need_fn *need, void *to)
{
    const struct sl_workflow *w = r->w;
    uint32_t before = r->taken_from[run], end;
    int64_t from = w->seg.v[queue].from_ns, start = w->seg.v[run].from_ns, wait = start - from, free_ns;
    double f = factor(r, queue);

    if (before == SL_NO_INDEX) {
        if (queue < run)
            need(r, queue, scale(wait, f), to);
        return;
    }
    end = end_moment(r, &w->task[r->task_of[before]], before);
    free_ns = moment_was(r, end);
    if (free_ns > from) { /* it waited for the place */
        need(r, queue, scale(wait < r->latency ? wait : r->latency, f), to);
        need(r, end, scale(start - free_ns, f), to);
    } else {
        if (queue < run)
            need(r, queue, scale(wait, f), to);
        need(r, end, queue < run ? scale(start - free_ns < r->turn ? start - free_ns : r->turn, f) : 0, to);
    }
}

/* The first event of a task. */
static void need_driver(struct replay *r, const struct sl_task *t, need_fn *need, void *to)
{
    const struct sl_workflow *w = r->w;
    uint32_t task = (uint32_t)(t - w->task);
    struct sl_driver d;
    int64_t own, at;

    if (t->npred && !t->depends && sl_awaited(w, t, SL_NO_INDEX, &at) != SL_NO_INDEX) {
        for (uint32_t k = t->pred; k < t->pred + t->npred; k++)
            if (w->task[w->pred[k]].done_ns <= t->first_ns)
                need(r, done_moment(r, w->pred[k]), scale(t->first_ns - at, factor(r, t->seg)), to);
        return;
    }
    if (r->same_as[task] != task) { /* submitted in the same moment */
        need(r, w->task[r->same_as[task]].seg, 0, to);
        return;
    }
    d = r->why[task];
    own = scale(t->first_ns - d.since_ns, sl_changes_driver(r->c, d.why));
    if (d.why == SL_DRIVER_FIRST)
        need(r, SL_NO_INDEX, own, to);
    else if (d.why == SL_DRIVER_BUSY)
        need(r, w->task[d.task].seg, own, to);
    else if (d.why == SL_DRIVER_REACTED)
        need(r, done_moment(r, d.task), own, to);
    else
        for (uint32_t k = r->idle_from[task]; k < w->n && w->task[k].first_ns < t->first_ns; k++)
            need(r, done_moment(r, k), own, to);
    /* who submits in order does not submit earlier than before */
    if (task && w->task[task - 1].first_ns < t->first_ns)
        need(r, w->task[task - 1].seg, 0, to);
}

/* The segment before the moment may be one in which the task waited for others. */
static bool after_wait(const struct replay *r, const struct sl_task *t, uint32_t before)
{
    int64_t at;

    if (!t->npred)
        return false;
    return t->depends ? kind_at(r, before) == SL_PHASE_DEPEND
                      : sl_awaited(r->w, t, before - t->seg, &at) != SL_NO_INDEX;
}

static void needs(struct replay *r, uint32_t moment, need_fn *need, void *to)
{
    const struct sl_workflow *w = r->w;
    bool done = moment >= w->seg.n;
    const struct sl_task *t = &w->task[done ? moment - (uint32_t)w->seg.n : r->task_of[moment]];
    uint32_t before = done ? t->seg + t->nseg - 1 : moment - 1, queue;

    if (!done && begins_run(r, moment, &queue)) {
        need_place(r, queue, moment, need, to);
        if (queue < moment)
            return;
    }
    if (moment == t->seg)
        need_driver(r, t, need, to);
    else if (after_wait(r, t, before))
        need_awaited(r, t, before, need, to);
    else if (in_queue(r, before, &queue)) /* where in the queue it is does not matter for anything else */
        need(r, queue, 0, to);
    else
        need(r, before, scale(moment_was(r, moment) - moment_was(r, before), factor(r, before)), to);
}

/* ---- all moments ---- */

struct latest {
    bool any;
    bool circle;
    int64_t ns; /* since the beginning of the workflow */
};

static void open_need(struct replay *r, uint32_t on, int64_t lag_ns, void *to)
{
    (void)lag_ns, (void)to;
    if (on != SL_NO_INDEX && r->state[on] == 0)
        *sl_vec_add(&r->stack) = on;
}

static void take_need(struct replay *r, uint32_t on, int64_t lag_ns, void *to)
{
    struct latest *l = to;
    int64_t at = (on == SL_NO_INDEX ? 0 : r->time[on]) + lag_ns;

    if (on != SL_NO_INDEX && r->state[on] != 2) {
        l->circle = true;
        return;
    }
    at = at > FAR ? FAR : at;
    if (!l->any || at > l->ns)
        l->ns = at;
    l->any = true;
}

static void settle(struct replay *r, uint32_t moment)
{
    const struct sl_workflow *w = r->w;
    struct latest l = {0};

    needs(r, moment, take_need, &l);
    if (l.circle || !l.any) {
        bool done = moment >= w->seg.n;
        const struct sl_task *t = &w->task[done ? moment - (uint32_t)w->seg.n : r->task_of[moment]];
        uint32_t before = done ? t->seg + t->nseg - 1 : moment - 1;
        int64_t at = moment == t->seg || r->state[before] != 2
                         ? moment_was(r, moment) - w->first_ns
                         : r->time[before] + moment_was(r, moment) - moment_was(r, before);
        if (!l.any || at > l.ns)
            l.ns = at;
    }
    r->time[moment] = l.ns;
    r->state[moment] = 2;
}

static void work_out(struct replay *r, uint32_t moment)
{
    *sl_vec_add(&r->stack) = moment;
    while (r->stack.n) {
        uint32_t at = r->stack.v[r->stack.n - 1];
        if (r->state[at] == 0) {
            r->state[at] = 1;
            needs(r, at, open_need, NULL);
            continue;
        }
        if (r->state[at] == 1)
            settle(r, at);
        r->stack.n--;
    }
}

/* ---- all of it ---- */

/*
 * What the driver did, once for each moment of submission.  When it has waited for all tasks, those before the wait
 * before need not be looked at again.  Tasks that begin when others are done speak for nobody else.
 */
static void find_driver(struct replay *r)
{
    const struct sl_workflow *w = r->w;
    uint32_t from = 0, last = SL_NO_INDEX;
    int64_t at;

    for (uint32_t i = 0; i < w->n; i++) {
        const struct sl_task *t = &w->task[i];
        bool own = !t->npred || t->depends || sl_awaited(w, t, SL_NO_INDEX, &at) == SL_NO_INDEX;
        bool same = last != SL_NO_INDEX && w->task[last].first_ns == t->first_ns;
        r->idle_from[i] = same ? r->idle_from[last] : from;
        r->same_as[i] = own && same ? last : i;
        if (!own || same)
            continue;
        last = i;
        r->why[i] = sl_driver_at(w, t->first_ns);
        if (i && r->why[i].why == SL_DRIVER_IDLE)
            from = i;
    }
}

static int finish(struct replay *r, struct sl_simulation *out, struct sl_err *err)
{
    const struct sl_workflow *w = r->w;
    int64_t last = 0, was = w->n ? w->task[w->by_done[w->n - 1]].done_ns : w->first_ns;

    out->first_ns = sl_alloc((size_t)w->n * sizeof *out->first_ns);
    out->done_ns = sl_alloc((size_t)w->n * sizeof *out->done_ns);
    for (uint32_t i = 0; i < w->n; i++) {
        int64_t done;
        if (i % 4096 == 0 && sl_root_events_interrupted(r->histories))
            return sl_err(err, SL_EIO, "interrupted");
        work_out(r, done_moment(r, i));
        done = r->time[done_moment(r, i)];
        out->first_ns[i] = w->first_ns + r->time[w->task[i].seg];
        out->done_ns[i] = w->first_ns + done;
        last = done > last ? done : last;
    }
    last += scale(w->last_ns - was, sl_changes_driver(r->c, SL_DRIVER_AFTER));
    out->last_ns = w->first_ns + (last > FAR ? FAR : last);
    return 0;
}

int sl_simulate(struct sl_simulation *out, struct sl_workflow *w, const char *changes, struct sl_err *err)
{
    struct replay r = {.w = w, .histories = &w->s};
    size_t moments = w->seg.n + w->n;
    int rc = sl_changes_parse(&r.c, w, changes, err);

    *out = (struct sl_simulation){0};
    if (!rc) {
        r.time = sl_alloc(moments * sizeof *r.time);
        r.state = sl_alloc(moments);
        r.task_of = sl_alloc(w->seg.n * sizeof *r.task_of);
        r.queue = sl_alloc(w->seg.n * sizeof *r.queue);
        r.run = sl_alloc(w->seg.n * sizeof *r.run);
        memset(r.queue, 0xFF, w->seg.n * sizeof *r.queue);
        r.taken_from = sl_alloc(w->seg.n * sizeof *r.taken_from);
        r.why = sl_alloc((size_t)w->n * sizeof *r.why);
        r.same_as = sl_alloc((size_t)w->n * sizeof *r.same_as);
        r.idle_from = sl_alloc((size_t)w->n * sizeof *r.idle_from);
        memset(r.taken_from, 0xFF, w->seg.n * sizeof *r.taken_from);
        for (uint32_t i = 0; i < w->n; i++)
            for (uint32_t s = w->task[i].seg; s < w->task[i].seg + w->task[i].nseg; s++)
                r.task_of[s] = i;
        find_places(&r);
        find_driver(&r);
        rc = finish(&r, out, err);
        free(r.time);
        free(r.state);
        free(r.task_of);
        free(r.queue);
        free(r.run);
        free(r.taken_from);
        free(r.why);
        free(r.same_as);
        free(r.idle_from);
        sl_vec_free(&r.stack);
    }
    sl_changes_free(r.c);
    return rc;
}

void sl_simulation_free(struct sl_simulation *r)
{
    free(r->first_ns);
    free(r->done_ns);
    *r = (struct sl_simulation){0};
}
