/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls added up while a trace is read, where the parse has sums: what ended in order, and nothing refers to, becomes a
 * part of the sums of its path (base/call_sums.h), with all calls below it; the rest becomes records as ever.  Those
 * are
 *
 *   calls that did not end;
 *   those that have arguments, or moments in them, which say of other processes and asynchronous spans what they are to
 *   these (`span_id`, `child_pid`, `id`), and those that were running when a process began that this one started;
 *   what is right below these while such processes ran, since only what both cover is taken off the caller's time;
 *   all callers of these.
 *
 * So what is held are the paths, the calls that are open, and these.  Begins and ends of each thread must stand in the
 * order of time: where they do not, and where a thread has whole calls (X) beside them, the sums are unfit.
 *
 * Whole calls stand in a file when they ended, or in any order: they are held without what they were called with, and
 * added up thread by thread at the end.  Those of threads with anything of the above become records, all of them.
 */
#include "base/clock.h"
#include "base/hash.h"
#include "read/json/leaves.h"
#include "read/trace/model_internal.h"

#include <stdlib.h>

struct open { /* a call */
    struct sl_model h;
    uint32_t path;
    bool kept;
    bool unfinished;  /* as its begin says */
    bool ended;       /* it, or one around it, by a moment of this name, if it has no other end */
    bool covered;     /* by one right below it, which did not end, from then on */
    int64_t below_ns; /* in calls right below that were added up */
    size_t waiting;   /* where its own begin */
};

struct waiting { /* a call that will be kept if the one around it is */
    struct sl_model begin, end;
    int64_t below_ns;
    uint32_t path;
};

struct sl_model_adding { /* of one thread */
    SL_VEC(struct open) open;
    SL_VEC(struct waiting) waiting;
    SL_VEC(struct sl_call_path) paths; /* names are texts of the model */
    struct sl_map by_name;             /* of the paths */
    SL_VEC(struct sl_call_interval) outermost;
    int64_t now;                            /* of the last begin or end */
    int64_t first, latest;                  /* of what is not kept; first > latest: nothing */
    bool told;                              /* something on it says of other processes or spans */
    bool contained;                         /* its process lies in another one */
    SL_VEC(struct sl_call_interval) starts; /* of the processes that its own started */
    int64_t from, to;                       /* while these were there, and those below them; from > to: never */
};

/* ---- other processes ---- */

static bool lies_in(const struct sl_call_sums *s, uint32_t process, uint32_t in)
{
    uint32_t at = process;

    for (size_t i = 0; i < s->processes.n && at != UINT32_MAX; i++)
        if ((at = s->processes.v[at].container) == in)
            return true;
    return false;
}

static int by_begin(const void *x, const void *y)
{
    const struct sl_call_interval *a = x, *b = y;

    return (a->begin_ns > b->begin_ns) - (a->begin_ns < b->begin_ns);
}

static void relate(struct sl_trace_model *t, struct sl_model_adding *a, uint32_t process)
{
    const struct sl_call_sums *s = t->p->sums;
    struct sl_model_process *p = &t->processes.v[process];
    uint32_t own = UINT32_MAX, key;

    a->from = INT64_MAX;
    a->to = INT64_MIN;
    if (!s->processes.n)
        return;
    sl_model_name_process(t, p);
    key = sl_intern_find(&s->texts, p->key, p->nkey);
    for (uint32_t i = 0; i < s->processes.n && key; i++)
        if (s->processes.v[i].key == key)
            own = i;
    if (own == UINT32_MAX)
        return;
    a->contained = s->processes.v[own].container != UINT32_MAX;
    for (uint32_t i = 0; i < s->processes.n; i++) {
        const struct sl_call_process *o = &s->processes.v[i];
        if (o->container == own)
            *sl_vec_add(&a->starts) = (struct sl_call_interval){o->start_ns, o->latest_ns};
        if (i != own && lies_in(s, i, own)) {
            a->from = o->start_ns < a->from ? o->start_ns : a->from;
            a->to = o->end_ns > a->to ? o->end_ns : a->to;
        }
    }
    if (a->starts.n)
        qsort(a->starts.v, a->starts.n, sizeof *a->starts.v, by_begin);
    for (size_t i = 1; i < a->starts.n; i++) /* the latest end so far */
        if (a->starts.v[i].end_ns < a->starts.v[i - 1].end_ns)
            a->starts.v[i].end_ns = a->starts.v[i - 1].end_ns;
}

/* Did the process start another one while the call was running? */
static bool was_running(const struct sl_model_adding *a, int64_t begin, int64_t end)
{
    size_t low = 0, high = a->starts.n;

    while (low < high) { /* those that began not after it ended */
        size_t middle = (low + high) / 2;
        if (a->starts.v[middle].begin_ns <= end)
            low = middle + 1;
        else
            high = middle;
    }
    return low && a->starts.v[low - 1].end_ns >= begin;
}

static bool beside_others(const struct sl_model_adding *a, int64_t begin, int64_t end)
{
    return begin <= a->to && end >= a->from;
}

/* ---- paths ---- */

static struct sl_model_adding *adding_of(struct sl_trace_model *t, uint32_t thread)
{
    struct sl_model_thread *th = &t->threads.v[thread];

    if (!th->adding) {
        th->adding = sl_alloc(sizeof *th->adding);
        th->adding->now = th->adding->latest = INT64_MIN;
        th->adding->first = INT64_MAX;
        relate(t, th->adding, th->process);
    }
    return th->adding;
}

static uint32_t path_of(struct sl_model_adding *a, uint32_t above, uint32_t name)
{
    uint64_t hash = sl_hash_mix((uint64_t)above << 32 | name, 1);
    size_t at = hash;

    for (uint32_t i; sl_map_next(&a->by_name, hash, &at, &i);)
        if (a->paths.v[i].above == above && a->paths.v[i].name == name)
            return i;
    sl_map_add(&a->by_name, hash, (uint32_t)a->paths.n);
    *sl_vec_add(&a->paths) =
        (struct sl_call_path){.above = above, .name = name, .min_ns = INT64_MAX, .max_ns = INT64_MIN};
    return (uint32_t)a->paths.n - 1;
}

static void count(struct sl_model_adding *a, uint32_t path, int64_t ns, int64_t below_ns)
{
    struct sl_call_path *p = &a->paths.v[path];

    p->calls++;
    p->inclusive_ns = sl_time_add(p->inclusive_ns, ns);
    p->exclusive_ns = sl_time_add(p->exclusive_ns, sl_time_sub(ns, below_ns));
    if (ns < p->min_ns)
        p->min_ns = ns;
    if (ns > p->max_ns)
        p->max_ns = ns;
}

static void passed(struct sl_model_adding *a, int64_t begin, int64_t end)
{
    a->first = begin < a->first ? begin : a->first;
    a->latest = end > a->latest ? end : a->latest;
}

/* ---- calls ---- */

/* A call becomes a record; those below it that were added up do not. */
static void emit(struct sl_trace_model *t, struct sl_model_adding *a, const struct waiting *w)
{
    sl_model_list *marks = &t->threads.v[w->begin.thread].marks;

    *sl_vec_add(marks) = w->begin;
    *sl_vec_add(marks) = w->end;
    a->paths.v[w->path].exclusive_ns = sl_time_add(a->paths.v[w->path].exclusive_ns, -w->below_ns);
}

/* All that are open become records. */
static void keep(struct sl_trace_model *t, struct sl_model_adding *a)
{
    size_t i = 0;

    while (i < a->open.n && a->open.v[i].kept)
        i++;
    for (; i < a->open.n; i++) {
        struct open *o = &a->open.v[i];
        size_t end = i + 1 < a->open.n ? o[1].waiting : a->waiting.n;
        o->kept = true;
        *sl_vec_add(&t->threads.v[o->h.thread].marks) = o->h;
        for (size_t k = o->waiting; k < end; k++)
            emit(t, a, &a->waiting.v[k]);
    }
    for (i = 0; i < a->open.n; i++)
        a->open.v[i].waiting = 0;
    a->waiting.n = 0;
}

static void begin(struct sl_trace_model *t, struct sl_model_adding *a, const struct sl_model *h, bool kept,
                  bool unfinished)
{
    const struct open *around = a->open.n ? &a->open.v[a->open.n - 1] : NULL;
    struct open o = {.h = *h, .unfinished = unfinished, .ended = around && around->ended, .waiting = a->waiting.n};

    o.path = path_of(a, around ? around->path : UINT32_MAX, h->name);
    *sl_vec_add(&a->open) = o;
    if (kept)
        keep(t, a);
}

/* What waited for the call that ends, and is not kept; time that it took of that. */
static int64_t settle(struct sl_model_adding *a, const struct open *o)
{
    int64_t all = 0;

    for (size_t i = o->waiting; i < a->waiting.n; i++) {
        const struct waiting *w = &a->waiting.v[i];
        int64_t ns = sl_time_sub(w->end.ts, w->begin.ts);
        count(a, w->path, ns, w->below_ns);
        all = sl_time_add(all, ns);
    }
    a->waiting.n = o->waiting;
    return all;
}

/* The innermost ends, and is not kept. */
static void end(struct sl_trace_model *t, struct sl_model_adding *a, const struct sl_model *h)
{
    struct open o = a->open.v[a->open.n - 1], *around = a->open.n > 1 ? &a->open.v[a->open.n - 2] : NULL;
    struct waiting w = {o.h, *h, sl_time_add(o.below_ns, settle(a, &o)), o.path};
    int64_t ns = sl_time_sub(h->ts, o.h.ts);

    a->open.n--;
    passed(a, o.h.ts, h->ts);
    if (around && (around->ended || beside_others(a, o.h.ts, h->ts))) {
        if (around->kept)
            emit(t, a, &w);
        else
            *sl_vec_add(&a->waiting) = w;
        return;
    }
    count(a, w.path, ns, w.below_ns);
    if (around)
        around->below_ns = sl_time_add(around->below_ns, around->covered ? 0 : ns);
    else if (a->contained)
        *sl_vec_add(&a->outermost) = (struct sl_call_interval){o.h.ts, h->ts};
}

/* The innermost, which is kept, and its end becomes a record as well. */
static void end_kept(struct sl_model_adding *a, bool unfinished)
{
    const struct open *o = &a->open.v[--a->open.n];
    struct sl_call_path *p = &a->paths.v[o->path];

    p->exclusive_ns = sl_time_add(p->exclusive_ns, -o->below_ns);
    if (a->open.n && (unfinished || o->unfinished) &&
        !o->ended) /* it is taken to have lasted as long as the one around it */
        a->open.v[a->open.n - 1].covered = true;
}

/* The calls that an end of this name ends, those inside of it as well; 0: none. */
static size_t ended_by(const struct sl_model_adding *a, uint32_t name)
{
    for (size_t n = 1; n <= a->open.n; n++)
        if (!name || a->open.v[a->open.n - n].h.name == name)
            return n;
    return 0;
}

/* ---- events ---- */

/* Arguments that say more than how a call was called. */
static bool refers(const struct sl_trace_model_text args)
{
    static const char *const to[] = {"\"span_id\"", "\"child_pid\"", "\"id\"", "\"unfinished\"", "\\"};

    for (size_t i = 0; i < sizeof to / sizeof *to && args.n; i++)
        if (memmem(args.s, args.n, to[i], strlen(to[i])))
            return true;
    return false;
}

static void unfinished(void *to, const char *path, size_t n, struct sl_value v)
{
    if (n == 10 && !memcmp(path, "unfinished", 10) && v.kind != SL_NONE && sl_emit_is_true(v))
        *(bool *)to = true;
}

static bool says_unfinished(struct sl_trace_model *t, const struct sl_trace_model_text args)
{
    bool says = false;

    if (args.n && refers(args)) {
        sl_json_leaves(args.s, args.n, &t->p->scratch, unfinished, &says);
        sl_arena_reset(&t->p->scratch);
    }
    return says;
}

static bool is_one_of(const struct sl_trace_model_text s, const char *const *list)
{
    while (*list && (strlen(*list) != s.n || memcmp(*list, s.s, s.n) != 0))
        list++;
    return *list != NULL;
}

static bool unfit(struct sl_trace_model *t)
{
    t->p->sums->unfit = t->p->stop = true;
    return true;
}

/* Does the begin of a call, or a whole one?  clang's sums of all calls of a name are told by their arguments. */
static bool call_refers(const struct sl_trace_model_event *e)
{
    return refers(e->args) || (e->name.n > 6 && !memcmp(e->name.s, "Total ", 6));
}

static bool add_begin(struct sl_trace_model *t, const struct sl_trace_model_event *e, struct sl_model *h)
{
    struct sl_model_adding *a = adding_of(t, h->thread);
    bool kept = call_refers(e);

    if (h->ts < a->now || t->threads.v[h->thread].whole.n)
        return unfit(t);
    a->now = h->ts;
    h->phase = 'B';
    h->more = kept ? sl_model_add_more(t, e) : SL_MODEL_NONE;
    begin(t, a, h, kept, kept && says_unfinished(t, e->args));
    return true;
}

static bool add_end(struct sl_trace_model *t, const struct sl_trace_model_event *e, struct sl_model *h)
{
    struct sl_model_adding *a = adding_of(t, h->thread);
    size_t n = ended_by(a, h->name);
    struct open *o = n ? &a->open.v[a->open.n - 1] : NULL;

    if (h->ts < a->now)
        return unfit(t);
    a->now = h->ts;
    if (!n) /* to be rejected */
        return false;
    if (n == 1 && !o->kept && !refers(e->args) && !was_running(a, o->h.ts, h->ts)) {
        h->more = SL_MODEL_NONE;
        end(t, a, h);
        return true;
    }
    keep(t, a);
    while (n--)
        end_kept(a, n == 0 && says_unfinished(t, e->args));
    return false;
}

static bool add_whole(struct sl_trace_model *t, const struct sl_trace_model_event *e, struct sl_model *h)
{
    struct sl_model_thread *th = &t->threads.v[h->thread];

    if (th->adding && th->adding->paths.n)
        return unfit(t);
    h->more = SL_MODEL_NONE;
    if (call_refers(e)) {
        adding_of(t, h->thread)->told = true;
        h->more = sl_model_add_more(t, e);
    }
    *sl_vec_add(&t->threads.v[h->thread].whole) = *h;
    return true;
}

static bool add_point(struct sl_trace_model *t, const struct sl_trace_model_event *e, struct sl_model *h)
{
    static const char *const told[] = {"begin", "end", "fork", "traceparent", NULL};
    struct sl_model_adding *a = adding_of(t, h->thread);

    if (is_one_of(e->name, told) || refers(e->args)) {
        if (e->reach != 'p' && e->reach != 'g') {
            keep(t, a);
            a->told = true;
            if (a->open.n && e->name.n == 3 && !memcmp(e->name.s, "end", 3))
                a->open.v[a->open.n - 1].ended = true;
        }
        return false;
    }
    if (e->args.n && memmem(e->args.s, e->args.n, "\"short_calls\"", 13)) /* calls that were only counted */
        return false;
    passed(a, h->ts, h->ts);
    return true;
}

bool sl_model_add_up(struct sl_trace_model *t, const struct sl_trace_model_event *e, struct sl_model *h)
{
    switch (e->phase) {
    case 'B': return add_begin(t, e, h);
    case 'E': return add_end(t, e, h);
    case 'X': return e->lasts ? add_whole(t, e, h) : add_begin(t, e, h);
    case 'i':
    case 'I':
    case 'R': return add_point(t, e, h);
    case 'M':
    case 'b':
    case 'n':
    case 'e':
    case 'S':
    case 'T':
    case 'p':
    case 'F': return false;
    default: return true; /* flows, counters and others: no time of any call */
    }
}

/* ---- the end ---- */

static void add_moment(struct sl_trace_model *t, uint32_t thread, int64_t ns)
{
    uint32_t name = sl_intern(&t->texts, "recorded", 8);

    *sl_vec_add(&t->threads.v[thread].marks) = (struct sl_model){
        .ts = ns, .end = -1, .place = 1, .name = name, .thread = thread, .more = SL_MODEL_NONE, .phase = 'i'};
}

struct whole { /* a call that is open; below: what those right below it cover, until when */
    uint32_t path;
    int64_t begin_ns, end_ns, below_ns, until_ns;
};

/* The whole calls of a thread, which has no others. */
static void add_up_whole(struct sl_trace_model *t, struct sl_model_adding *a, uint32_t thread)
{
    sl_model_list *l = &t->threads.v[thread].whole;
    SL_VEC(struct sl_model_open) open = {0};
    SL_VEC(struct whole) of = {0};

    sl_model_order_whole(l, thread);
    for (size_t i = 0; i <= l->n; i++) {
        const struct sl_model *h = &l->v[i];
        struct whole now, *around;
        open.n = i < l->n ? sl_model_around(open.v, open.n, h) : 0;
        for (; of.n > open.n; of.n--) {
            const struct whole *w = &of.v[of.n - 1];
            count(a, w->path, sl_time_sub(w->end_ns, w->begin_ns), w->below_ns);
        }
        if (i == l->n)
            break;
        around = of.n ? &of.v[of.n - 1] : NULL;
        now = (struct whole){path_of(a, around ? around->path : UINT32_MAX, h->name), h->ts, h->end, 0, h->ts};
        if (around) {
            int64_t from = h->ts > around->until_ns ? h->ts : around->until_ns;
            int64_t to = h->end < around->end_ns ? h->end : around->end_ns;
            if (to > from) {
                around->below_ns = sl_time_add(around->below_ns, sl_time_sub(to, from));
                around->until_ns = to;
            }
        } else if (a->contained) {
            *sl_vec_add(&a->outermost) = (struct sl_call_interval){h->ts, h->end};
        }
        passed(a, h->ts, h->end);
        *sl_vec_add(&open) = (struct sl_model_open){.end = h->end};
        *sl_vec_add(&of) = now;
    }
    sl_vec_free(&open);
    sl_vec_free(&of);
    sl_vec_free(l);
}

/* When anything was recorded on the threads stays known: processes may be found, and end, by that. */
void sl_model_add_up_end(struct sl_trace_model *t)
{
    for (uint32_t i = 0; i < t->threads.n; i++) {
        struct sl_model_adding *a = t->threads.v[i].whole.n ? adding_of(t, i) : t->threads.v[i].adding;
        if (!a)
            continue;
        if (t->threads.v[i].whole.n && !a->told && !a->starts.n && a->from > a->to)
            add_up_whole(t, a, i);
        keep(t, a);
        while (a->open.n)
            end_kept(a, false);
        if (t->base_ns && t->p->sums->processes.n)
            t->p->sums->unfit = true;
        if (a->first <= a->latest) {
            add_moment(t, i, a->first);
            add_moment(t, i, a->latest);
        }
    }
}

static uint32_t text(struct sl_call_sums *s, const char *of, size_t n)
{
    struct sl_buf clean = {0};
    uint32_t id;

    if (sl_utf8_valid(of, n) == n)
        return sl_intern(&s->texts, of, n);
    sl_buf_add_utf8(&clean, of, n); /* as the store has it */
    id = sl_intern(&s->texts, clean.s, clean.n);
    sl_buf_free(&clean);
    return id;
}

void sl_model_add_up_write(struct sl_trace_model *t)
{
    struct sl_call_sums *s = t->p->sums;

    for (uint32_t i = 0; i < t->threads.n; i++) {
        const struct sl_model_thread *th = &t->threads.v[i];
        const struct sl_model_process *p = &t->processes.v[th->process];
        struct sl_model_adding *a = th->adding;
        struct sl_call_thread *to;
        uint32_t key[2];
        if (!a || !a->paths.n)
            continue;
        key[0] = text(s, p->key, p->nkey);
        key[1] = text(s, sl_intern_text(&t->texts, th->tid), sl_intern_len(&t->texts, th->tid));
        if (sl_intern_find(&s->by_key, (const char *)key,
                           sizeof key)) /* one trace in two files: calls would count twice */
            s->unfit = true;
        sl_intern(&s->by_key, (const char *)key, sizeof key);
        to = sl_vec_add(&s->threads);
        to->process = key[0];
        to->tid = key[1];
        for (size_t k = 0; k < a->paths.n; k++) {
            uint32_t name = a->paths.v[k].name;
            a->paths.v[k].name = name ? text(s, sl_intern_text(&t->texts, name), sl_intern_len(&t->texts, name))
                                      : text(s, "(no name)", 9);
        }
        memcpy(&to->paths, &a->paths, sizeof to->paths);
        memcpy(&to->outermost, &a->outermost, sizeof to->outermost);
        memset(&a->paths, 0, sizeof a->paths);
        memset(&a->outermost, 0, sizeof a->outermost);
    }
}

void sl_model_adding_free(struct sl_model_adding *a)
{
    if (!a)
        return;
    sl_vec_free(&a->open);
    sl_vec_free(&a->waiting);
    sl_vec_free(&a->paths);
    sl_map_free(&a->by_name);
    sl_vec_free(&a->outermost);
    sl_vec_free(&a->starts);
    free(a);
}
