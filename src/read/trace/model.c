/* SPDX-License-Identifier: Apache-2.0 */
/* What was added of a trace: compact, until all of it is there. */
#include "base/hash.h"
#include "read/json/leaves.h"
#include "read/trace/model_internal.h"

#include <stdio.h>
#include <stdlib.h>

static const int64_t Y2000_NS = 946684800 * (int64_t)1000000000;

struct sl_trace_model *sl_trace_model_new(struct sl_parse *p)
{
    struct sl_trace_model *t = sl_alloc(sizeof *t);

    t->p = p;
    return t;
}

void sl_trace_model_free(struct sl_trace_model *t)
{
    for (size_t i = 0; i < t->processes.n; i++)
        sl_vec_free(&t->processes.v[i].threads);
    for (size_t i = 0; i < t->threads.n; i++) {
        sl_vec_free(&t->threads.v[i].marks);
        sl_vec_free(&t->threads.v[i].whole);
        sl_vec_free(&t->threads.v[i].metadata);
        sl_vec_free(&t->threads.v[i].calls);
        sl_model_adding_free(t->threads.v[i].adding);
    }
    sl_intern_free(&t->texts);
    sl_intern_free(&t->threads_by);
    sl_intern_free(&t->rejected);
    sl_vec_free(&t->rejected_times);
    sl_vec_free(&t->of_name);
    sl_vec_free(&t->rejects);
    sl_vec_free(&t->process_of);
    sl_vec_free(&t->processes);
    sl_vec_free(&t->threads);
    sl_vec_free(&t->more);
    sl_buf_free(&t->args);
    sl_vec_free(&t->async);
    sl_vec_free(&t->counters);
    sl_vec_free(&t->others);
    sl_vec_free(&t->flows);
    sl_vec_free(&t->rejects);
    free(t);
}

static uint32_t text_id(struct sl_trace_model *t, struct sl_trace_model_text x)
{
    return x.s && x.n ? sl_intern(&t->texts, x.s, x.n) : 0;
}

/* ---- processes and threads ---- */

static uint32_t new_process(struct sl_trace_model *t, uint32_t pid, int64_t place)
{
    struct sl_model_process *p = sl_vec_add(&t->processes);

    p->pid = pid;
    p->facts = SL_MODEL_NONE;
    p->place = place;
    return (uint32_t)t->processes.n - 1;
}

static uint32_t process_id(struct sl_trace_model *t, uint32_t pid, int64_t place)
{
    while (t->process_of.n <= pid)
        sl_vec_add(&t->process_of);
    if (!t->process_of.v[pid])
        t->process_of.v[pid] = new_process(t, pid, place) + 1;
    return t->process_of.v[pid] - 1;
}

static uint32_t thread_id(struct sl_trace_model *t, uint32_t process, uint32_t tid)
{
    uint32_t by[2] = {process, tid}, id = sl_intern(&t->threads_by, (const char *)by, sizeof by);

    if (id > t->threads.n) {
        *sl_vec_add(&t->threads) = (struct sl_model_thread){.process = process, .tid = tid};
        *sl_vec_add(&t->processes.v[process].threads) = id - 1;
    }
    return id - 1;
}

static bool same_text(struct sl_trace_model_text a, const char *s, size_t n)
{
    return a.n == n && (!n || !memcmp(a.s, s, n));
}

/* A trace without pids or tids is one of a single process or thread. */
static uint32_t thread_of(struct sl_trace_model *t, const struct sl_trace_model_event *e)
{
    struct sl_trace_model_text none = {"0", 1}, pid = e->pid.s && e->pid.n ? e->pid : none,
                               tid = e->tid.s && e->tid.n ? e->tid : none;
    uint32_t of;

    if (t->last.npid && same_text(pid, t->last.pid, t->last.npid) && same_text(tid, t->last.tid, t->last.ntid))
        return t->last.thread;
    of = thread_id(t, process_id(t, text_id(t, pid), e->place), text_id(t, tid));
    t->last.npid = 0;
    if (pid.n + tid.n <= sizeof t->last.copy) {
        memcpy(t->last.copy, pid.s, pid.n);
        memcpy(t->last.copy + pid.n, tid.s, tid.n);
        t->last.pid = t->last.copy;
        t->last.npid = pid.n;
        t->last.tid = t->last.copy + pid.n;
        t->last.ntid = tid.n;
        t->last.thread = of;
    }
    return of;
}

/* ---- events ---- */

static bool is_empty(struct sl_trace_model_text args)
{
    for (size_t i = 1; i + 1 < args.n; i++)
        if (args.s[i] != ' ' && args.s[i] != '\n' && args.s[i] != '\t' && args.s[i] != '\r')
            return false;
    return true;
}

uint32_t sl_model_add_more(struct sl_trace_model *t, const struct sl_trace_model_event *e)
{
    struct sl_model_more m = {.line = e->source_line};

    if (!e->id.s && !e->scope.s && !e->source_file.s && !e->source_line && is_empty(e->args))
        return SL_MODEL_NONE;
    m.id = text_id(t, e->id);
    m.scope = text_id(t, e->scope);
    m.file = text_id(t, e->source_file);
    if (!is_empty(e->args)) {
        m.args = t->args.n;
        m.nargs = (uint32_t)e->args.n;
        sl_buf_add(&t->args, e->args.s, e->args.n);
    }
    *sl_vec_add(&t->more) = m;
    return (uint32_t)t->more.n - 1;
}

struct wanted {
    const char *name;
    const char *s;
    size_t n;
};

static void want(void *to, const char *path, size_t n, struct sl_value v)
{
    struct wanted *w = to;

    if (strlen(w->name) == n && !memcmp(w->name, path, n) && v.kind != SL_NONE)
        w->s = v.s, w->n = v.n;
}

const char *sl_model_arg(struct sl_trace_model *t, uint32_t more, const char *name, size_t *n)
{
    const struct sl_model_more *m = more == SL_MODEL_NONE ? NULL : &t->more.v[more];
    struct wanted w = {name, NULL, 0};

    if (m && m->nargs)
        sl_json_leaves(t->args.s + m->args, m->nargs, &t->p->scratch, want, &w);
    *n = w.n;
    return w.s;
}

/*
 * The metadata of Spanloom's own traces says who the process is.  A second one under the same number, of another
 * beginning, is another process: the file was appended to.
 */
static void learn_process(struct sl_trace_model *t, struct sl_model *h)
{
    struct sl_model_thread *th = &t->threads.v[h->thread];
    struct sl_model_process *p = &t->processes.v[th->process];
    uint32_t pid = p->pid, tid = th->tid;

    if (p->facts != SL_MODEL_NONE) {
        size_t a, b;
        const char *old = sl_model_arg(t, p->facts, "start_ns", &a), *new = sl_model_arg(t, h->more, "start_ns", &b);
        if (old && new && (a != b || memcmp(old, new, a) != 0)) {
            t->process_of.v[pid] = new_process(t, pid, h->place) + 1;
            t->last.npid = 0;
            h->thread = thread_id(t, t->process_of.v[pid] - 1, tid);
            p = &t->processes.v[t->process_of.v[pid] - 1];
        }
        sl_arena_reset(&t->p->scratch);
    }
    p->facts = h->more;
}

static bool is_own(struct sl_trace_model_text name)
{
    return same_text(name, "spanloom", 8);
}

static void note_begin(struct sl_trace_model *t, const struct sl_trace_model_event *e, uint32_t thread)
{
    struct sl_model_process *p = &t->processes.v[t->threads.v[thread].process];

    if (!p->begun && e->timed && e->phase != 'M') {
        p->begun = true;
        p->first_ns = e->ts_ns;
    }
}

const char *sl_trace_model_add(struct sl_trace_model *t, const struct sl_trace_model_event *e)
{
    struct sl_model h = {.place = e->place,
                         .phase = e->phase,
                         .reach = e->reach,
                         .enclosing = e->enclosing,
                         .local = e->local,
                         .global = e->global,
                         .ts = e->ts_ns,
                         .end = -1};

    if (!e->phase)
        return "an event without a phase (ph)";
    if (!strchr("BEXiIRCbneSTpFstfMNDOPcvV()=", e->phase))
        return "an event of a phase that is not known";
    if (strchr("BEXiIRCbneSTpFstf", e->phase) && !e->timed)
        return "an event without a time (ts)";
    if (strchr("bneSTpFstf", e->phase) && !e->id.s && !e->scope.s)
        return "an asynchronous event or a flow without an id";
    if (e->phase == 'X' && (e->dur_ns < 0 || __builtin_add_overflow(e->ts_ns, e->dur_ns, &h.end)))
        return "a duration that is negative, or too long";
    if (t->more.n >= SL_MODEL_NONE - 1 || t->threads.n >= SL_MODEL_NONE - 1)
        return "more events than can be held";
    h.thread = thread_of(t, e);
    h.name = text_id(t, e->name);
    h.category = text_id(t, e->category);
    note_begin(t, e, h.thread);
    if (t->p->sums && sl_model_add_up(t, e, &h))
        return NULL;
    h.more = sl_model_add_more(t, e);
    if (e->phase == 'M' && is_own(e->name) && h.more != SL_MODEL_NONE)
        learn_process(t, &h);
    switch (e->phase) {
    case 'X':
        if (!e->lasts) { /* Chrome's of events that were open at the end */
            h.phase = 'B';
            h.end = -1;
            *sl_vec_add(&t->threads.v[h.thread].marks) = h;
        } else {
            *sl_vec_add(&t->threads.v[h.thread].whole) = h;
        }
        break;
    case 'B':
    case 'E':
    case 'i':
    case 'I':
    case 'R':
    case 's':
    case 't':
    case 'f': *sl_vec_add(&t->threads.v[h.thread].marks) = h; break;
    case 'C': *sl_vec_add(&t->counters) = h; break;
    case 'b':
    case 'n':
    case 'e':
    case 'S':
    case 'T':
    case 'p':
    case 'F': *sl_vec_add(&t->async) = h; break;
    case 'M': *sl_vec_add(&t->threads.v[h.thread].metadata) = h; break;
    default: *sl_vec_add(&t->others) = h;
    }
    return NULL;
}

void sl_trace_model_reject(struct sl_trace_model *t, int64_t place, const char *why, const char *text, size_t n)
{
    uint64_t by[2] = {(uint64_t)place, sl_hash(why, strlen(why))};
    uint32_t id = sl_intern(&t->rejected, (const char *)by, sizeof by);
    char more[200];

    if (id > t->rejected_times.n)
        sl_vec_add(&t->rejected_times);
    if (++t->rejected_times.v[id - 1] > 1) {
        snprintf(more, sizeof more, "%s (%u in this line)", why, t->rejected_times.v[id - 1]);
        why = more;
    }
    sl_parse_reject(t->p, place, why, text, n);
}

/* ---- order ---- */

static int by_time(const void *x, const void *y)
{
    const struct sl_model *a = x, *b = y;

    if (a->ts != b->ts)
        return a->ts < b->ts ? -1 : 1;
    return a->end < b->end ? -1 : a->end > b->end;
}

void sl_model_sort(sl_model_list *l)
{
    size_t i = 1;

    while (i < l->n && l->v[i - 1].ts <= l->v[i].ts)
        i++;
    if (i >= l->n)
        return;
    for (i = 0; i < l->n; i++) /* of those of one time, what was added first; they have no use for their end */
        l->v[i].end = (int64_t)i;
    qsort(l->v, l->n, sizeof *l->v, by_time);
    for (i = 0; i < l->n; i++)
        l->v[i].end = -1;
}

/* ---- times that count from another moment ---- */

void sl_trace_model_base(struct sl_trace_model *t, int64_t ns)
{
    t->base_ns = ns;
}

static void shift(sl_model_list *l, int64_t by)
{
    for (size_t i = 0; i < l->n; i++) {
        if (__builtin_add_overflow(l->v[i].ts, by, &l->v[i].ts))
            l->v[i].ts = INT64_MAX;
        if (l->v[i].phase == 'X' && __builtin_add_overflow(l->v[i].end, by, &l->v[i].end))
            l->v[i].end = INT64_MAX - 1;
    }
}

static void shift_all(struct sl_trace_model *t)
{
    for (size_t i = 0; i < t->threads.n; i++) {
        shift(&t->threads.v[i].marks, t->base_ns);
        shift(&t->threads.v[i].whole, t->base_ns);
    }
    shift(&t->async, t->base_ns);
    shift(&t->counters, t->base_ns);
    for (size_t i = 0; i < t->processes.n; i++)
        if (t->processes.v[i].begun &&
            __builtin_add_overflow(t->processes.v[i].first_ns, t->base_ns, &t->processes.v[i].first_ns))
            t->processes.v[i].first_ns = INT64_MAX;
}

/* No trace is of the last century, nor does a machine run for thirty years: those are times since it was started. */
static bool is_adrift(const struct sl_trace_model *t)
{
    for (size_t i = 0; i < t->processes.n; i++)
        if (t->processes.v[i].begun && t->processes.v[i].first_ns < Y2000_NS)
            return true;
    return false;
}

void sl_trace_model_end(struct sl_trace_model *t)
{
    if (t->p->sums)
        sl_model_add_up_end(t);
    if (t->base_ns)
        shift_all(t);
    t->p->adrift = is_adrift(t);
    for (size_t i = 0; i < t->threads.n && !sl_parse_stopped(t->p); i++)
        sl_trace_model_nest(t, (uint32_t)i);
    sl_trace_emit(t);
}
