/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/tasks/path.h"

#include <stdlib.h>

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* ---- the driver ---- */

const char *const sl_driver_states[] = {[SL_DRIVER_FIRST] = "before the first task",
                                        [SL_DRIVER_IDLE] = "idle",
                                        [SL_DRIVER_REACTED] = "between submissions",
                                        [SL_DRIVER_BUSY] = "between submissions",
                                        [SL_DRIVER_AFTER] = "after the last task"};

/* How many tasks were submitted before time_ns. */
static uint32_t submitted_before(const struct sl_workflow *w, int64_t time_ns)
{
    uint32_t lo = 0, hi = w->n;

    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (w->task[mid].first_ns < time_ns)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* *gap: since the submission before; *ended: when the last task was done that was submitted before; INT64_MIN: none. */
static struct sl_driver driver_at(const struct sl_workflow *w, int64_t time_ns, int64_t *gap, int64_t *ended)
{
    uint32_t before = submitted_before(w, time_ns), done = sl_workflow_done_by(w, time_ns), last = done;
    int64_t previous, end;

    *gap = 0;
    *ended = INT64_MIN;
    if (!before)
        return (struct sl_driver){SL_DRIVER_FIRST, w->first_ns, SL_NO_INDEX};
    previous = w->task[before - 1].first_ns;
    *gap = time_ns - previous;
    for (uint32_t i = before; i < w->n && w->task[i].first_ns == time_ns; i++)
        done -= w->task[i].done_ns <= time_ns; /* submitted and done at this very moment */
    while (last && w->task[w->by_done[last - 1]].first_ns >= time_ns)
        last--;
    if (!last)
        return (struct sl_driver){SL_DRIVER_BUSY, previous, before - 1};
    end = *ended = w->task[w->by_done[last - 1]].done_ns;
    if (done == before)
        return (struct sl_driver){SL_DRIVER_IDLE, end, w->by_done[last - 1]};
    if (end > previous && end - previous >= SL_DRIVER_WAITS_NS && time_ns - end <= (end - previous) / SL_DRIVER_REACTS)
        return (struct sl_driver){SL_DRIVER_REACTED, end, w->by_done[last - 1]};
    return (struct sl_driver){SL_DRIVER_BUSY, previous, before - 1};
}

struct sl_driver sl_driver_at(const struct sl_workflow *w, int64_t time_ns)
{
    int64_t gap, ended;
    struct sl_driver d = driver_at(w, time_ns, &gap, &ended);

    if (gap >= SL_DRIVER_WAITS_NS && gap <= w->pause_ns && d.why != SL_DRIVER_BUSY)
        return (struct sl_driver){SL_DRIVER_BUSY, time_ns - gap, submitted_before(w, time_ns) - 1};
    return d;
}

typedef SL_VEC(int64_t) durations;

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* What lies between the first and the last quarter of them; sorts. */
static int64_t spread(durations *d)
{
    qsort(d->v, d->n, sizeof *d->v, by_value);
    return d->v[3 * d->n / 4] - d->v[d->n / 4];
}

int64_t sl_driver_pause(const struct sl_workflow *w)
{
    durations own = {0}, pause = {0}, rest = {0}; /* rest: of a pause, when the task was done */
    int64_t gap, ended, usual = 0;

    for (uint32_t i = 1; i < w->n; i++) {
        struct sl_driver d;
        if (w->task[i].first_ns - w->task[i - 1].first_ns < SL_DRIVER_WAITS_NS ||
            (w->task[i].npred && !w->task[i].depends)) /* it began when others were done */
            continue;
        d = driver_at(w, w->task[i].first_ns, &gap, &ended);
        if (d.why == SL_DRIVER_IDLE || d.why == SL_DRIVER_REACTED) {
            *sl_vec_add(&pause) = gap;
            *sl_vec_add(&rest) = w->task[i].first_ns - ended;
        } else if (ended <= w->task[i - 1].first_ns) {
            *sl_vec_add(&own) = gap;
        }
    }
    if (own.n >= SL_DRIVER_PAUSES) {
        spread(&own);
        usual = own.v[3 * own.n / 4];
    } else if (pause.n >= SL_DRIVER_PAUSES) {
        int64_t of_pauses = spread(&pause);
        if (of_pauses <= pause.v[pause.n / 2] / 20 && of_pauses < spread(&rest) / 2)
            usual = pause.v[3 * pause.n / 4];
    }
    sl_vec_free(&own);
    sl_vec_free(&pause);
    sl_vec_free(&rest);
    return usual + usual / 4;
}

/* ---- waits ---- */

/* The last segment in which a task waits for others begins then; tasks that wait for none: never. */
static int64_t last_wait(const struct sl_workflow *w, const struct sl_task *t)
{
    for (uint32_t i = t->nseg; t->depends && i-- > 0;)
        if (w->states.v[w->seg.v[t->seg + i].state].kind == SL_PHASE_DEPEND)
            return w->seg.v[t->seg + i].from_ns;
    return INT64_MIN;
}

uint32_t sl_awaited(const struct sl_workflow *w, const struct sl_task *t, uint32_t i, int64_t *at_ns)
{
    int64_t from = i == SL_NO_INDEX ? INT64_MIN : w->seg.v[t->seg + i].from_ns;
    int64_t to = i == SL_NO_INDEX ? t->first_ns : sl_segment_end(w, t, i);
    uint32_t best = SL_NO_INDEX, late = SL_NO_INDEX;

    for (uint32_t k = t->pred; k < t->pred + t->npred; k++) {
        const struct sl_task *p = &w->task[w->pred[k]];
        if (p->done_ns > from && p->done_ns <= to && (best == SL_NO_INDEX || p->done_ns > w->task[best].done_ns))
            best = w->pred[k];
        if (p->done_ns > to && p->first_ns < to && (late == SL_NO_INDEX || p->done_ns > w->task[late].done_ns))
            late = w->pred[k];
    }
    if (best == SL_NO_INDEX && late != SL_NO_INDEX && t->depends && last_wait(w, t) == from) {
        *at_ns = to; /* clocks disagree: it cannot have gone on before */
        return late;
    }
    if (best != SL_NO_INDEX)
        *at_ns = w->task[best].done_ns;
    return best;
}

static bool may_wait(const struct sl_workflow *w, const struct sl_task *t, uint32_t i)
{
    return t->npred && (!t->depends || w->states.v[w->seg.v[t->seg + i].state].kind == SL_PHASE_DEPEND);
}

/* ---- the path ---- */

struct maker {
    struct sl_path *p;
    const struct sl_workflow *w;
    int64_t *entered; /* by task: the path came to it at this time */
    bool *has_entered;
    int64_t t; /* all after it is given */
};

/* Gives the time back to start_ns, if that is earlier than what is given.  Parts are in reverse order for now. */
static void give(struct maker *m, int64_t start_ns, uint32_t task, uint32_t span, const char *component,
                 const char *state)
{
    struct sl_path_part *last = m->p->v.n ? &m->p->v.v[m->p->v.n - 1] : NULL;

    start_ns = later(start_ns, m->w->first_ns);
    if (start_ns >= m->t)
        return;
    if (last && last->task == task && !strcmp(last->component, component) && !strcmp(last->state, state)) {
        last->start_ns = start_ns;
        last->span = span;
    } else {
        *sl_vec_add(&m->p->v) = (struct sl_path_part){start_ns, m->t, task, span, component, state};
    }
    m->t = start_ns;
}

/* What lies around a span that is its own only task is no driver's. */
static void give_driver(struct maker *m, int64_t start_ns, enum sl_driver_why why)
{
    const struct sl_graph *g = &m->w->s.g;

    if (m->w->alone)
        give(m, start_ns, 0, m->w->root, g->names.text[g->type[m->w->root]],
             why == SL_DRIVER_AFTER ? "after it was done" : "before it began");
    else
        give(m, start_ns, SL_NO_INDEX, m->w->root, "driver", sl_driver_states[why]);
}

/* From a submission back to a task whose end the driver waited for; SL_NO_INDEX: to the beginning. */
static uint32_t follow_driver(struct maker *m)
{
    for (;;) {
        struct sl_driver d = sl_driver_at(m->w, m->t);
        give_driver(m, d.since_ns, d.why);
        if (d.why == SL_DRIVER_FIRST)
            return SL_NO_INDEX;
        if (d.why != SL_DRIVER_BUSY)
            return d.task;
    }
}

/* Goes to task `to` at m->t.  No: the path was there at this moment already, in a circle. */
static bool enter(struct maker *m, uint32_t to)
{
    if (m->has_entered[to] && m->entered[to] == m->t)
        return false;
    m->has_entered[to] = true;
    m->entered[to] = m->t;
    return true;
}

/* Who handed over to the task that begins at m->t; of several the last to end. */
static uint32_t handed_over(const struct maker *m, const struct sl_task *t, int64_t *at_ns)
{
    uint32_t best = SL_NO_INDEX;

    for (uint32_t k = t->flow; k < t->flow + t->nflow; k++) {
        const struct sl_task *p = &m->w->task[m->w->pred[k]];
        int64_t at = earlier(p->done_ns, m->t);
        if (p->first_ns < m->t && (best == SL_NO_INDEX || at > *at_ns)) {
            best = m->w->pred[k];
            *at_ns = at;
        }
    }
    return best;
}

/* Where the path goes on before the first event of a task. */
static uint32_t before_first(struct maker *m, uint32_t task)
{
    const struct sl_task *t = &m->w->task[task];
    const struct sl_phase_state *first = &m->w->states.v[m->w->seg.v[t->seg].state];
    int64_t at = 0;
    uint32_t from = handed_over(m, t, &at);

    if (from == SL_NO_INDEX && t->npred && !t->depends)
        from = sl_awaited(m->w, t, SL_NO_INDEX, &at);
    if (from == SL_NO_INDEX || at > m->t || !enter(m, from))
        return follow_driver(m);
    give(m, at, task, t->span, first->component, "waiting to begin");
    return from;
}

/* Back through a task; returns where the path goes on. */
static uint32_t follow_task(struct maker *m, uint32_t task)
{
    const struct sl_task *t = &m->w->task[task];

    for (uint32_t i = t->nseg; i-- > 0;) {
        const struct sl_segment *g = &m->w->seg.v[t->seg + i];
        const struct sl_phase_state *state = &m->w->states.v[g->state];
        int64_t at;
        uint32_t on;
        if (g->from_ns >= m->t)
            continue;
        on = may_wait(m->w, t, i) ? sl_awaited(m->w, t, i, &at) : SL_NO_INDEX;
        if (on != SL_NO_INDEX && at <= m->t) {
            give(m, at, task, g->span, state->component, state->state);
            if (enter(m, on))
                return on;
        }
        give(m, g->from_ns, task, g->span, state->component, state->state);
    }
    return before_first(m, task);
}

static void reverse(struct sl_path *p)
{
    for (size_t i = 0; i < p->v.n / 2; i++) {
        struct sl_path_part x = p->v.v[i];
        p->v.v[i] = p->v.v[p->v.n - 1 - i];
        p->v.v[p->v.n - 1 - i] = x;
    }
}

void sl_path_make(struct sl_path *out, const struct sl_workflow *w)
{
    struct maker m = {.p = out, .w = w, .t = w->last_ns};
    uint32_t at = w->n ? w->by_done[w->n - 1] : SL_NO_INDEX;

    *out = (struct sl_path){0};
    m.entered = sl_alloc(w->n * sizeof *m.entered);
    m.has_entered = sl_alloc(w->n * sizeof *m.has_entered);
    if (at != SL_NO_INDEX && w->task[at].done_ns < w->last_ns)
        give_driver(&m, w->task[at].done_ns, SL_DRIVER_AFTER);
    while (at != SL_NO_INDEX)
        at = follow_task(&m, at);
    give_driver(&m, w->first_ns, SL_DRIVER_FIRST);
    free(m.entered);
    free(m.has_entered);
    reverse(out);
}

void sl_path_free(struct sl_path *p)
{
    sl_vec_free(&p->v);
}

/* ---- slack ---- */

/* x waited from `from` on, until at_ns: so much later could all that were done before have been. */
static void relax(const struct sl_workflow *w, int64_t *slack, const struct sl_task *x, int64_t x_slack, int64_t after,
                  int64_t until, int64_t at_ns)
{
    for (uint32_t k = x->pred; k < x->pred + x->npred; k++) {
        int64_t done = w->task[w->pred[k]].done_ns;
        if (done > after && done <= until)
            slack[w->pred[k]] = earlier(slack[w->pred[k]], later(at_ns - done, 0) + x_slack);
    }
}

static void relax_task(const struct sl_workflow *w, int64_t *slack, uint32_t task)
{
    const struct sl_task *x = &w->task[task];
    int64_t after = INT64_MIN, at, mine = slack[task];

    if (!x->npred)
        return;
    if (!x->depends && sl_awaited(w, x, SL_NO_INDEX, &at) != SL_NO_INDEX) {
        relax(w, slack, x, mine, INT64_MIN, x->first_ns, at);
        after = x->first_ns;
    }
    for (uint32_t i = 0; i < x->nseg; i++) {
        int64_t from = w->seg.v[x->seg + i].from_ns, to = sl_segment_end(w, x, i);
        if (!may_wait(w, x, i))
            continue;
        if (x->depends && last_wait(w, x) == from)
            to = INT64_MAX; /* and those who say that they were done too late */
        if (sl_awaited(w, x, i, &at) == SL_NO_INDEX)
            at = from;
        relax(w, slack, x, mine, after, to, at);
        after = to;
    }
}

/*
 * The driver as a chain of submissions.  Delayed at one, it delays all behind it, but for the time that it waited.
 * Tasks are settled from the last done to the first; by then all that were submitted after one was done are settled.
 */
struct chain {
    const struct sl_workflow *w;
    int64_t *slack;  /* by task */
    int64_t *submit; /* by task: how much later its submission could have been; known from `known` on */
    struct sl_driver *why;
    uint32_t known;
    uint32_t *reacted; /* by task: who was submitted when it was done; SL_NO_INDEX */
    uint32_t at;       /* submissions from this one on were looked at */
    uint32_t idle;     /* of these, the first before which the driver waited for all; SL_NO_INDEX */
};

static void init_chain(struct chain *c)
{
    const struct sl_workflow *w = c->w;

    c->submit = sl_alloc((size_t)w->n * sizeof *c->submit);
    c->why = sl_alloc((size_t)w->n * sizeof *c->why);
    c->reacted = sl_alloc((size_t)w->n * sizeof *c->reacted);
    memset(c->reacted, 0xFF, (size_t)w->n * sizeof *c->reacted);
    c->known = c->at = w->n;
    c->idle = SL_NO_INDEX;
    for (uint32_t i = 0; i < w->n; i++) {
        bool same = i && w->task[i].first_ns == w->task[i - 1].first_ns;
        c->why[i] = same ? (struct sl_driver){SL_DRIVER_BUSY, w->task[i].first_ns, i - 1}
                         : sl_driver_at(w, w->task[i].first_ns);
        if (c->why[i].why == SL_DRIVER_REACTED)
            c->reacted[c->why[i].task] = i;
    }
}

/* How long a task waited for others when it had been submitted: so much later it could have been. */
static int64_t first_wait(const struct sl_workflow *w, const struct sl_task *t)
{
    int64_t at;

    for (uint32_t i = 0; i < t->nseg; i++)
        if (t->depends && may_wait(w, t, i))
            return sl_awaited(w, t, i, &at) == SL_NO_INDEX ? 0 : at - w->seg.v[t->seg + i].from_ns;
    return 0;
}

static int64_t submit_slack(struct chain *c, uint32_t i)
{
    while (c->known > i) {
        uint32_t k = --c->known;
        c->submit[k] = c->slack[k] + first_wait(c->w, &c->w->task[k]);
        if (k + 1 < c->w->n) {
            int64_t waited =
                c->why[k + 1].why == SL_DRIVER_BUSY ? 0 : later(c->why[k + 1].since_ns - c->w->task[k].first_ns, 0);
            c->submit[k] = earlier(c->submit[k], waited + c->submit[k + 1]);
        }
    }
    return c->submit[i];
}

/* What the driver waited for: this task, or all. */
static void relax_driver(struct chain *c, uint32_t x)
{
    const struct sl_workflow *w = c->w;
    int64_t done = w->task[x].done_ns;

    if (c->reacted[x] != SL_NO_INDEX)
        c->slack[x] = earlier(c->slack[x], submit_slack(c, c->reacted[x]));
    /* tasks come in descending order of done_ns, and waits for all behind them in ascending order of time */
    while (c->at > 0 && w->task[c->at - 1].first_ns >= done) {
        if (c->why[c->at - 1].why == SL_DRIVER_IDLE) {
            if (c->why[c->at - 1].since_ns < done) /* x was submitted and done after this wait */
                break;
            c->idle = c->at - 1;
        }
        c->at--;
    }
    if (c->idle != SL_NO_INDEX)
        c->slack[x] = earlier(c->slack[x], c->why[c->idle].since_ns - done + submit_slack(c, c->idle));
}

int64_t *sl_slack_make(const struct sl_workflow *w)
{
    struct chain c = {.w = w, .slack = sl_alloc((size_t)w->n * sizeof *c.slack)};
    int64_t end = w->n ? w->task[w->by_done[w->n - 1]].done_ns : 0;

    for (uint32_t i = 0; i < w->n; i++)
        c.slack[i] = end - w->task[i].done_ns;
    init_chain(&c);
    for (uint32_t k = w->n; k-- > 0;) {
        relax_driver(&c, w->by_done[k]);
        relax_task(w, c.slack, w->by_done[k]);
    }
    free(c.submit);
    free(c.why);
    free(c.reacted);
    return c.slack;
}
