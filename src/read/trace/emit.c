/* SPDX-License-Identifier: Apache-2.0 */
/* What a trace came to, as records: processes, threads, calls, points, values. */
#include "engine/variables.h"
#include "read/json/leaves.h"
#include "read/trace/model_internal.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const field_name[SL_FIELDS] = {
    "_kind", "_process", "_tid",          "_call",     "_in",        "_begin",     "_end",
    "_time", "_async",   "_from_process", "_from_tid", "_from_call", "_phase",     "_reach",
    "_args", "name",     "category",      "file",      "line",       "unfinished", "pid",
};

static void set(struct sl_emitter *w, enum sl_field f, struct sl_value v)
{
    if (w->slot[f] >= 0 || field_name[f][0] != '_')
        sl_parse_set(w->t->p, w->slot[f], field_name[f], strlen(field_name[f]), v);
}

void sl_emit_text(struct sl_emitter *w, enum sl_field f, const char *s, size_t n)
{
    set(w, f, (struct sl_value){.kind = SL_TEXT, .s = s, .n = (uint32_t)n});
}

void sl_emit_int(struct sl_emitter *w, enum sl_field f, int64_t i)
{
    set(w, f, (struct sl_value){.kind = SL_INT, .i = i});
}

void sl_emit_known(struct sl_emitter *w, enum sl_field f, uint32_t text)
{
    if (text)
        sl_emit_text(w, f, sl_intern_text(&w->t->texts, text), sl_intern_len(&w->t->texts, text));
}

void sl_emit_thread(struct sl_emitter *w, enum sl_field process, uint32_t thread)
{
    const struct sl_model_thread *th = &w->t->threads.v[thread];
    const struct sl_model_process *p = &w->t->processes.v[th->process];

    sl_emit_text(w, process, p->key, p->nkey);
    sl_emit_known(w, process == SL_F_PROCESS ? SL_F_TID : SL_F_FROM_TID, th->tid);
}

static bool ends_like_a_number(const char *s, size_t n)
{
    size_t i = n;

    while (i && s[i - 1] >= '0' && s[i - 1] <= '9')
        i--;
    return i < n && i && s[i - 1] == '#';
}

/* Of every call but the first of its name: too many for snprintf(). */
static size_t put_digits(char *to, uint32_t number)
{
    char digits[12], *p = digits + sizeof digits;

    do
        *--p = (char)('0' + number % 10);
    while (number /= 10);
    memcpy(to, p, (size_t)(digits + sizeof digits - p));
    return (size_t)(digits + sizeof digits - p);
}

void sl_emit_numbered(struct sl_emitter *w, enum sl_field f, const char *s, size_t n, uint32_t number)
{
    char *key;

    if (number == 1 && !ends_like_a_number(s, n)) {
        sl_emit_text(w, f, s, n);
        return;
    }
    key = sl_arena_alloc(&w->t->p->scratch, n + 12);
    memcpy(key, s, n);
    key[n++] = '#';
    sl_emit_text(w, f, key, n + put_digits(key + n, number));
}

void sl_emit_call(struct sl_emitter *w, enum sl_field f, uint32_t thread, uint32_t call)
{
    const struct sl_model_call *c = &w->t->threads.v[thread].calls.v[call];

    if (c->name)
        sl_emit_numbered(w, f, sl_intern_text(&w->t->texts, c->name), sl_intern_len(&w->t->texts, c->name), c->number);
    else
        sl_emit_numbered(w, f, "(no name)", 9, c->number);
}

/* ---- arguments ---- */

bool sl_emit_is_true(struct sl_value v)
{
    return (v.kind == SL_TEXT && v.n == 4 && !memcmp(v.s, "true", 4)) || (v.kind == SL_INT && v.i == 1);
}

/* A field that some rule names; those of every record are not for what a trace calls so. */
static int slot_of(const struct sl_parse *p, const char *name, size_t n)
{
    int slot = sl_parse_slot(p, name, n);

    return slot == p->recipe->field_text || slot == p->recipe->field_table ? -1 : slot;
}

/* The name of an argument, as an attribute; what the record has under this name already, or we call so, is args.NAME.
 */
static const char *argument_name(struct sl_emitter *w, const char *path, size_t *n)
{
    bool clash = *n && *path == '_';
    char *name;

    for (int f = 0; f < SL_FIELDS && !clash; f++)
        clash = strlen(field_name[f]) == *n && !memcmp(field_name[f], path, *n);
    if (!clash)
        return path;
    name = sl_arena_alloc(&w->t->p->scratch, *n + 8);
    *n = (size_t)sprintf(name, "args.%s", path);
    return name;
}

static void argument(void *to, const char *path, size_t n, struct sl_value v)
{
    struct sl_emitter *w = to;
    struct sl_parse *p = w->t->p;
    const char *name;
    int slot;

    if (v.kind == SL_NONE || !n || memchr(path, 0, n))
        return;
    if (n == 10 && !memcmp(path, "unfinished", 10)) {
        if (sl_emit_is_true(v))
            w->unfinished = 1;
        return;
    }
    name = argument_name(w, path, &n);
    slot = slot_of(p, name, n);
    if (slot < 0 && !p->recipe->wants_all)
        return;
    for (size_t i = 0; slot < 0 && i < p->extra.n; i++) /* told again at the end */
        if (p->extra.v[i].n == n && !memcmp(p->extra.v[i].name, name, n)) {
            p->extra.v[i].v = v;
            return;
        }
    sl_parse_set(p, slot, name, n, v);
}

void sl_emit_more(struct sl_emitter *w, uint32_t more)
{
    struct sl_trace_model *t = w->t;

    if (more == SL_MODEL_NONE)
        return;
    sl_emit_known(w, SL_F_FILE, t->more.v[more].file);
    if (t->more.v[more].line)
        sl_emit_int(w, SL_F_LINE, t->more.v[more].line);
    if (t->more.v[more].nargs) {
        sl_emit_text(w, SL_F_ARGS, "1", 1);
        sl_json_leaves(t->args.s + t->more.v[more].args, t->more.v[more].nargs, &t->p->scratch, argument, w);
    }
}

void sl_emit_begin(struct sl_emitter *w, const char *kind, int64_t place)
{
    sl_parse_begin(w->t->p, place);
    w->unfinished = 0;
    sl_emit_text(w, SL_F_KIND, kind, strlen(kind));
}

void sl_emit_end(struct sl_emitter *w)
{
    sl_parse_end(w->t->p);
}

void sl_emit_finish(struct sl_emitter *w, int64_t end)
{
    if (end != INT64_MAX && !w->unfinished)
        sl_emit_int(w, SL_F_END, end);
    else
        sl_emit_int(w, SL_F_UNFINISHED, 1);
    sl_emit_end(w);
}

/* ---- processes and threads ---- */

static void emit_names(struct sl_emitter *w, const struct sl_model_thread *th, bool of_process)
{
    struct sl_trace_model *t = w->t;

    for (size_t i = 0; i < th->metadata.n; i++) {
        const struct sl_model *h = &th->metadata.v[i];
        const char *name = h->name ? sl_intern_text(&t->texts, h->name) : "", *kind = NULL, *s;
        size_t n;
        if (!h->name)
            kind = "metadata";
        else if (!strcmp(name, "process_name") || !strcmp(name, "process_labels"))
            kind = of_process ? "process fact" : NULL;
        else if (!strcmp(name, "thread_name"))
            kind = of_process ? NULL : "thread";
        else if (!strcmp(name, "spanloom"))
            continue;
        else
            kind = of_process ? "metadata" : NULL;
        if (!kind)
            continue;
        sl_emit_begin(w, kind, h->place);
        sl_emit_thread(w, SL_F_PROCESS, (uint32_t)(th - t->threads.v));
        if (!strcmp(kind, "metadata")) {
            sl_emit_known(w, SL_F_NAME, h->name);
            sl_emit_more(w, h->more);
        } else if ((s = sl_model_arg(t, h->more, "name", &n)) && n) {
            sl_emit_text(w, SL_F_NAME, s, n);
        } else if (!strcmp(name, "process_labels")) {
            sl_emit_more(w, h->more);
        }
        sl_emit_end(w);
    }
}

static bool known_int(struct sl_trace_model *t, uint32_t more, const char *name, int64_t *out)
{
    size_t n;
    const char *s = sl_model_arg(t, more, name, &n);
    char *end;

    if (!s || !n || n > 20)
        return false;
    *out = strtoll(sl_arena_copy(&t->p->scratch, s, n), &end, 10);
    return *end == 0;
}

/*
 * host:pid@start where the trace says so.  Else the first time that stands in the file: it stays when more is
 * appended.
 */
void sl_model_name_process(struct sl_trace_model *t, struct sl_model_process *p)
{
    struct sl_buf b = {0};
    size_t n;
    const char *host = sl_model_arg(t, p->facts, "hostname", &n);
    int64_t start;

    if (host && n) {
        sl_buf_add(&b, host, n);
        sl_buf_addc(&b, ':');
    }
    sl_buf_add(&b, sl_intern_text(&t->texts, p->pid), sl_intern_len(&t->texts, p->pid));
    if (!known_int(t, p->facts, "start_ns", &start))
        start = p->first_ns;
    sl_buf_addf(&b, "@%lld", (long long)start);
    p->key = sl_arena_copy(&t->p->variables->arena, b.s, b.n);
    p->nkey = b.n;
    sl_buf_free(&b);
    sl_arena_reset(&t->p->scratch);
}

static bool says(struct sl_trace_model *t, uint32_t more, const char *name, const char *is)
{
    size_t n;
    const char *s = sl_model_arg(t, more, name, &n);

    return s && n == strlen(is) && !memcmp(s, is, n);
}

/* The process's own: what is told as an event or a key is no attribute, too. */
static void fact(void *to, const char *path, size_t n, struct sl_value v)
{
    static const char *const told[] = {"version", "pid", "start_ns", "end_ns", NULL};
    struct sl_emitter *w = to;
    int i = 0;

    while (told[i] && (strlen(told[i]) != n || memcmp(told[i], path, n) != 0))
        i++;
    if (told[i])
        return;
    if (n == 4 && !memcmp(path, "name", 4)) /* that of the options; the process's is that of process_name */
        argument(w, "component", 9, v);
    else
        argument(w, path, n, v);
}

static void emit_process(struct sl_emitter *w, struct sl_model_process *p)
{
    struct sl_trace_model *t = w->t;
    int64_t at;

    for (size_t i = 0; i < p->threads.n; i++) {
        const struct sl_model_thread *th = &t->threads.v[p->threads.v[i]];
        for (size_t k = 0; k < th->calls.n; k++)
            p->unfinished += th->calls.v[k].end == INT64_MAX;
    }
    sl_emit_begin(w, "process", p->place);
    sl_emit_text(w, SL_F_PROCESS, p->key, p->nkey);
    sl_emit_known(w, SL_F_PID, p->pid);
    if (p->facts != SL_MODEL_NONE) {
        if (known_int(t, p->facts, "start_ns", &at))
            sl_emit_int(w, SL_F_BEGIN, at);
        if (!says(t, p->facts, "ended", "false") && known_int(t, p->facts, "end_ns", &at))
            sl_emit_int(w, SL_F_END, at);
        sl_json_leaves(t->args.s + t->more.v[p->facts].args, t->more.v[p->facts].nargs, &t->p->scratch, fact, w);
    }
    if (p->unfinished)
        sl_emit_int(w, SL_F_UNFINISHED, p->unfinished);
    sl_emit_end(w);
}

/* ---- what happened on a thread ---- */

static void emit_calls(struct sl_emitter *w, uint32_t thread)
{
    struct sl_trace_model *t = w->t;
    const struct sl_model_thread *th = &t->threads.v[thread];

    for (size_t i = 0; i < th->calls.n && !sl_parse_stopped(t->p); i++) {
        const struct sl_model_call *c = &th->calls.v[i];
        sl_emit_begin(w, c->outer == SL_MODEL_NONE ? "call" : "inner call", c->place);
        sl_emit_thread(w, SL_F_PROCESS, thread);
        sl_emit_call(w, SL_F_CALL, thread, (uint32_t)i);
        sl_emit_int(w, SL_F_BEGIN, c->begin);
        if (c->outer != SL_MODEL_NONE)
            sl_emit_call(w, SL_F_IN, thread, c->outer);
        sl_emit_known(w, SL_F_NAME, c->name);
        sl_emit_known(w, SL_F_CATEGORY, c->category);
        sl_emit_more(w, c->first_more);
        sl_emit_more(w, c->last_more);
        sl_emit_finish(w, c->end);
    }
}

static void emit_points(struct sl_emitter *w, uint32_t thread)
{
    struct sl_trace_model *t = w->t;
    const struct sl_model_thread *th = &t->threads.v[thread];

    for (size_t i = 0; i < th->marks.n && !sl_parse_stopped(t->p); i++) {
        const struct sl_model *h = &th->marks.v[i];
        bool wide = h->reach == 'p' || h->reach == 'g';
        if (!strchr("iIR", h->phase))
            continue;
        sl_emit_begin(w, wide ? "process instant" : h->end < 0 ? "thread instant" : "instant", h->place);
        sl_emit_thread(w, SL_F_PROCESS, thread);
        if (h->end >= 0 && !wide)
            sl_emit_call(w, SL_F_CALL, thread, (uint32_t)h->end);
        sl_emit_int(w, SL_F_TIME, h->ts);
        sl_emit_known(w, SL_F_NAME, h->name);
        sl_emit_known(w, SL_F_CATEGORY, h->category);
        sl_emit_more(w, h->more);
        sl_emit_end(w);
    }
}

/* ---- values over time ---- */

struct series {
    struct sl_emitter *w;
    const struct sl_model *h;
    const char *name; /* of the counter, with its id */
    size_t n, values;
    bool bad;
};

static void count_series(void *to, const char *path, size_t n, struct sl_value v)
{
    struct series *s = to;

    (void)path, (void)n, (void)v;
    s->values++;
}

static void one_series(void *to, const char *path, size_t n, struct sl_value v)
{
    struct series *s = to;
    struct sl_parse *p = s->w->t->p;
    bool own = (n == 5 && !memcmp(path, "value", 5)) || (n == s->n && !memcmp(path, s->name, n));
    char *end, *name = (char *)s->name, *number;
    size_t nname = s->n;
    int slot;

    if (v.kind == SL_TEXT) {
        number = sl_arena_copy(&p->scratch, v.s, v.n);
        v = (struct sl_value){.kind = SL_REAL, .d = strtod(number, &end)};
        s->bad |= end == number || *end || v.d - v.d != 0;
    }
    if (v.kind == SL_NONE)
        return;
    if (!s->n || s->values > 1 || !own) {
        name = sl_arena_alloc(&p->scratch, s->n + n + 2);
        nname = (size_t)sprintf(name, "%s%s%s", s->name, s->n ? "." : "", path);
    }
    slot = slot_of(p, name, nname);
    if (slot < 0 || p->recipe->is_context[slot])
        *sl_vec_add(&p->extra) = (struct sl_extra){name, nname, v};
    else
        sl_parse_set(p, slot, name, nname, v);
}

static void emit_counter(struct sl_emitter *w, const struct sl_model *h)
{
    struct sl_trace_model *t = w->t;
    const struct sl_model_more *m = h->more == SL_MODEL_NONE ? NULL : &t->more.v[h->more];
    const char *name = h->name ? sl_intern_text(&t->texts, h->name) : "";
    struct series s = {.w = w, .h = h, .name = name, .n = strlen(name)};

    sl_emit_begin(w, "counter", h->place);
    sl_emit_thread(w, SL_F_PROCESS, h->thread);
    sl_emit_int(w, SL_F_TIME, h->ts);
    if (m && m->id) {
        const char *id = sl_intern_text(&t->texts, m->id);
        char *both = sl_arena_alloc(&t->p->scratch, s.n + strlen(id) + 3);
        s.n = (size_t)sprintf(both, "%s[%s]", name, id);
        s.name = both;
    }
    if (m && m->nargs) {
        sl_json_leaves(t->args.s + m->args, m->nargs, &t->p->scratch, count_series, &s);
        sl_json_leaves(t->args.s + m->args, m->nargs, &t->p->scratch, one_series, &s);
    }
    if (s.bad || !s.values) {
        sl_arena_reset(&t->p->scratch);
        sl_trace_model_reject(t, h->place, s.bad ? "a counter whose value is no number" : "a counter without a value",
                              name, strlen(name));
        return;
    }
    sl_emit_end(w);
}

/* ---- all of it ---- */

static void emit_other(struct sl_emitter *w, const struct sl_model *h)
{
    char phase[2] = {h->phase, 0};

    sl_emit_begin(w, "other", h->place);
    sl_emit_thread(w, SL_F_PROCESS, h->thread);
    sl_emit_text(w, SL_F_PHASE, phase, 1);
    sl_emit_known(w, SL_F_NAME, h->name);
    sl_emit_more(w, h->more);
    sl_emit_end(w);
}

void sl_trace_emit(struct sl_trace_model *t)
{
    struct sl_emitter w = {.t = t};

    for (int f = 0; f < SL_FIELDS; f++)
        w.slot[f] = sl_parse_slot(t->p, field_name[f], strlen(field_name[f]));
    for (size_t i = 0; i < t->processes.n; i++)
        sl_model_name_process(t, &t->processes.v[i]);
    if (t->p->sums)
        sl_model_add_up_write(t);
    for (size_t i = 0; i < t->processes.n; i++) {
        struct sl_model_process *p = &t->processes.v[i];
        emit_process(&w, p);
        for (size_t k = 0; k < p->threads.n; k++)
            emit_names(&w, &t->threads.v[p->threads.v[k]], true);
        for (size_t k = 0; k < p->threads.n && !sl_parse_stopped(t->p); k++) {
            emit_names(&w, &t->threads.v[p->threads.v[k]], false);
            emit_calls(&w, p->threads.v[k]);
            emit_points(&w, p->threads.v[k]);
        }
    }
    sl_emit_async(&w);
    sl_emit_flows(&w);
    for (size_t i = 0; i < t->counters.n && !sl_parse_stopped(t->p); i++)
        emit_counter(&w, &t->counters.v[i]);
    for (size_t i = 0; i < t->others.n && !sl_parse_stopped(t->p); i++)
        emit_other(&w, &t->others.v[i]);
    for (size_t i = 0; i < t->rejects.n; i++) {
        const char *name = t->rejects.v[i].name ? sl_intern_text(&t->texts, t->rejects.v[i].name) : "";
        sl_trace_model_reject(t, t->rejects.v[i].place, t->rejects.v[i].why, name, strlen(name));
    }
}
