/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a task was doing: a machine that goes through its events.  Components tell the same step with different clocks
 * and in any order, so that a state never goes back within an attempt (rank); what an older attempt tells late is none.
 */
#include "analyse/calls/calls.h"
#include "analyse/ext.h"
#include "analyse/load/fast_rows.h"
#include "analyse/tasks/tasks_internal.h"
#include "base/buf.h"

#include <stdlib.h>

/* ---- phases ---- */

const char *const sl_phase_kinds[] = {"depend", "wait", "run", "work", "done"};

static enum sl_phase_kind kind_of(const char *s)
{
    for (int i = 0; i < 5; i++)
        if (s && !strcmp(s, sl_phase_kinds[i]))
            return (enum sl_phase_kind)i;
    return SL_PHASE_WORK;
}

/* The number of a name among those that occur; SL_NO_INDEX: it does not. */
static uint32_t number(const struct sl_names *names, const uint32_t *list, uint32_t n, const char *name)
{
    uint32_t rank = name ? sl_names_find(names, name) : SL_NO_INDEX;

    for (uint32_t i = 0; i < n && rank != SL_NO_INDEX; i++)
        if (list[i] == rank)
            return i;
    return SL_NO_INDEX;
}

static const char *copy(struct working *k, sqlite3_value *v)
{
    const char *s = (const char *)sqlite3_value_text(v);

    return s ? sl_arena_copy(&k->w->arena, s, strlen(s)) : NULL;
}

static int phase_row(void *to, sqlite3_value **v)
{
    struct working *k = to;
    const struct sl_root_events *s = &k->w->s;
    uint32_t type = number(&s->g.names, s->span_type, s->span_types, (const char *)sqlite3_value_text(v[0]));
    uint32_t event = number(&s->g.names, s->event_type, s->event_types, (const char *)sqlite3_value_text(v[1]));
    struct phase *p;

    if (type == SL_NO_INDEX || k->phase.n > UINT16_MAX)
        return 0;
    if (!k->phase_of[type])
        k->phase_of[type] = sl_alloc(s->event_types * sizeof **k->phase_of);
    k->phased[s->span_type[type]] = true;
    if (event == SL_NO_INDEX)
        return 0;
    k->phase_of[type][event] = (uint16_t)k->phase.n;
    p = sl_vec_add(&k->phase);
    p->component = copy(k, v[2]);
    p->state = copy(k, v[3]);
    p->state = p->state ? p->state : "";
    p->kind = kind_of((const char *)sqlite3_value_text(v[4]));
    p->rank = sqlite3_value_int(v[5]);
    p->again = sqlite3_value_int(v[6]) != 0;
    return 0;
}

int sl_working_phases(struct working *k, struct sl_err *err)
{
    sqlite3 *db = k->w->s.db;

    k->phase_of = sl_alloc(k->w->s.span_types * sizeof *k->phase_of);
    k->phased = sl_alloc((size_t)k->w->s.g.names.n + 1);
    sl_vec_add(&k->phase);
    if (sqlite3_table_column_metadata(db, NULL, "sl_state", "state", NULL, NULL, NULL, NULL, NULL) != SQLITE_OK)
        return 0;
    return sl_query_each(
        db,
        "SELECT sl_query_each(?1, span_type, event_type, component, state, kind, rank, again) FROM sl_state "
        "WHERE kind <> 'end'",
        phase_row, k, err);
}

uint32_t sl_working_state(struct working *k, const char *component, const char *state, enum sl_phase_kind kind)
{
    struct sl_buf b = {0};
    uint32_t id;

    sl_buf_add(&b, component, strlen(component) + 1);
    sl_buf_add(&b, state, strlen(state) + 1);
    sl_buf_addc(&b, (char)('0' + kind));
    id = sl_intern(&k->state, b.s, b.n);
    if (id > k->w->states.n)
        *sl_vec_add(&k->w->states) = (struct sl_phase_state){sl_arena_copy(&k->w->arena, component, strlen(component)),
                                                             sl_arena_copy(&k->w->arena, state, strlen(state)), kind};
    sl_buf_free(&b);
    return id - 1;
}

/* ---- the machine ---- */

struct machine {
    struct working *k;
    struct sl_task *t;
    uint32_t task;
    uint32_t attempt, begun; /* the newest attempt; attempts begin in the order of their first events */
    int rank;
    const char *component; /* NULL: none so far */
    uint32_t declared;     /* state; SL_NO_INDEX: none so far */
    uint32_t declared_by;  /* the span of the event that began it */
    uint32_t running;      /* the segment with which the declared state began, if it is of kind run */
    bool done;
    unsigned char *has_begun; /* by attempt */
};

static void drop_last(struct machine *m)
{
    struct sl_workflow *w = m->k->w;

    w->under.n -= w->seg.v[--w->seg.n].over;
    m->t->nseg--;
}

/* At the time of h; span: whose event began the state, now or before it was lain over. */
static void enter(struct machine *m, const struct sl_timed_event *h, uint32_t state, uint32_t span)
{
    struct sl_workflow *w = m->k->w;
    struct sl_segment *last = m->t->nseg ? &w->seg.v[w->seg.n - 1] : NULL;
    bool over = m->declared != SL_NO_INDEX && state != m->declared;

    if (last && last->state == state && last->over == over &&
        (!over || w->under.v[w->under.n - 1].state == m->declared))
        return;
    /* it lasted for no time; that it ran is told all the same */
    if (last && last->from_ns == h->time_ns && m->t->nseg > 1 && w->states.v[last->state].kind != SL_PHASE_RUN)
        drop_last(m);
    if (over)
        *sl_vec_add(&w->under) = (struct sl_under){(uint32_t)w->seg.n, m->declared, m->declared_by};
    *sl_vec_add(&w->seg) = (struct sl_segment){h->time_ns, state, over, span};
    m->t->nseg++;
}

/* The functions of traced programs, by name: "after begin" would say nothing. */
static uint32_t in_call(struct machine *m, uint32_t span, enum sl_phase_kind kind)
{
    struct working *k = m->k;
    sqlite3_stmt *q = k->w->key;
    struct sl_buf b = {0};
    const char *key;
    uint32_t state;

    sqlite3_bind_int64(q, 1, k->w->s.g.id.v[span]);
    key = sqlite3_step(q) == SQLITE_ROW ? (const char *)sqlite3_column_text(q, 0) : NULL;
    sl_buf_addf(&b, "in %.*s", key ? (int)sl_calls_name(key) : 0, key ? key : "");
    sqlite3_reset(q);
    state = sl_working_state(k, "program", b.s, kind);
    sl_buf_free(&b);
    return state;
}

/* "after EVENT", kept by what happened. */
static uint32_t after_event(struct machine *m, const struct sl_timed_event *h)
{
    struct working *k = m->k;
    const struct sl_root_events *s = &k->w->s;
    enum sl_phase_kind kind = m->declared == SL_NO_INDEX ? SL_PHASE_WORK : k->w->states.v[m->declared].kind;
    uint32_t key[2] = {h->code, kind}, id;
    struct sl_buf b = {0};

    if (s->g.type[h->of] == k->call_type && k->call_type != SL_NO_INDEX)
        return in_call(m, h->of, kind);
    id = sl_intern(&k->after, (const char *)key, sizeof key); /* one for each of after_state */
    if (id <= k->after_state.n)
        return k->after_state.v[id - 1];
    sl_buf_addf(&b, "after %s", sl_root_events_event_type(s, h->code));
    *sl_vec_add(&k->after_state) = sl_working_state(k, sl_root_events_span_type(s, h->code), b.s, kind);
    sl_buf_free(&b);
    return k->after_state.v[id - 1];
}

static uint32_t phase_state(struct working *k, struct phase *p, const char *component)
{
    if (p->last_component != component) {
        p->last_component = component;
        p->last_state = sl_working_state(k, component, p->state, p->kind);
    }
    return p->last_state;
}

/* How often this was told of this span by now. */
static uint32_t times_told(struct working *k, const struct sl_timed_event *h)
{
    size_t i = 0;

    while (i < k->told.n && (k->told.v[i].span != h->of || k->told.v[i].code != h->code))
        i++;
    if (i == k->told.n) {
        sl_vec_add(&k->told);
        k->told.v[i].span = h->of;
        k->told.v[i].code = h->code;
    }
    return ++k->told.v[i].times;
}

/* Does the event belong to an attempt that a newer one has followed?  Begins new ones. */
static bool outdated(struct machine *m, uint32_t attempt)
{
    if (!attempt || attempt == m->attempt)
        return false;
    if (m->has_begun[attempt])
        return true;
    m->has_begun[attempt] = 1;
    m->begun++;
    m->attempt = attempt;
    m->rank = 0;
    m->done = false;
    m->t->ended = NULL;
    return false;
}

/*
 * What is told of the task as a whole belongs to the attempt of that number: it is late, where the next one has begun
 * already.  What may come again begins the order anew, unless the attempt did.
 */
static bool late(struct machine *m, const struct sl_timed_event *h, const struct phase *p)
{
    uint32_t times;

    if (!p->again && (!m->begun || m->k->r.attempt[h->of]))
        return false;
    times = times_told(m->k, h);
    if (p->again && times > 1 && times > m->begun && p->rank < m->rank)
        m->rank = 0;
    return p->kind != SL_PHASE_DEPEND && p->kind != SL_PHASE_DONE && !m->k->r.attempt[h->of] && m->begun &&
           times < m->begun;
}

/*
 * A worker has said that it has the task; that what it is to run began is told by another only now, in a phase of the
 * same name: so far, the worker was about to begin it.  Where nobody tells, nobody knows, and it counts as running.
 */
static void only_starting(struct machine *m)
{
    struct sl_workflow *w = m->k->w;
    uint32_t starting = sl_working_state(m->k, m->component, "starting the task", SL_PHASE_RUN);

    for (size_t i = m->running; i < w->seg.n; i++)
        if (w->seg.v[i].state == m->declared && !w->seg.v[i].over)
            w->seg.v[i].state = starting;
    for (size_t i = w->under.n; i-- > 0 && w->under.v[i].seg >= m->running;)
        if (w->under.v[i].state == m->declared)
            w->under.v[i].state = starting;
}

static void phase_event(struct machine *m, const struct sl_timed_event *h, struct phase *p)
{
    struct working *k = m->k;
    const struct sl_root_events *s = &k->w->s;
    const char *component;
    bool keep, runs = m->declared != SL_NO_INDEX && k->w->states.v[m->declared].kind == SL_PHASE_RUN;

    /* that Work Queue is done with it does not mean that Parsl is */
    if (p->kind == SL_PHASE_DONE && k->member[h->of] != m->task && k->w->role[s->g.type[h->of]] != SL_ROLE_ATTEMPT)
        return;
    if (outdated(m, k->r.attempt[h->of]))
        return;
    m->t->depends |= p->kind == SL_PHASE_DEPEND;
    if (late(m, h, p))
        return;
    if (p->rank < m->rank)
        return;
    if (p->kind == SL_PHASE_DONE)
        m->t->ended = p->state;
    if (m->done && p->kind == SL_PHASE_DONE) { /* it is over already, this says how */
        m->rank = p->rank;
        return;
    }
    /* who runs it is known better by who tells it first: the worker's own log, and only then the database */
    keep = !p->component || (p->kind == SL_PHASE_RUN && runs);
    component = keep && m->component ? m->component
                : p->component       ? p->component
                                     : sl_root_events_span_type(s, h->code);
    if (keep && runs && p->rank > m->rank && !strcmp(p->state, k->w->states.v[m->declared].state))
        only_starting(m);
    m->rank = p->rank;
    m->component = component;
    m->declared = phase_state(k, p, component);
    m->declared_by = h->of;
    m->done = p->kind == SL_PHASE_DONE;
    enter(m, h, m->declared, h->of);
    if (p->kind == SL_PHASE_RUN)
        m->running = (uint32_t)k->w->seg.n - 1;
}

static void close_open(struct machine *m, size_t i, const struct sl_timed_event *h)
{
    struct working *k = m->k;

    memmove(&k->open.v[i], &k->open.v[i + 1], (--k->open.n - i) * sizeof *k->open.v);
    if (k->open.n)
        enter(m, h, k->open.v[k->open.n - 1].state, k->open.v[k->open.n - 1].span);
    else if (m->declared != SL_NO_INDEX)
        enter(m, h, m->declared, m->declared_by);
    else
        enter(m, h, after_event(m, h), h->of);
}

/* An event of a span of which sl_state knows nothing. */
static void other_event(struct machine *m, const struct sl_timed_event *h)
{
    struct working *k = m->k;
    const uint32_t *start = k->w->s.e.start;
    uint32_t left = start[h->of + 1] - start[h->of] - 1, state;
    size_t i = k->open.n;

    if (m->done)
        return;
    while (i-- > 0 && k->open.v[i].span != h->of)
        ;
    if (i != SIZE_MAX && --k->open.v[i].left == 0) {
        close_open(m, i, h);
        return;
    }
    state = after_event(m, h);
    if (i == SIZE_MAX && left) {
        sl_vec_add(&k->open);
        i = k->open.n - 1;
        k->open.v[i].span = h->of;
        k->open.v[i].left = left;
    }
    if (i != SIZE_MAX)
        k->open.v[i].state = state;
    if (i != SIZE_MAX ? i == k->open.n - 1 : m->declared == SL_NO_INDEX && !k->open.n)
        enter(m, h, state, h->of);
}

/* What is told of one span in the same moment, as by logs of milliseconds, happened in the order of its phases. */
static void sort_moments(struct working *k)
{
    const struct sl_root_events *s = &k->w->s;
    struct sl_timed_event *v = k->history.v;

    for (size_t i = 1; i < k->history.n; i++)
        for (size_t j = i; j && v[j].time_ns == v[j - 1].time_ns && v[j].of == v[j - 1].of; j--) {
            const uint16_t *phases = k->phase_of[v[j].code / s->event_types];
            const struct phase *p = phases ? &k->phase.v[phases[v[j].code % s->event_types]] : NULL;
            const struct phase *before = phases ? &k->phase.v[phases[v[j - 1].code % s->event_types]] : NULL;
            struct sl_timed_event x = v[j];
            if (!p || p->again || before->again || !p->rank || p->rank >= before->rank)
                break;
            v[j] = v[j - 1];
            v[j - 1] = x;
        }
}

void sl_working_segments(struct working *k, uint32_t task, struct sl_task *t)
{
    struct machine m = {.k = k, .t = t, .task = task, .declared = SL_NO_INDEX, .declared_by = SL_NO_INDEX};
    const struct sl_root_events *s = &k->w->s;
    const struct sl_timed_event *v = k->history.v;
    size_t n = k->history.n;

    sort_moments(k);
    t->first_ns = v[0].time_ns;
    t->done_ns = v[n - 1].time_ns;
    t->seg = (uint32_t)k->w->seg.n;
    t->nseg = 0;
    m.has_begun = sl_alloc((size_t)k->r.attempts + 1);
    sl_vec_clear(&k->open);
    sl_vec_clear(&k->told);
    for (size_t i = 0; i < n; i++) {
        const uint16_t *phases = k->phase_of[v[i].code / s->event_types];
        uint16_t p = phases ? phases[v[i].code % s->event_types] : 0;
        if (p)
            phase_event(&m, &v[i], &k->phase.v[p]);
        else if (!phases)
            other_event(&m, &v[i]);
        if (!t->nseg)
            enter(&m, &v[i], after_event(&m, &v[i]), v[i].of);
    }
    free(m.has_begun);
    t->ended = m.done ? t->ended : NULL;
    t->done = m.done || m.declared == SL_NO_INDEX; /* of what declares no states nobody can say */
    if (m.done) {                                  /* what follows is no part of it */
        t->done_ns = k->w->seg.v[k->w->seg.n - 1].from_ns;
        if (t->nseg > 1)
            drop_last(&m);
    }
}
