/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moments are the beginnings of segments, and when tasks are done; each is the latest of what it needs, another moment
 * plus a lag.  Lags are taken from the run, so that with factors of 1 one of them gives just what was: a wait that
 * another task ended keeps only what came after that end.  Most moments need the one before them in their task alone;
 * what else there is are edges.  Clocks that disagree can make circles of them: the edge that would close one is left
 * out, and its moment stays as far behind the one before it in its task as it was.  Beginnings of runs need a place,
 * too: these are served in order of time (places.h).
 *
 * Above 600 lines: moments, edges and their passes are one structure, which nobody else sees.
 */
#include "analyse/tasks/simulate.h"
#include "analyse/ext.h"
#include "analyse/tasks/changes/changes.h"
#include "analyse/tasks/service.h"
#include "base/buf.h"
#include "base/processors.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct edge {     /* a moment is this much later than another one at least */
    uint32_t met; /* the later one: into `met` */
    uint32_t by;  /* segment whose factor holds, DRIVER + why, or ALWAYS */
    int64_t lag_ns;
};
struct met { /* a moment to which edges lead, and how many */
    uint32_t moment, task, needs;
};
#define ALWAYS UINT32_MAX
#define FOLLOWS                                                                                                        \
    (UINT32_MAX - 1) /* only where the driver waits for no tasks: then this much after its submission before */
#define DRIVER (UINT32_MAX - 10)

enum { OPEN = 1, SETTLED = 2, STATE = 3, CHAINED = 4, QUEUED = 8, BEGINS = 16, ENDS = 32 };
enum { BITS = 64 };

struct sl_replay {
    struct sl_workflow *w;
    struct sl_places places;
    struct sl_apps apps;
    unsigned char *is; /* by moment: whether it is settled, CHAINED: needs the one before it alone; QUEUED: at once;
                          BEGINS, ENDS: a run does then */
    uint32_t *run_of, *run_after; /* by task the last of its runs, by run the one before it; SL_NO_INDEX */
    SL_VEC(struct met) met;
    SL_VEC(struct edge) edge;
    uint64_t *leads;        /* by moment, a bit: edges lead on from it; the last moment is the beginning of all */
    uint32_t *leads_before; /* by word of these: how many before it do */
    uint32_t *edge_at;      /* by moment that does, into edge */
    double bias;            /* NaN: not worked out yet */
    bool fitted;

    bool beside; /* a second thread is at it: */
    pthread_t thread;
    atomic_bool stop; /* nobody wants it any more */
    int rc;           /* how that ended */
    struct sl_err err;

    /* while it is made */
    uint32_t *task_of;     /* by segment */
    struct sl_driver *why; /* by task: why the driver submitted it then */
    uint32_t *same_as;     /* by task: the first that was submitted in the same moment */
    uint32_t *idle_from;   /* by task: when it was submitted the driver had waited for all tasks from this one on */
    SL_VEC(uint32_t) stack;
    SL_VEC(uint32_t) from; /* by edge: the earlier moment */
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

static uint32_t beginning(const struct sl_replay *r)
{
    return (uint32_t)r->w->seg.n + r->w->n;
}

/* Since the beginning of the workflow. */
static int64_t moment_was(const struct sl_replay *r, uint32_t moment)
{
    const struct sl_workflow *w = r->w;

    if (moment == beginning(r))
        return 0;
    return (moment < w->seg.n ? w->seg.v[moment].from_ns : w->task[moment - (uint32_t)w->seg.n].done_ns) - w->first_ns;
}

static uint32_t done_moment(const struct sl_replay *r, uint32_t task)
{
    return (uint32_t)r->w->seg.n + task;
}

static uint32_t task_at(const struct sl_replay *r, uint32_t moment)
{
    return moment < r->w->seg.n ? r->task_of[moment] : moment - (uint32_t)r->w->seg.n;
}

/* The moment at which a segment of the task ends. */
static uint32_t end_moment(const struct sl_replay *r, uint32_t task, uint32_t seg)
{
    const struct sl_task *t = &r->w->task[task];

    return seg + 1 < t->seg + t->nseg ? seg + 1 : done_moment(r, task);
}

/* The segment that ends at a moment which is not its task's first. */
static uint32_t segment_before(const struct sl_replay *r, uint32_t moment)
{
    const struct sl_task *t = &r->w->task[task_at(r, moment)];

    return moment < r->w->seg.n ? moment - 1 : t->seg + t->nseg - 1;
}

/* ---- what a moment needs ---- */

typedef void need_fn(struct sl_replay *r, uint32_t on, int64_t lag_ns, uint32_t by, void *to);

/* The end of a segment of waiting for other tasks. */
static void need_awaited(struct sl_replay *r, const struct sl_task *t, uint32_t seg, need_fn *need, void *to)
{
    const struct sl_workflow *w = r->w;
    uint32_t i = seg - t->seg;
    int64_t from = w->seg.v[seg].from_ns, end = sl_segment_end(w, t, i), at = from;
    uint32_t on = sl_awaited(w, t, i, &at);
    int64_t lag = end - (on == SL_NO_INDEX ? from : at);

    need(r, seg, on == SL_NO_INDEX ? lag : 0, seg, to);
    for (uint32_t k = t->pred; k < t->pred + t->npred; k++) {
        int64_t done = w->task[w->pred[k]].done_ns;
        if (done <= end)
            need(r, done_moment(r, w->pred[k]), lag, seg, to);
        else if (w->pred[k] == on) /* clocks disagree: as far behind as it was */
            need(r, done_moment(r, w->pred[k]), end - done, ALWAYS, to);
    }
}

/* The first event of a task. */
static void need_driver(struct sl_replay *r, const struct sl_task *t, need_fn *need, void *to)
{
    const struct sl_workflow *w = r->w;
    uint32_t task = (uint32_t)(t - w->task);
    struct sl_driver d;
    int64_t own, at;
    uint32_t by, before = task;

    if (t->npred && !t->depends && sl_awaited(w, t, SL_NO_INDEX, &at) != SL_NO_INDEX) {
        for (uint32_t k = t->pred; k < t->pred + t->npred; k++)
            if (w->task[w->pred[k]].done_ns <= t->first_ns)
                need(r, done_moment(r, w->pred[k]), t->first_ns - at, t->seg, to);
        return;
    }
    if (r->same_as[task] != task) { /* submitted in the same moment */
        need(r, w->task[r->same_as[task]].seg, 0, ALWAYS, to);
        return;
    }
    d = r->why[task];
    own = t->first_ns - d.since_ns;
    by = DRIVER + d.why;
    if (d.why == SL_DRIVER_FIRST)
        need(r, beginning(r), own, by, to);
    else if (d.why == SL_DRIVER_BUSY)
        need(r, w->task[d.task].seg, own, by, to);
    else if (d.why == SL_DRIVER_REACTED)
        need(r, done_moment(r, d.task), own, by, to);
    else
        for (uint32_t k = r->idle_from[task]; k < w->n && w->task[k].first_ns < t->first_ns; k++)
            need(r, done_moment(r, k), own, by, to);
    while (before && w->task[before - 1].first_ns == t->first_ns)
        before--;
    if (!before)
        return;
    /* who submits in order does not submit earlier than before */
    need(r, w->task[before - 1].seg, 0, ALWAYS, to);
    if (d.why == SL_DRIVER_IDLE || d.why == SL_DRIVER_REACTED)
        need(r, w->task[before - 1].seg, own, FOLLOWS, to);
}

/* The segment before the moment may be one in which the task waited for others. */
static bool after_wait(const struct sl_replay *r, const struct sl_task *t, uint32_t before)
{
    int64_t at;

    if (!t->npred)
        return false;
    return t->depends ? r->w->states.v[r->w->seg.v[before].state].kind == SL_PHASE_DEPEND
                      : sl_awaited(r->w, t, before - t->seg, &at) != SL_NO_INDEX;
}

static void needs(struct sl_replay *r, uint32_t moment, need_fn *need, void *to)
{
    const struct sl_task *t = &r->w->task[task_at(r, moment)];

    if (r->is[moment] & CHAINED)
        need(r, segment_before(r, moment), 0, ALWAYS, to);
    else if (moment == t->seg)
        need_driver(r, t, need, to);
    else
        need_awaited(r, t, segment_before(r, moment), need, to);
}

/* ---- how it is made ---- */

/*
 * What the driver did, once for each moment of submission.  When it has waited for all tasks, those before the wait
 * before need not be looked at again.  Tasks that begin when others are done speak for nobody else.
 */
static void find_driver(struct sl_replay *r)
{
    const struct sl_workflow *w = r->w;
    uint32_t from = 0, last = SL_NO_INDEX;
    int64_t at;

    r->why = sl_alloc((size_t)w->n * sizeof *r->why);
    r->same_as = sl_alloc((size_t)w->n * sizeof *r->same_as);
    r->idle_from = sl_alloc((size_t)w->n * sizeof *r->idle_from);
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

static uint32_t *none(size_t n)
{
    uint32_t *v = sl_alloc(n * sizeof *v);

    memset(v, 0xFF, n * sizeof *v);
    return v;
}

/* Which moments are which. */
static void find_moments(struct sl_replay *r)
{
    const struct sl_workflow *w = r->w;
    size_t moments = (size_t)beginning(r) + 1;

    r->task_of = sl_alloc(w->seg.n * sizeof *r->task_of);
    r->is = sl_alloc(moments);
    r->run_of = none(w->n);
    r->run_after = none(r->places.run.n);
    r->is[beginning(r)] = SETTLED;
    for (uint32_t i = 0; i < w->n; i++)
        for (uint32_t s = w->task[i].seg; s < w->task[i].seg + w->task[i].nseg; s++)
            r->task_of[s] = i;
    for (uint32_t i = 0; i < r->places.run.n; i++) {
        const struct sl_run *run = &r->places.run.v[i];
        r->run_after[i] = r->run_of[run->task];
        r->run_of[run->task] = i;
        r->is[run->first] |= BEGINS;
        r->is[end_moment(r, run->task, run->last)] |= ENDS;
        for (uint32_t s = run->queue; s < run->first; s++) /* where in it it is does not matter for anything else */
            r->is[s + 1] |= CHAINED | QUEUED;
    }
    for (uint32_t i = 0; i < w->n; i++) {
        const struct sl_task *t = &w->task[i];
        for (uint32_t s = t->seg; s < t->seg + t->nseg; s++)
            if (!after_wait(r, t, s))
                r->is[end_moment(r, i, s)] |= CHAINED;
    }
}

static void open_need(struct sl_replay *r, uint32_t on, int64_t lag_ns, uint32_t by, void *to)
{
    (void)lag_ns, (void)by, (void)to;
    if (!(r->is[on] & STATE))
        *sl_vec_add(&r->stack) = on;
}

/* Those that lead to a moment follow one another. */
static void add_edge(struct sl_replay *r, uint32_t from, uint32_t to, uint32_t by, int64_t lag_ns)
{
    if (!r->met.n || r->met.v[r->met.n - 1].moment != to)
        *sl_vec_add(&r->met) = (struct met){to, task_at(r, to), 0};
    r->met.v[r->met.n - 1].needs++;
    *sl_vec_add(&r->edge) = (struct edge){(uint32_t)r->met.n - 1, by, lag_ns};
    *sl_vec_add(&r->from) = from;
}

struct settling {
    uint32_t moment;
    bool any, circle;
};

static void settle_need(struct sl_replay *r, uint32_t on, int64_t lag_ns, uint32_t by, void *to)
{
    struct settling *s = to;

    if ((r->is[on] & STATE) != SETTLED) {
        s->circle = true;
        return;
    }
    s->any = true;
    if (!(r->is[s->moment] & CHAINED))
        add_edge(r, on, s->moment, by, lag_ns);
}

static void settle(struct sl_replay *r, uint32_t moment)
{
    const struct sl_task *t = &r->w->task[task_at(r, moment)];
    struct settling s = {.moment = moment};

    needs(r, moment, settle_need, &s);
    if (s.circle || !s.any) {
        uint32_t before = moment == t->seg ? SL_NO_INDEX : segment_before(r, moment);
        if (before == SL_NO_INDEX || (r->is[before] & STATE) != SETTLED)
            before = beginning(r);
        r->is[moment] &= (unsigned char)~(CHAINED | QUEUED);
        add_edge(r, before, moment, ALWAYS, moment_was(r, moment) - moment_was(r, before));
    }
    r->is[moment] = (unsigned char)((r->is[moment] & ~STATE) | SETTLED);
}

/* Depth first, so that an edge that would close a circle is found. */
static void find_edges(struct sl_replay *r, uint32_t moment)
{
    *sl_vec_add(&r->stack) = moment;
    while (r->stack.n) {
        uint32_t at = r->stack.v[r->stack.n - 1];
        if (!(r->is[at] & STATE)) {
            r->is[at] |= OPEN;
            needs(r, at, open_need, NULL);
            continue;
        }
        if ((r->is[at] & STATE) == OPEN)
            settle(r, at);
        r->stack.n--;
    }
}

static uint64_t bit_of(uint32_t moment)
{
    return UINT64_C(1) << moment % BITS;
}

/* Which it is of the moments that edges lead on from. */
static uint32_t leading(const struct sl_replay *r, uint32_t moment)
{
    uint64_t before = r->leads[moment / BITS] & (bit_of(moment) - 1);

    return r->leads_before[moment / BITS] + (uint32_t)__builtin_popcountll(before);
}

/* Side by side for each moment that they lead on from, by counting. */
static void sort_edges(struct sl_replay *r)
{
    size_t words = beginning(r) / BITS + 1;
    uint32_t from = 0;
    struct edge *v = sl_alloc(r->edge.n * sizeof *v);

    r->leads = sl_alloc(words * sizeof *r->leads);
    r->leads_before = sl_alloc(words * sizeof *r->leads_before);
    for (size_t i = 0; i < r->edge.n; i++)
        r->leads[r->from.v[i] / BITS] |= bit_of(r->from.v[i]);
    for (size_t i = 0; i < words; i++) {
        r->leads_before[i] = from;
        from += (uint32_t)__builtin_popcountll(r->leads[i]);
    }
    r->edge_at = sl_alloc(((size_t)from + 2) * sizeof *r->edge_at);
    for (size_t i = 0; i < r->edge.n; i++)
        r->edge_at[(size_t)leading(r, r->from.v[i]) + 2]++;
    for (size_t i = 2; i < (size_t)from + 2; i++)
        r->edge_at[i] += r->edge_at[i - 1];
    for (size_t i = 0; i < r->edge.n; i++)
        v[r->edge_at[(size_t)leading(r, r->from.v[i]) + 1]++] = r->edge.v[i];
    free(r->edge.v);
    r->edge.v = v;
    r->edge.cap = r->edge.n;
}

/* A second thread may not ask the connection. */
static bool is_stopped(struct sl_replay *r)
{
    return r->beside ? atomic_load(&r->stop) : sl_root_events_interrupted(&r->w->s);
}

/* What the workflow's places are made of asks the store, and the rest no longer does. */
static struct sl_replay *begin(struct sl_workflow *w)
{
    struct sl_replay *r = sl_alloc(sizeof *r);

    r->w = w;
    r->bias = NAN;
    sl_places_make(&r->places, w);
    return r;
}

static int make(struct sl_replay *r, struct sl_err *err)
{
    const struct sl_workflow *w = r->w;
    int rc = 0;

    find_moments(r);
    find_driver(r);
    for (uint32_t i = 0; i < w->n && !rc; i++) {
        if (i % 4096 == 0 && is_stopped(r))
            rc = sl_err(err, SL_EIO, "interrupted");
        find_edges(r, done_moment(r, i));
    }
    if (!rc && r->edge.n > UINT32_MAX)
        rc = sl_err(err, SL_ESTORE, "the workflow has more dependencies than this analysis can hold");
    if (!rc)
        sort_edges(r);
    sl_vec_free(&r->from);
    free(r->task_of);
    free(r->why);
    free(r->same_as);
    free(r->idle_from);
    sl_vec_free(&r->stack);
    r->why = NULL;
    r->task_of = r->same_as = r->idle_from = NULL;
    return rc;
}

int sl_replay_make(struct sl_replay **out, struct sl_workflow *w, struct sl_err *err)
{
    *out = begin(w);
    return make(*out, err);
}

int sl_replay_wait(struct sl_replay *r, struct sl_err *err)
{
    if (r->beside)
        pthread_join(r->thread, NULL);
    r->beside = false;
    return r->rc ? sl_err(err, r->rc, "%s", r->err.text) : 0;
}

void sl_replay_free(struct sl_replay *r)
{
    if (!r)
        return;
    atomic_store(&r->stop, true);
    sl_replay_wait(r, NULL);
    sl_places_free(&r->places);
    sl_apps_free(&r->apps);
    free(r->is);
    free(r->run_of);
    free(r->run_after);
    sl_vec_free(&r->met);
    sl_vec_free(&r->edge);
    free(r->leads);
    free(r->leads_before);
    free(r->edge_at);
    free(r);
}

const struct sl_workflow *sl_replay_workflow(const struct sl_replay *r)
{
    return r->w;
}

const struct sl_places *sl_replay_places(const struct sl_replay *r)
{
    return &r->places;
}

int sl_replay_apps(const struct sl_apps **out, struct sl_replay *r, struct sl_err *err)
{
    *out = &r->apps;
    return sl_apps_load(&r->apps, r->w, err);
}

/* ---- one replay ---- */

struct known { /* a moment, since the beginning */
    int64_t at_ns;
    uint32_t moment, task;
};

struct play {
    struct sl_replay *r;
    const struct sl_changes *c;
    const double *scaled;        /* by segment, beside the changes; NULL */
    bool typical;                /* what waits of their own are longer than usual are as usual */
    bool as_it_was;              /* runs begin when they did: what they wait on their own is what is left then */
    int64_t *first_ns, *done_ns; /* by task, since the beginning */
    int64_t *latest_ns;          /* by `met`: of what it needs so far */
    uint32_t *missing;           /* by `met`: how many of its needs are not known yet */
    struct sl_service service;
    int64_t *length_ns;         /* by run, where the longest is first; NULL */
    SL_VEC(struct known) known; /* from which to go on */
};

static double factor_of(const struct play *p, uint32_t by)
{
    double scaled = p->scaled && by < p->r->w->seg.n ? p->scaled[by] : 1;

    if (by == FOLLOWS)
        return p->c && sl_changes_no_barriers(p->c) ? 1 : 0;
    if (by == ALWAYS || !p->c)
        return 1;
    return by >= DRIVER ? sl_changes_driver(p->c, (enum sl_driver_why)(by - DRIVER))
                        : scaled * sl_changes_factor(p->c, by);
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The run that begins with a segment of the task, or that ends at a moment; SL_NO_INDEX: none. */
static uint32_t run_from(const struct sl_replay *r, uint32_t task, uint32_t moment)
{
    uint32_t i = r->is[moment] & BEGINS ? r->run_of[task] : SL_NO_INDEX;

    while (i != SL_NO_INDEX && r->places.run.v[i].first != moment)
        i = r->run_after[i];
    return i;
}

static uint32_t run_until(const struct sl_replay *r, uint32_t task, uint32_t moment)
{
    uint32_t i = r->is[moment] & ENDS ? r->run_of[task] : SL_NO_INDEX;

    while (i != SL_NO_INDEX && end_moment(r, task, r->places.run.v[i].last) != moment)
        i = r->run_after[i];
    return i;
}

/* From now on the moment of the task is at_ns. */
static void know(struct play *p, uint32_t task, uint32_t moment, int64_t at_ns)
{
    const struct sl_workflow *w = p->r->w;

    if (moment >= w->seg.n)
        p->done_ns[task] = at_ns;
    else if (moment == w->task[task].seg)
        p->first_ns[task] = at_ns;
    *sl_vec_add(&p->known) = (struct known){at_ns, moment, task};
}

/* A moment has all that it needs but a place. */
static void reach(struct play *p, uint32_t task, uint32_t moment, int64_t at_ns)
{
    uint32_t run = run_from(p->r, task, moment);

    at_ns = at_ns > FAR ? FAR : at_ns;
    if (run != SL_NO_INDEX && p->c && sl_changes_drops(p->c, run)) {
        sl_service_passed(&p->service, run, at_ns);
        run = SL_NO_INDEX;
    }
    if (run == SL_NO_INDEX)
        know(p, task, moment, at_ns);
    else
        sl_service_ready(&p->service, run, at_ns);
}

/* The driver submits when this task is done. */
static bool is_barrier(uint32_t by)
{
    return by == DRIVER + SL_DRIVER_IDLE || by == DRIVER + SL_DRIVER_REACTED;
}

/* A task waits for another one that is done, and need not. */
static bool is_ignored(const struct play *p, const struct known *at, uint32_t by, uint32_t waits)
{
    const struct sl_workflow *w = p->r->w;

    return p->c && at->moment >= w->seg.n && by < w->seg.n && w->states.v[w->seg.v[by].state].kind == SL_PHASE_DEPEND &&
           sl_changes_ignores(p->c, waits, at->task);
}

/* Along the edges that lead on from a moment. */
static void follow(struct play *p, const struct known *at)
{
    const struct sl_replay *r = p->r;
    uint32_t nth = leading(r, at->moment);

    for (uint32_t i = r->edge_at[nth]; i < r->edge_at[(size_t)nth + 1]; i++) {
        const struct edge *e = &r->edge.v[i];
        int64_t *latest = &p->latest_ns[e->met];
        if ((!is_barrier(e->by) || !p->c || !sl_changes_no_barriers(p->c)) &&
            !is_ignored(p, at, e->by, r->met.v[e->met].task))
            *latest = later(*latest, at->at_ns + scale(e->lag_ns, factor_of(p, e->by)));
        if (!--p->missing[e->met])
            reach(p, r->met.v[e->met].task, r->met.v[e->met].moment, *latest);
    }
}

/* On from moments whose time is known. */
static void go_on(struct play *p)
{
    const struct sl_replay *r = p->r;

    while (p->known.n) {
        struct known at = p->known.v[--p->known.n];
        uint32_t next, run = run_until(r, at.task, at.moment);
        if (run != SL_NO_INDEX)
            sl_service_done(&p->service, run, at.at_ns);
        if (r->leads[at.moment / BITS] & bit_of(at.moment))
            follow(p, &at);
        if (at.moment >= r->w->seg.n)
            continue;
        next = end_moment(r, at.task, at.moment);
        if (r->is[next] & QUEUED)
            reach(p, at.task, next, at.at_ns);
        else if (r->is[next] & CHAINED)
            reach(p, at.task, next,
                  at.at_ns + scale(moment_was(r, next) - moment_was(r, at.moment), factor_of(p, at.moment)));
    }
}

static void begin_run(struct sl_service *s, uint32_t i, int64_t at_ns, void *to)
{
    struct play *p = to;
    struct sl_run *run = &p->r->places.run.v[i];
    int64_t own, typical = p->r->places.pool.v[run->pool].typical_own_ns;

    if (p->as_it_was)
        run->own_ns = run->from_ns - at_ns;
    own = run->own_ns;
    if (p->typical)
        own = own > typical ? typical : own < 0 ? 0 : own;
    at_ns += scale(own, factor_of(p, run->queue));
    know(p, run->task, run->first, at_ns > FAR ? FAR : later(at_ns, s->ready_ns[i]));
    go_on(p);
}

/* How long each run takes with the changes, on its worker. */
static int64_t *find_lengths(const struct play *p)
{
    const struct sl_workflow *w = p->r->w;
    const struct sl_places *places = &p->r->places;
    int64_t *length_ns = sl_alloc((places->run.n + 1) * sizeof *length_ns);

    for (size_t i = 0; i < places->run.n; i++) {
        const struct sl_run *run = &places->run.v[i];
        const struct sl_task *t = &w->task[run->task];
        for (uint32_t s = run->first; s <= run->last; s++)
            length_ns[i] += scale(sl_segment_end(w, t, s - t->seg) - w->seg.v[s].from_ns, factor_of(p, s));
    }
    return length_ns;
}

static int play(struct play *p, struct sl_err *err)
{
    const struct sl_replay *r = p->r;
    int rc = 0;

    p->first_ns = sl_alloc((size_t)r->w->n * sizeof *p->first_ns);
    p->done_ns = sl_alloc((size_t)r->w->n * sizeof *p->done_ns);
    p->latest_ns = sl_alloc(r->met.n * sizeof *p->latest_ns);
    p->missing = sl_alloc(r->met.n * sizeof *p->missing);
    for (size_t i = 0; i < r->met.n; i++) {
        p->latest_ns[i] = INT64_MIN;
        p->missing[i] = r->met.v[i].needs;
    }
    sl_service_init(&p->service, &r->places, p->c ? sl_changes_workers(p->c) : NULL,
                    p->c ? sl_changes_later(p->c) : NULL, p->c ? sl_changes_arrival(p->c) : NULL, begin_run, p);
    if (p->c && sl_changes_longest_first(p->c))
        p->service.length_ns = p->length_ns = find_lengths(p);
    *sl_vec_add(&p->known) = (struct known){0, beginning(r), SL_NO_INDEX};
    go_on(p);
    for (uint32_t n = 1; sl_service_next(&p->service) && !rc; n++)
        if (n % 4096 == 0 && is_stopped(p->r))
            rc = sl_err(err, SL_EIO, "interrupted");
    return rc;
}

static void free_play(struct play *p)
{
    free(p->first_ns);
    free(p->done_ns);
    free(p->latest_ns);
    free(p->missing);
    free(p->length_ns);
    sl_service_free(&p->service);
    sl_vec_free(&p->known);
}

static int64_t last_done(const struct play *p)
{
    int64_t last = 0;

    for (uint32_t i = 0; i < p->r->w->n; i++)
        last = later(last, p->done_ns[i]);
    return last;
}

/*
 * Once: what runs wait on their own, as places_make() has it, but by the very steps that the other replays take.  Where
 * clocks disagree a task can be known to be ready only when it has been for some time.
 */
static int fit(struct sl_replay *r, struct sl_err *err)
{
    struct play p = {.r = r, .as_it_was = true};
    int rc = r->fitted ? 1 : play(&p, err);

    if (rc <= 0)
        free_play(&p);
    r->fitted |= !rc;
    return rc < 0 ? rc : 0;
}

/* How much shorter the run is, as a part of it, were no task to wait while a place is free for longer than usual. */
static int find_bias(struct sl_replay *r, struct sl_err *err)
{
    const struct sl_workflow *w = r->w;
    struct play p = {.r = r, .typical = true};
    int rc = isnan(r->bias) ? play(&p, err) : 1;

    if (!rc) {
        int64_t was = w->n ? w->task[w->by_done[w->n - 1]].done_ns - w->first_ns : 0;
        r->bias = was > 0 ? (double)(last_done(&p) - was) / (double)was : 0;
    }
    if (rc <= 0)
        free_play(&p);
    return rc < 0 ? rc : 0;
}

/* All that comes before the first changes. */
static void *go_beside(void *of)
{
    struct sl_replay *r = of;

    r->rc = make(r, &r->err);
    if (!r->rc)
        r->rc = fit(r, &r->err);
    if (!r->rc)
        r->rc = find_bias(r, &r->err);
    return NULL;
}

int sl_replay_begin(struct sl_replay **out, struct sl_workflow *w, struct sl_err *err)
{
    struct sl_replay *r = *out = begin(w);

    r->beside = w->n >= SL_REPLAY_BESIDE && sl_processors() > 1;
    if (r->beside && pthread_create(&r->thread, NULL, go_beside, r) == 0)
        return 0;
    r->beside = false;
    return make(r, err);
}

int sl_replay_play(struct sl_simulation *out, struct sl_replay *r, const char *changes, struct sl_err *err)
{
    return sl_replay_play_scaled(out, r, changes, NULL, err);
}

int sl_replay_play_scaled(struct sl_simulation *out, struct sl_replay *r, const char *changes, const double *factor,
                          struct sl_err *err)
{
    const struct sl_workflow *w = r->w;
    struct sl_changes *c;
    struct play p = {.r = r, .scaled = factor};
    int64_t last, was = w->n ? w->task[w->by_done[w->n - 1]].done_ns : w->first_ns;
    int rc = sl_changes_parse(&c, w, &r->places, &r->apps, changes, err);

    *out = (struct sl_simulation){0};
    p.c = c;
    if (!rc)
        rc = fit(r, err);
    if (!rc)
        rc = find_bias(r, err);
    if (!rc) {
        rc = play(&p, err);
        last = rc ? 0 : last_done(&p) + scale(w->last_ns - was, sl_changes_driver(c, SL_DRIVER_AFTER));
        out->first_ns = p.first_ns;
        out->done_ns = p.done_ns;
        p.first_ns = p.done_ns = NULL;
        for (uint32_t i = 0; i < w->n; i++) {
            out->first_ns[i] += w->first_ns;
            out->done_ns[i] += w->first_ns;
        }
        out->last_ns = w->first_ns + (last > FAR ? FAR : last);
        out->bias = r->bias;
        out->assumed = sl_changes_assumed(c);
        free_play(&p);
    }
    sl_changes_free(c);
    return rc;
}

void sl_simulation_free(struct sl_simulation *r)
{
    free(r->first_ns);
    free(r->done_ns);
    free(r->assumed);
    *r = (struct sl_simulation){0};
}
