/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lanes are merged by time with a heap.  Spans that are open on a thread are a stack: an end closes the innermost of
 * its site and what is inside it, which longjmp() or a fork left open; an end without a begin is one only where its
 * site is loose. That is what makes each begin have its end, whatever the program did.
 */
#include "collect/runtime/decode.h"
#include "collect/runtime/clock.h"
#include "collect/runtime/demangle.h"
#include "collect/runtime/format.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

uint32_t sl_clock;

struct segment { /* words that lie together */
    const uint64_t *words;
    uint64_t epoch;
    uint32_t n, lane, seq, tid, base;
    bool buffer;
};

struct frame { /* a span that is open */
    const struct sl_trace_site *site;
    int64_t begin_ns, cpu_ns;
    uint64_t context;
    struct sl_trace_arg *args;
    size_t nargs;
    bool measured;
};

struct thread {
    uint32_t tid;
    struct frame *frames;
    size_t n, room;
};

struct lane {
    struct segment *at, *end; /* segments left */
    uint32_t word;            /* in at */
    uint64_t epoch, ticks;    /* of the record at hand */
    struct thread *thread;
    uint32_t number;
    bool done;
};

struct sl_decoded {
    const uint8_t *bytes;
    size_t n;
    const struct sl_tf_header *header;
    struct sl_trace_process process;
    void *mapped;
    char *names; /* that were demangled */
    /* Clock: a straight line. */
    uint64_t ticks0, ns0;
    double ns_per_tick;
    struct sl_trace_site *sites;
    size_t nsites;
    struct segment *segments;
    size_t nsegments, room;
    struct lane *lanes, **heap;
    size_t nlanes, nheap;
    struct thread *threads;
    size_t nthreads;
    struct sl_trace_arg *args; /* of the event at hand */
    size_t nargs, args_room;
    /* Ends that one record made. */
    struct thread *closing;
    size_t keep; /* of its frames */
    int64_t closing_ns;
    size_t left_open;           /* thread whose open spans come next, at the end */
    struct sl_trace_arg *given; /* args of the last E, to be freed */
    int64_t usage_cpu, usage_rss;
    const struct thread *usage_of;
};

static const struct sl_trace_site unknown = {.name = {"(unknown)", 9}, .category = {"", 0}, .file = {"", 0}};

static int64_t time_of(const struct sl_decoded *d, uint64_t ticks)
{
    int64_t gone = (int64_t)(ticks - d->ticks0);

    return (int64_t)d->ns0 + (int64_t)((double)gone * d->ns_per_tick) + d->header->realtime_ns;
}

/* ---- the file ---- */

static bool add_segment(struct sl_decoded *d, const struct segment *s)
{
    if (d->nsegments == d->room) {
        size_t room = d->room ? d->room * 2 : 64;
        struct segment *more = realloc(d->segments, room * sizeof *more);
        if (!more)
            return false;
        d->segments = more;
        d->room = room;
    }
    d->segments[d->nsegments++] = *s;
    return true;
}

static void add_defs(struct sl_decoded *d, const struct sl_tf_chunk *c, size_t most)
{
    const uint64_t *words = (const uint64_t *)(c + 1);
    uint64_t n = c->state < most ? c->state : most;

    for (uint64_t i = 0; i + sizeof(struct sl_tf_def) / 8 <= n;) {
        const struct sl_tf_def *def = (const struct sl_tf_def *)(words + i);
        const char *text = (const char *)(def + 1);
        uint64_t texts = (uint64_t)def->name + def->category + def->file;
        struct sl_trace_site *site;
        if (def->words < sizeof *def / 8 || i + def->words > n || texts > (def->words - sizeof *def / 8) * 8 ||
            def->site > SL_TF_LAST_SITE) {
            d->process.damaged++;
            return;
        }
        i += def->words;
        if (def->site >= d->nsites) {
            size_t more = (def->site + 1024) & ~(size_t)1023;
            struct sl_trace_site *sites = realloc(d->sites, more * sizeof *sites);
            if (!sites) {
                d->process.damaged++;
                return;
            }
            for (size_t k = d->nsites; k < more; k++)
                sites[k] = unknown;
            d->sites = sites;
            d->nsites = more;
        }
        site = &d->sites[def->site];
        site->name = (struct sl_text_ref){text, def->name};
        site->category = (struct sl_text_ref){text + def->name, def->category};
        site->file = (struct sl_text_ref){text + def->name + def->category, def->file};
        site->line = def->line;
        site->loose = def->flags & SL_TF_LOOSE;
        if (!def->category)
            site->category = site->file;
        if (def->flags & SL_TF_SYMBOL)
            site->name = sl_demangle(site->name, &d->names);
    }
}

/* Goes over the chunks; where one was being written when the process died, page by page to the next one. */
static bool read_chunks(struct sl_decoded *d)
{
    for (size_t at = SL_TF_HEADER; at + sizeof(struct sl_tf_chunk) <= d->n;) {
        const struct sl_tf_chunk *c = (const struct sl_tf_chunk *)(d->bytes + at);
        uint64_t most = (d->n - at - sizeof *c) / 8, size = c->size;
        if (c->magic != SL_TF_CHUNK_MAGIC || c->kind < SL_TF_DEFS || c->kind > SL_TF_DATA || size < sizeof *c ||
            size % SL_TF_PAGE) {
            at += SL_TF_PAGE;
            continue;
        }
        if (most > (size - sizeof *c) / 8)
            most = (size - sizeof *c) / 8;
        if (c->kind == SL_TF_DEFS) {
            add_defs(d, c, most);
        } else {
            uint64_t state = __atomic_load_n(&c->state, __ATOMIC_ACQUIRE);
            struct segment s = {(const uint64_t *)(c + 1), c->epoch, (uint32_t)state, c->lane,
                                (uint32_t)(state >> 32),   c->tid,   c->base,         c->kind == SL_TF_BUFFER};
            d->process.lost += c->kind == SL_TF_BUFFER ? c->lost : 0;
            if (s.n > most) {
                s.n = (uint32_t)most;
                d->process.damaged++;
            }
            if (s.tid && !add_segment(d, &s))
                return false;
        }
        /* DATA that was cut off may lie under chunks that were written later: its size tells nothing then. */
        at += c->kind == SL_TF_DATA && at + size > d->n ? SL_TF_PAGE : size;
    }
    return true;
}

static int by_lane(const void *a, const void *b)
{
    const struct segment *x = a, *y = b;

    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    if (x->seq != y->seq)
        return x->seq < y->seq ? -1 : 1;
    return x->buffer - y->buffer;
}

/* ---- records ---- */

static uint64_t record_size(const uint64_t *w, uint32_t left)
{
    uint32_t code = *w & ((1u << SL_TF_CODE_BITS) - 1);
    uint64_t n;

    if (code >= SL_TF_SITES)
        return 1;
    n = code & 3;
    if (n == 3)
        n = left > 1 ? 1 + ((w[1] & UINT32_MAX) + 7) / 8 : 1;
    return 1 + n;
}

/* To the next record that is whole; false: the lane has no more. */
static bool settle(struct sl_decoded *d, struct lane *l)
{
    for (;; l->at++, l->word = 0) {
        uint32_t left;
        const uint64_t *w;
        if (l->at == l->end)
            return false;
        if (l->word == 0)
            l->epoch = l->at->seq ? l->epoch : l->at->epoch;
        left = l->at->n - l->word;
        w = l->at->words + l->word;
        while (left && (*w & ((1u << SL_TF_CODE_BITS) - 1)) >> 2 == SL_TF_EPOCH && left > 1) {
            l->epoch = w[1];
            l->word += 2;
            left -= 2;
            w += 2;
        }
        if (!left)
            continue;
        if (record_size(w, left) > left) {
            d->process.damaged++;
            continue;
        }
        l->ticks = l->epoch << SL_TF_TIME_BITS | *w >> SL_TF_CODE_BITS;
        return true;
    }
}

static bool before(const struct lane *a, const struct lane *b)
{
    return a->ticks != b->ticks ? a->ticks < b->ticks : a->number < b->number;
}

static void sink(struct sl_decoded *d, size_t i)
{
    for (size_t child; (child = 2 * i + 1) < d->nheap; i = child) {
        struct lane *swap = d->heap[i];
        if (child + 1 < d->nheap && before(d->heap[child + 1], d->heap[child]))
            child++;
        if (!before(d->heap[child], swap))
            return;
        d->heap[i] = d->heap[child];
        d->heap[child] = swap;
    }
}

/* Past the record at hand; the heap is put in order later, by the one that took it. */
static void consume(struct sl_decoded *d, struct lane *l)
{
    l->word += (uint32_t)record_size(l->at->words + l->word, l->at->n - l->word);
    l->done = !settle(d, l);
}

static void reorder(struct sl_decoded *d)
{
    if (d->heap[0]->done)
        d->heap[0] = d->heap[--d->nheap];
    sink(d, 0);
}

/* The lanes so far are in the order of their numbers. */
static struct thread *thread_of(struct sl_decoded *d, const struct segment *s)
{
    for (size_t low = 0, high = s->base == s->lane ? 0 : d->nlanes; low < high;) {
        size_t middle = (low + high) / 2;
        if (d->lanes[middle].number == s->base)
            return d->lanes[middle].thread;
        if (d->lanes[middle].number < s->base)
            low = middle + 1;
        else
            high = middle;
    }
    d->threads[d->nthreads] = (struct thread){.tid = s->tid};
    return &d->threads[d->nthreads++];
}

static bool make_lanes(struct sl_decoded *d)
{
    size_t n = 0, kept = 0;

    qsort(d->segments, d->nsegments, sizeof *d->segments, by_lane);
    /* What a buffer has was not moved to the file yet. */
    for (size_t i = 0, next; i < d->nsegments; i = next) {
        uint64_t seq = UINT64_MAX;
        for (next = i; next < d->nsegments && d->segments[next].lane == d->segments[i].lane; next++)
            if (d->segments[next].buffer)
                seq = d->segments[next].seq;
        for (size_t k = i; k < next; k++) {
            bool again = kept && d->segments[kept - 1].lane == d->segments[k].lane &&
                         d->segments[kept - 1].seq == d->segments[k].seq;
            if (d->segments[k].buffer || (d->segments[k].seq < seq && !again))
                d->segments[kept++] = d->segments[k];
        }
        n++;
    }
    d->nsegments = kept;
    d->lanes = calloc(n + 1, sizeof *d->lanes);
    d->heap = calloc(n + 1, sizeof *d->heap);
    d->threads = calloc(n + 1, sizeof *d->threads);
    if (!d->lanes || !d->heap || !d->threads)
        return false;
    for (size_t i = 0, next; i < d->nsegments; i = next) {
        struct lane *l = &d->lanes[d->nlanes];
        for (next = i; next < d->nsegments && d->segments[next].lane == d->segments[i].lane; next++)
            ;
        l->at = d->segments + i;
        l->end = d->segments + next;
        l->number = l->at->lane;
        l->thread = thread_of(d, l->at);
        d->nlanes++;
        if (settle(d, l))
            d->heap[d->nheap++] = l;
    }
    for (size_t i = d->nheap; i-- > 0;)
        sink(d, i);
    return true;
}

/* ---- the clock ---- */

static void set_clock(struct sl_decoded *d, uint64_t ticks_now, uint64_t monotonic_now)
{
    const struct sl_tf_header *h = d->header;
    const struct sl_tf_moment *last = &h->latest[h->recent & 1];

    d->ticks0 = h->start.ticks;
    d->ns0 = h->start.monotonic_ns;
    d->ns_per_tick = 1;
    if (h->clock == SL_TF_CLOCK_NS)
        return;
    if (last->ticks > d->ticks0)
        d->ns_per_tick = (double)(last->monotonic_ns - d->ns0) / (double)(last->ticks - d->ticks0);
    if (!h->ended_ticks && ticks_now > last->ticks && monotonic_now > last->monotonic_ns)
        d->ns_per_tick = (double)(monotonic_now - d->ns0) / (double)(ticks_now - d->ticks0);
}

/* The last time that any lane has; lanes are not in the heap yet. */
static int64_t last_time(struct sl_decoded *d)
{
    uint64_t last = d->header->start.ticks;

    for (size_t i = 0; i < d->nlanes; i++) {
        const struct lane *l = &d->lanes[i];
        const struct segment *s = l->end - 1;
        uint64_t epoch = s->epoch;
        for (const struct segment *x = l->at; x < l->end; x++) {
            if (x->seq == 0)
                epoch = x->epoch;
            for (uint32_t k = 0; k < x->n && x == s;) { /* only the last one is gone through */
                uint64_t size = record_size(x->words + k, x->n - k), ticks;
                if (size > x->n - k)
                    break;
                if ((x->words[k] & ((1u << SL_TF_CODE_BITS) - 1)) >> 2 == SL_TF_EPOCH && size == 2)
                    epoch = x->words[k + 1];
                ticks = epoch << SL_TF_TIME_BITS | x->words[k] >> SL_TF_CODE_BITS;
                if (ticks > last)
                    last = ticks;
                k += (uint32_t)size;
            }
        }
    }
    return time_of(d, last);
}

/* ---- beginning and end ---- */

struct sl_decoded *sl_decode_new(const void *bytes, size_t n, uint64_t ticks_now, uint64_t monotonic_now,
                                 const char **why)
{
    struct sl_decoded *d;
    const struct sl_tf_header *h = bytes;

    *why = "it is no trace file of Spanloom";
    if (n < SL_TF_HEADER || h->magic != SL_TF_MAGIC)
        return NULL;
    *why = "it is of a newer version";
    if (h->version != 1)
        return NULL;
    *why = "out of memory";
    d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    d->bytes = bytes;
    d->n = n;
    d->header = h;
    d->process = (struct sl_trace_process){
        .pid = h->pid,
        .ppid = h->ppid,
        .options = h->options,
        .ended = h->ended_ticks != 0,
        .lost = h->lost,
        .trace_id = {h->trace_id[0], h->trace_id[1]},
        .span_id = h->span_id,
        .parent_id = h->parent_id,
        .facts = (const char *)(h + 1),
        .nfacts = h->facts <= SL_TF_HEADER - sizeof *h ? h->facts : 0,
        .boot_id = (const char *)h->boot_id,
    };
    if (d->process.nfacts && d->process.facts[d->process.nfacts - 1])
        d->process.nfacts = 0;
    set_clock(d, ticks_now, monotonic_now);
    d->process.start_ns = time_of(d, h->start.ticks);
    if (!read_chunks(d) || !make_lanes(d)) {
        sl_decode_free(d);
        return NULL;
    }
    d->process.end_ns = h->ended_ticks ? time_of(d, h->ended_ticks) : last_time(d);
    return d;
}

struct sl_decoded *sl_decode_open(const char *path, const char **why)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC), id;
    struct stat s;
    void *bytes = MAP_FAILED;
    struct sl_decoded *d = NULL;
    struct sl_tf_moment now = {0};
    char boot_id[40] = "";

    *why = "it cannot be read";
    if (fd >= 0 && !fstat(fd, &s) && s.st_size > 0)
        bytes = mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (fd >= 0)
        close(fd);
    if (bytes == MAP_FAILED)
        return NULL;
    id = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (id >= 0) {
        if (read(id, boot_id, 36) == 36 && s.st_size >= SL_TF_HEADER) {
            const struct sl_tf_header *h = bytes;
            sl_clock = sl_clock_best();
            if (!memcmp(boot_id, h->boot_id, 36) && sl_clock == h->clock)
                now = sl_clock_moment();
        }
        close(id);
    }
    d = sl_decode_new(bytes, (size_t)s.st_size, now.ticks, now.monotonic_ns, why);
    if (d)
        d->mapped = bytes;
    else
        munmap(bytes, (size_t)s.st_size);
    return d;
}

void sl_decode_free(struct sl_decoded *d)
{
    if (!d)
        return;
    for (size_t i = 0; i < d->nthreads; i++) {
        for (size_t k = 0; k < d->threads[i].n; k++)
            free(d->threads[i].frames[k].args);
        free(d->threads[i].frames);
    }
    for (char *p = d->names, *next; p; p = next) {
        memcpy(&next, p, sizeof next);
        free(p);
    }
    if (d->mapped)
        munmap(d->mapped, d->n);
    free(d->given);
    free(d->args);
    free(d->threads);
    free(d->heap);
    free(d->lanes);
    free(d->segments);
    free(d->sites);
    free(d);
}

const struct sl_trace_process *sl_decode_process(const struct sl_decoded *d)
{
    return &d->process;
}

const char *sl_decode_fact(const struct sl_decoded *d, const char *name)
{
    size_t n = strlen(name);

    for (const char *p = d->process.facts, *end = p + d->process.nfacts; p < end; p += strlen(p) + 1)
        if (!strncmp(p, name, n) && p[n] == '=')
            return p + n + 1;
    return NULL;
}

/* ---- events ---- */

static const struct sl_trace_site *site_of(const struct sl_decoded *d, uint64_t number)
{
    return number < d->nsites ? &d->sites[number] : &unknown;
}

static bool add_arg(struct sl_trace_arg **args, size_t *n, const struct sl_trace_arg *a)
{
    if ((*n & (*n - 1)) == 0 || !*n) { /* grows by doubling: at 0, 1, 2, 4, ... */
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
    uint32_t code = *w & ((1u << SL_TF_CODE_BITS) - 1);

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

/* Closes the innermost span of t. */
static void close_one(struct sl_decoded *d, struct thread *t, int64_t ts_ns, struct sl_trace_event *e)
{
    struct frame *f = &t->frames[--t->n];

    *e = (struct sl_trace_event){
        .phase = 'E',
        .tid = t->tid,
        .ts_ns = ts_ns,
        .begin_ns = f->begin_ns,
        .site = f->site,
        .context = f->context,
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
}

static void go_on_closing(struct sl_decoded *d, struct sl_trace_event *e)
{
    close_one(d, d->closing, d->closing_ns, e);
    if (d->closing->n <= d->keep)
        d->closing = NULL;
    e->unfinished = d->closing && e->site->loose; /* where it ended, nobody knows */
}

/* What follows an event on its lane and belongs to it. */
static void absorb(struct sl_decoded *d, struct lane *l, struct sl_trace_event *e, struct frame *f)
{
    while (!l->done) {
        const uint64_t *w = l->at->words + l->word;
        uint32_t code = *w & ((1u << SL_TF_CODE_BITS) - 1);
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
        consume(d, l);
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
    if (!push(t, &f))
        return false;
    consume(d, l);
    absorb(d, l, e, &t->frames[t->n - 1]);
    return true;
}

static bool end_span(struct sl_decoded *d, struct lane *l, const struct sl_trace_site *site, struct sl_trace_event *e)
{
    struct thread *t = l->thread;
    size_t i = t->n;

    while (i && t->frames[i - 1].site != site)
        i--;
    consume(d, l);
    if (!i) {
        e->phase = 'E';
        e->begin_ns = INT64_MIN;
        e->depth = (uint32_t)t->n;
        return site->loose;
    }
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
    uint32_t code = *w & ((1u << SL_TF_CODE_BITS) - 1), kind = code >> 2, n = code & 3;
    struct thread *t = l->thread;
    struct frame *top = t->n ? &t->frames[t->n - 1] : NULL;
    struct sl_trace_arg a;

    if (kind < sizeof phases && phases[kind] && n == (kind == SL_TF_INSTANT ? 1u : 2u)) {
        e->phase = phases[kind];
        e->site = site_of(d, w[1]);
        e->id = n == 2 ? w[2] : 0;
        if (kind == SL_TF_COUNTER)
            memcpy(&e->value, w + 2, sizeof e->value);
        consume(d, l);
        absorb(d, l, e, NULL);
        return true;
    }
    consume(d, l);
    if (kind == SL_TF_THREAD_NAME && n == 3) {
        e->phase = 'N';
        e->text = (struct sl_text_ref){(const char *)(w + 2), (uint32_t)w[1]};
        return true;
    }
    if (kind == SL_TF_CONTEXT && n == 1) {
        e->phase = 'i';
        e->context = w[1];
        if (top && !top->context)
            top->context = w[1];
        else if (!top)
            return true;
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
    } else {
        d->process.damaged++;
    }
    return false;
}

bool sl_decode_next(struct sl_decoded *d, struct sl_trace_event *e)
{
    free(d->given);
    d->given = NULL;
    if (d->closing) {
        go_on_closing(d, e);
        return true;
    }
    while (d->nheap) {
        struct lane *l = d->heap[0];
        const uint64_t *w = l->at->words + l->word;
        uint32_t code = *w & ((1u << SL_TF_CODE_BITS) - 1);
        bool is_event;
        *e = (struct sl_trace_event){.tid = l->thread->tid, .ts_ns = time_of(d, l->ticks)};
        d->nargs = 0;
        free(d->args), d->args = NULL;
        if (code >= SL_TF_SITES) {
            e->site = site_of(d, code >> 1);
            is_event = code & 1 ? end_span(d, l, e->site, e) : begin_span(d, l, e->site, e);
        } else {
            is_event = other(d, l, w, e);
        }
        reorder(d);
        if (is_event)
            return true;
    }
    for (; d->left_open < d->nthreads; d->left_open++) {
        struct thread *t = &d->threads[d->left_open];
        if (!t->n)
            continue;
        close_one(d, t, d->process.end_ns, e);
        e->unfinished = true;
        return true;
    }
    return false;
}
