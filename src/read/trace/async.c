/* SPDX-License-Identifier: Apache-2.0 */
/* Asynchronous spans and flows of a trace: they are of no single thread, and are matched by ids. */
#include "read/trace/model_internal.h"

#include <stdio.h>
#include <stdlib.h>

enum { SEARCH = 10000 }; /* how many open ones of one id are looked through */

struct group { /* of one category and id */
    SL_VEC(uint32_t) open;
};

struct asyncs {
    struct sl_emitter *w;
    struct sl_trace_model *t;
    struct sl_intern keys, names;
    SL_VEC(struct group) groups;
    SL_VEC(uint32_t) counts; /* of a process, name and id */
    SL_VEC(struct sl_model_async) all;
    SL_VEC(uint32_t) on; /* of instants: async + 1, or 0 */
};

static const struct sl_model_more *more_of(const struct sl_trace_model *t, const struct sl_model *h)
{
    static const struct sl_model_more none;
    return h->more == SL_MODEL_NONE ? &none : &t->more.v[h->more];
}

/*
 * Ids are looked for in the process first, and then anywhere, but for those that are said to be local: some write ids
 * that are unique in the whole trace, and others the same ones in every process.
 */
static struct group *group_of(struct asyncs *s, const struct sl_model *h, bool anywhere)
{
    const struct sl_model_more *m = more_of(s->t, h);
    uint32_t process = anywhere || h->global ? SL_MODEL_NONE : s->t->threads.v[h->thread].process;
    uint32_t key[5] = {h->category, m->id, m->scope, process, strchr("STpF", h->phase) ? h->name : 0};
    uint32_t id = sl_intern(&s->keys, (const char *)key, sizeof key);

    if (id > s->groups.n)
        sl_vec_add(&s->groups);
    return &s->groups.v[id - 1];
}

static uint32_t innermost(struct asyncs *s, struct group *g, uint32_t name, bool take)
{
    size_t i = g->open.n, k = 0;

    while (g->open.n && !s->all.v[g->open.v[g->open.n - 1]].open)
        i = --g->open.n;
    for (; i > 0 && k < SEARCH; i--, k++) {
        uint32_t a = g->open.v[i - 1];
        if (!s->all.v[a].open || (name && s->all.v[a].name != name))
            continue;
        if (take) {
            memmove(&g->open.v[i - 1], &g->open.v[i], (g->open.n - i) * sizeof *g->open.v);
            g->open.n--;
            s->all.v[a].open = false;
        }
        return a;
    }
    return SL_MODEL_NONE;
}

static uint32_t find(struct asyncs *s, const struct sl_model *h, uint32_t name, bool take)
{
    uint32_t a = innermost(s, group_of(s, h, false), name, take);

    if (a == SL_MODEL_NONE && !h->local && !h->global)
        a = innermost(s, group_of(s, h, true), name, take);
    return a;
}

static void begin(struct asyncs *s, const struct sl_model *h)
{
    struct sl_model_async a = {.begin = h->ts,
                               .end = INT64_MAX,
                               .place = h->place,
                               .name = h->name,
                               .category = h->category,
                               .id = more_of(s->t, h)->id,
                               .process = s->t->threads.v[h->thread].process,
                               .first_more = h->more,
                               .last_more = SL_MODEL_NONE,
                               .open = true};
    uint32_t key[3] = {a.process, a.name, a.id}, count = sl_intern(&s->names, (const char *)key, sizeof key);
    uint32_t at = (uint32_t)s->all.n;

    while (s->counts.n < count)
        sl_vec_add(&s->counts);
    a.number = ++s->counts.v[count - 1];
    a.outer = innermost(s, group_of(s, h, false), 0, false);
    *sl_vec_add(&s->all) = a;
    *sl_vec_add(&group_of(s, h, false)->open) = at;
    if (!h->local && !h->global)
        *sl_vec_add(&group_of(s, h, true)->open) = at;
}

static void match(struct asyncs *s)
{
    struct sl_trace_model *t = s->t;

    sl_model_sort(&t->async);
    for (size_t i = 0; i < t->async.n; i++) {
        struct sl_model *h = &t->async.v[i];
        uint32_t a;
        sl_vec_add(&s->on);
        switch (h->phase) {
        case 'b':
        case 'S': begin(s, h); break;
        case 'e':
        case 'F':
            a = find(s, h, h->name, true);
            if (a != SL_MODEL_NONE) {
                s->all.v[a].end = h->ts;
                s->all.v[a].last_more = h->more;
            } else {
                *sl_vec_add(&t->rejects) =
                    (typeof(*t->rejects.v)){h->place, h->name, "the end of an asynchronous span without a begin"};
            }
            break;
        default:
            a = find(s, h, h->name, false);
            if (a == SL_MODEL_NONE)
                a = find(s, h, 0, false);
            s->on.v[i] = a == SL_MODEL_NONE ? 0 : a + 1;
        }
    }
}

static void emit_key(struct asyncs *s, enum sl_field f, const struct sl_model_async *a)
{
    struct sl_trace_model *t = s->t;
    const char *name = a->name ? sl_intern_text(&t->texts, a->name) : "(no name)",
               *id = a->id ? sl_intern_text(&t->texts, a->id) : "";
    char *key = sl_arena_alloc(&t->p->scratch, strlen(name) + strlen(id) + 2);
    int n = sprintf(key, "%s%s%s", name, *id ? " " : "", id);

    sl_emit_numbered(s->w, f, key, (size_t)n, a->number);
}

static void emit_process(struct asyncs *s, uint32_t process)
{
    sl_emit_text(s->w, SL_F_PROCESS, s->t->processes.v[process].key, s->t->processes.v[process].nkey);
}

static void emit_span(struct asyncs *s, const struct sl_model_async *a)
{
    struct sl_emitter *w = s->w;
    bool inner = a->outer != SL_MODEL_NONE && s->all.v[a->outer].process == a->process;

    sl_emit_begin(w, inner ? "inner async" : "async", a->place);
    emit_process(s, a->process);
    emit_key(s, SL_F_ASYNC, a);
    if (inner)
        emit_key(s, SL_F_IN, &s->all.v[a->outer]);
    sl_emit_int(w, SL_F_BEGIN, a->begin);
    sl_emit_known(w, SL_F_NAME, a->name);
    sl_emit_known(w, SL_F_CATEGORY, a->category);
    sl_emit_more(w, a->first_more);
    sl_emit_more(w, a->last_more);
    sl_emit_finish(w, a->end);
}

static void emit_instant(struct asyncs *s, const struct sl_model *h, uint32_t on)
{
    struct sl_emitter *w = s->w;
    size_t n = 0;
    const char *step = NULL;

    sl_emit_begin(w, on ? "async instant" : "process instant", h->place);
    sl_emit_int(w, SL_F_TIME, h->ts);
    if (on) {
        emit_process(s, s->all.v[on - 1].process);
        emit_key(s, SL_F_ASYNC, &s->all.v[on - 1]);
    } else {
        emit_process(s, s->t->threads.v[h->thread].process);
    }
    if (h->phase == 'T' || h->phase == 'p')
        step = sl_model_arg(s->t, h->more, "step", &n);
    if (step && n)
        sl_emit_text(w, SL_F_NAME, step, n);
    else
        sl_emit_known(w, SL_F_NAME, h->name);
    sl_emit_known(w, SL_F_CATEGORY, h->category);
    sl_emit_more(w, h->more);
    sl_emit_end(w);
}

void sl_emit_async(struct sl_emitter *w)
{
    struct asyncs s = {.w = w, .t = w->t};

    match(&s);
    for (size_t i = 0; i < s.all.n && !sl_parse_stopped(w->t->p); i++)
        emit_span(&s, &s.all.v[i]);
    for (size_t i = 0; i < w->t->async.n && !sl_parse_stopped(w->t->p); i++)
        if (strchr("nTp", w->t->async.v[i].phase))
            emit_instant(&s, &w->t->async.v[i], s.on.v[i]);
    for (size_t i = 0; i < s.groups.n; i++)
        sl_vec_free(&s.groups.v[i].open);
    sl_vec_free(&s.groups);
    sl_vec_free(&s.counts);
    sl_vec_free(&s.all);
    sl_vec_free(&s.on);
    sl_intern_free(&s.keys);
    sl_intern_free(&s.names);
}

/* ---- flows ---- */

static int by_time(const void *x, const void *y)
{
    const struct sl_model_flow *a = x, *b = y;

    if (a->h.ts != b->h.ts)
        return a->h.ts < b->h.ts ? -1 : 1;
    if (a->h.phase != b->h.phase) /* out before in */
        return a->h.phase == 's' ? -1 : b->h.phase == 's' ? 1 : a->h.phase == 't' ? -1 : 1;
    return a->h.place < b->h.place ? -1 : a->h.place > b->h.place;
}

/* What both of its ends have: name and id. */
static void emit_id(struct sl_emitter *w, const struct sl_model_flow *f)
{
    struct sl_trace_model *t = w->t;
    uint32_t id = more_of(t, &f->h)->id;
    const char *text = id ? sl_intern_text(&t->texts, id) : "",
               *name = f->h.name ? sl_intern_text(&t->texts, f->h.name) : "";
    char *key = sl_arena_alloc(&t->p->scratch, strlen(name) + strlen(text) + 2);

    sl_emit_text(w, SL_F_ASYNC, key, (size_t)sprintf(key, "%s %s", name, text));
}

/* Of our runtime's, the other end may be in another file. */
static bool is_ours(const struct sl_trace_model *t, const struct sl_model_flow *f)
{
    return t->processes.v[t->threads.v[f->h.thread].process].facts != SL_MODEL_NONE;
}

/* used: it begins another one. */
static void emit_flow(struct sl_emitter *w, const struct sl_model_flow *f, const struct sl_model_flow *from, bool used)
{
    struct sl_trace_model *t = w->t;
    bool ours = is_ours(t, f);
    const char *kind = from ? "flow" : used || !ours ? "flow begins" : f->h.phase == 's' ? "flow out" : "flow in";
    const char *why = f->call == SL_MODEL_NONE              ? "a flow that no call is around"
                      : from && from->call == SL_MODEL_NONE ? "a flow out of no call"
                      : !from && f->h.phase != 's' && !ours ? "a flow without a beginning"
                                                            : NULL;

    if (why) {
        const char *name = f->h.name ? sl_intern_text(&t->texts, f->h.name) : "";
        sl_trace_model_reject(t, f->h.place, why, name, strlen(name));
        return;
    }
    sl_emit_begin(w, kind, f->h.place);
    sl_emit_thread(w, SL_F_PROCESS, f->h.thread);
    sl_emit_call(w, SL_F_CALL, f->h.thread, f->call);
    if (from) {
        sl_emit_thread(w, SL_F_FROM_PROCESS, from->h.thread);
        sl_emit_call(w, SL_F_FROM_CALL, from->h.thread, from->call);
    }
    emit_id(w, f);
    sl_emit_int(w, SL_F_TIME, f->h.ts);
    sl_emit_known(w, SL_F_NAME, f->h.name);
    sl_emit_end(w);
}

void sl_emit_flows(struct sl_emitter *w)
{
    struct sl_trace_model *t = w->t;
    struct sl_intern keys = {0};
    SL_VEC(uint32_t) last = {0};  /* of each id: flow + 1 */
    SL_VEC(uint32_t) begun = {0}; /* of each flow: from which, + 1 */
    SL_VEC(bool) used = {0};

    if (t->flows.n)
        qsort(t->flows.v, t->flows.n, sizeof *t->flows.v, by_time);
    for (size_t i = 0; i < t->flows.n; i++) {
        const struct sl_model_flow *f = &t->flows.v[i];
        const struct sl_model_more *m = more_of(t, &f->h);
        uint32_t key[5] = {f->h.category, f->h.name, m->id, m->scope,
                           f->h.local ? t->threads.v[f->h.thread].process : SL_MODEL_NONE};
        uint32_t id = sl_intern(&keys, (const char *)key, sizeof key), from;
        while (last.n < id)
            sl_vec_add(&last);
        from = f->h.phase == 's' ? 0 : last.v[id - 1];
        *sl_vec_add(&begun) = from;
        *sl_vec_add(&used) = false;
        if (from)
            used.v[from - 1] = true;
        if (f->h.phase != 'f')
            last.v[id - 1] = (uint32_t)i + 1;
    }
    for (size_t i = 0; i < t->flows.n && !sl_parse_stopped(t->p); i++)
        emit_flow(w, &t->flows.v[i], begun.v[i] ? &t->flows.v[begun.v[i] - 1] : NULL, used.v[i]);
    sl_vec_free(&begun);
    sl_vec_free(&used);
    sl_intern_free(&keys);
    sl_vec_free(&last);
}
