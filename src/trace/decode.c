/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans that are open on a thread are a stack: an end closes the innermost of its site and what is inside it, which
 * longjmp() or a fork left open; an end without a begin is one only where its site is loose.  That is what makes each
 * begin have its end, whatever the program did.
 */
#include "trace/decode_internal.h"

#include <stdlib.h>
#include <string.h>

enum { MANY = 256 }; /* keys of one span that are looked through */

/* ---- events ---- */

static const struct sl_trace_site *site_of(const struct sl_decoded *d, uint64_t number)
{
    return number < d->nsites ? &d->sites[number] : &sl_unknown_site;
}

/* A key that comes again has the last value.  Its text is the site's, so that keys are told apart by where they lie. */
static bool add_arg(struct sl_trace_arg **args, size_t *n, const struct sl_trace_arg *a)
{
    for (size_t i = *n > MANY ? *n - MANY : 0; i < *n; i++)
        if ((*args)[i].key.s == a->key.s) {
            (*args)[i] = *a;
            return true;
        }
    if ((*n & (*n - 1)) == 0) { /* room is doubled at 0, 1, 2, 4, ... */
        struct sl_trace_arg *more = realloc(*args, (*n ? *n * 2 : 1) * sizeof *more);
        if (!more)
            return false;
        *args = more;
    }
    (*args)[(*n)++] = *a;
    return true;
}

static bool arg_of(const struct sl_decoded *d, const uint64_t *w, struct sl_trace_arg *a)
{
    uint32_t code = sl_record_code(*w);

    switch (code >> 2) {
    case SL_TF_ARG_INT:
        *a = (struct sl_trace_arg){site_of(d, w[1])->name, SL_ARG_INT, .i = (int64_t)w[2]};
        return (code & 3) == 2;
    case SL_TF_ARG_DOUBLE:
        *a = (struct sl_trace_arg){.key = site_of(d, w[1])->name, .kind = SL_ARG_DOUBLE};
        memcpy(&a->d, w + 2, sizeof a->d);
        return (code & 3) == 2;
    case SL_TF_ARG_TEXT:
        *a = (struct sl_trace_arg){.key = site_of(d, w[1] >> 32)->name, .kind = SL_ARG_TEXT};
        a->t = (struct sl_text_ref){(const char *)(w + 2), (uint32_t)w[1]};
        return (code & 3) == 3;
    default: return false;
    }
}

static bool push(struct thread *t, const struct frame *f)
{
    if (t->n == t->room) {
        size_t room = t->room ? t->room * 2 : 16;
        struct frame *more = realloc(t->frames, room * sizeof *more);
        if (!more)
            return false;
        t->frames = more;
        t->room = room;
    }
    t->frames[t->n++] = *f;
    return true;
}

/* What is told of spans that were counted, where the one around them ends. */
static void tell_short(struct sl_decoded *d, const struct thread *t, int64_t ts_ns, const struct shorts *s,
                       struct sl_trace_event *e)
{
    d->short_args[0] = (struct sl_trace_arg){{"short_calls", 11}, SL_ARG_INT, .i = (int64_t)s->n};
    d->short_args[1] = (struct sl_trace_arg){{"short_ns", 8}, SL_ARG_INT, .i = s->ns};
    *e = (struct sl_trace_event){
        .phase = 'i', .tid = t->tid, .ts_ns = ts_ns, .site = s->site, .args = d->short_args, .nargs = 2};
}

/* False: there was no memory for it. */
static bool count(struct frame *f, const struct shorts *more)
{
    struct shorts *grown;

    for (size_t i = f->nshorts > MANY ? f->nshorts - MANY : 0; i < f->nshorts; i++)
        if (f->shorts[i].site == more->site) {
            f->shorts[i].n += more->n;
            f->shorts[i].ns += more->ns;
            return true;
        }
    if ((f->nshorts & (f->nshorts - 1)) == 0) {
        grown = realloc(f->shorts, (f->nshorts ? f->nshorts * 2 : 1) * sizeof *grown);
        if (!grown)
            return false;
        f->shorts = grown;
    }
    f->shorts[f->nshorts++] = *more;
    return true;
}

/* Closes the innermost span of t; false: e tells what is to be told before. */
static bool close_one(struct sl_decoded *d, struct thread *t, int64_t ts_ns, struct sl_trace_event *e)
{
    struct frame *f = &t->frames[t->n - 1];

    if (f->nshorts) {
        tell_short(d, t, ts_ns, &f->shorts[--f->nshorts], e);
        return false;
    }
    free(f->shorts);
    t->n--;
    *e = (struct sl_trace_event){
        .phase = 'E',
        .tid = t->tid,
        .ts_ns = ts_ns,
        .begin_ns = f->begin_ns,
        .site = f->site,
        .context = f->context,
        .begin_args = f->begin_args,
        .nbegin = f->nbegin,
        .args = f->args,
        .nargs = f->nargs,
        .depth = (uint32_t)t->n,
    };
    if (f->measured && d->usage_of == t) {
        e->usage = true;
        e->cpu_ns = d->usage_cpu - f->cpu_ns;
        e->rss_kib = d->usage_rss;
    }
    d->given = f->args;
    d->given_begin = f->begin_args;
    return true;
}

static void go_on_closing(struct sl_decoded *d, struct sl_trace_event *e)
{
    if (!close_one(d, d->closing, d->closing_ns, e))
        return;
    if (d->closing->n <= d->keep)
        d->closing = NULL;
    e->unfinished = d->closing && e->site->loose; /* where it ended, nobody knows */
}

/* What follows an event on its lane and belongs to it. */
static void absorb(struct sl_decoded *d, struct lane *l, struct sl_trace_event *e, struct frame *f)
{
    while (!l->done) {
        const uint64_t *w = l->at->words + l->word;
        uint32_t code = sl_record_code(*w);
        struct sl_trace_arg a;
        if (code >= SL_TF_SITES)
            break;
        if (arg_of(d, w, &a))
            add_arg(&d->args, &d->nargs, &a);
        else if (code >> 2 == SL_TF_SCOPE && (code & 3) == 3)
            e->text = (struct sl_text_ref){(const char *)(w + 2), (uint32_t)w[1]};
        else if (code >> 2 == SL_TF_USAGE && (code & 3) == 2 && f && !f->measured) {
            f->measured = true;
            f->cpu_ns = (int64_t)w[1];
        } else
            break;
        sl_lane_consume(d, l);
    }
    e->args = d->args;
    e->nargs = d->nargs;
}

static bool begin_span(struct sl_decoded *d, struct lane *l, const struct sl_trace_site *site, struct sl_trace_event *e)
{
    struct frame f = {.site = site, .begin_ns = e->ts_ns};
    struct thread *t = l->thread;

    e->phase = 'B';
    e->depth = (uint32_t)t->n;
    if (!push(t, &f)) {
        d->failed = true;
        return false;
    }
    sl_lane_consume(d, l);
    absorb(d, l, e, &t->frames[t->n - 1]);
    for (size_t i = 0; i < e->nargs; i++)
        add_arg(&t->frames[t->n - 1].begin_args, &t->frames[t->n - 1].nbegin, &e->args[i]);
    return true;
}

static bool end_span(struct sl_decoded *d, struct lane *l, const struct sl_trace_site *site, struct sl_trace_event *e)
{
    struct thread *t = l->thread;
    size_t i = t->n;

    while (i && t->frames[i - 1].site != site)
        i--;
    if (!i && site->loose) { /* a moment: a span without length, so that it ends nothing else */
        d->closing = t;
        d->keep = t->n;
        d->closing_ns = e->ts_ns;
        return begin_span(d, l, site, e);
    }
    sl_lane_consume(d, l);
    if (!i)
        return false;
    d->closing = t;
    d->keep = i - 1;
    d->closing_ns = e->ts_ns;
    go_on_closing(d, e);
    return true;
}

static const char phases[] = {
    [SL_TF_ASYNC_BEGIN] = 'b', [SL_TF_ASYNC_INSTANT] = 'n', [SL_TF_ASYNC_END] = 'e', [SL_TF_INSTANT] = 'i',
    [SL_TF_COUNTER] = 'C',     [SL_TF_FLOW_OUT] = 's',      [SL_TF_FLOW_STEP] = 't', [SL_TF_FLOW_IN] = 'f',
};

static bool other(struct sl_decoded *d, struct lane *l, const uint64_t *w, struct sl_trace_event *e)
{
    uint32_t code = sl_record_code(*w), kind = code >> 2, n = code & 3;
    uint64_t ticks = l->ticks;
    struct thread *t = l->thread;
    struct frame *top = t->n ? &t->frames[t->n - 1] : NULL;
    struct sl_trace_arg a;

    if (kind < sizeof phases && phases[kind] && n == (kind == SL_TF_INSTANT ? 1u : 2u)) {
        e->phase = phases[kind];
        e->site = site_of(d, w[1]);
        e->id = n == 2 ? w[2] : 0;
        if (kind == SL_TF_COUNTER)
            memcpy(&e->value, w + 2, sizeof e->value);
        sl_lane_consume(d, l);
        absorb(d, l, e, NULL);
        return true;
    }
    sl_lane_consume(d, l);
    if (kind == SL_TF_THREAD_NAME && n == 3) {
        e->phase = 'N';
        e->text = (struct sl_text_ref){(const char *)(w + 2), (uint32_t)w[1]};
        return true;
    }
    if (kind == SL_TF_CONTEXT && n == 1) {
        e->phase = 'i';
        e->context = w[1];
        if (!top || top->context) /* a span has one, and moments in it the others */
            return true;
        top->context = w[1];
        return false;
    }
    if (kind == SL_TF_SHORT && n == 2) {
        struct shorts s = {site_of(d, w[1] & UINT32_MAX), w[1] >> 32, 0};
        if (ticks < d->header->start.ticks || w[2] > ticks - d->header->start.ticks) {
            d->process.damaged++;
            return false;
        }
        s.ns = (uint64_t)(e->ts_ns - sl_time_of(d, ticks - w[2]));
        if (!top || !count(top, &s)) {
            tell_short(d, t, e->ts_ns, &s, e);
            return true;
        }
        return false;
    }
    if (kind == SL_TF_USAGE && n == 2) {
        d->usage_of = t;
        d->usage_cpu = (int64_t)w[1];
        d->usage_rss = (int64_t)w[2];
    } else if (kind == SL_TF_THREAD_END) {
        if (t->n) {
            d->closing = t;
            d->keep = 0;
            d->closing_ns = e->ts_ns;
            go_on_closing(d, e);
            return true;
        }
    } else if (arg_of(d, w, &a)) {
        if (top)
            add_arg(&top->args, &top->nargs, &a);
    } else if (kind != SL_TF_ARGS_OF_SPAN || n) {
        d->process.damaged++;
    }
    return false;
}

bool sl_decode_failed(const struct sl_decoded *d)
{
    return d->failed;
}

bool sl_decode_next(struct sl_decoded *d, struct sl_trace_event *e)
{
    free(d->given);
    free(d->given_begin);
    d->given = d->given_begin = NULL;
    if (d->closing) {
        go_on_closing(d, e);
        return true;
    }
    while (d->nheap) {
        struct lane *l = d->heap[0];
        const uint64_t *w = l->at->words + l->word;
        uint32_t code = sl_record_code(*w);
        bool is_event;
        *e = (struct sl_trace_event){.tid = l->thread->tid, .ts_ns = sl_time_of(d, l->ticks)};
        d->nargs = 0;
        free(d->args), d->args = NULL;
        if (code >= SL_TF_SITES) {
            e->site = site_of(d, code >> 1);
            is_event = code & 1 ? end_span(d, l, e->site, e) : begin_span(d, l, e->site, e);
        } else {
            is_event = other(d, l, w, e);
        }
        sl_lanes_reorder(d);
        if (is_event || d->failed)
            return is_event;
    }
    for (; d->left_open < d->nthreads; d->left_open++) {
        struct thread *t = &d->threads[d->left_open];
        if (!t->n)
            continue;
        e->unfinished = close_one(d, t, d->process.end_ns, e);
        return true;
    }
    return false;
}
