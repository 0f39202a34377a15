/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a decoder: its chunks, definitions and clock.  What was being written when the process died is passed
 * over. */
#include "trace/decode_internal.h"
#include "trace/demangle.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

const struct sl_trace_site sl_unknown_site = {.name = {"(unknown)", 9}, .category = {"", 0}, .file = {"", 0}};

/* ---- the file ---- */

static bool add_segment(struct sl_decoded *d, const struct sl_lane_segment *s)
{
    if (d->nsegments == d->room) {
        size_t room = d->room ? d->room * 2 : 64;
        struct sl_lane_segment *more = realloc(d->segments, room * sizeof *more);
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
                sites[k] = sl_unknown_site;
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
            site->name = sl_demangle(site->name, &d->owned);
    }
}

/* The chunk at `at`, and where the next one may be; where one was being written, that is a page on.  NULL: it is none.
 */
static const struct sl_tf_chunk *chunk_at(const uint8_t *bytes, size_t n, size_t at, size_t *next, uint64_t *most)
{
    const struct sl_tf_chunk *c = (const struct sl_tf_chunk *)(bytes + at);
    uint64_t size = c->size;

    *next = at + SL_TF_PAGE;
    if (c->magic != SL_TF_CHUNK_MAGIC || c->kind < SL_TF_DEFS || c->kind > SL_TF_DATA || size < sizeof *c ||
        size % SL_TF_PAGE)
        return NULL;
    *most = (n - at - sizeof *c) / 8;
    if (*most > (size - sizeof *c) / 8)
        *most = (size - sizeof *c) / 8;
    /* DATA that was cut off may lie under chunks that were written later: its size tells nothing then. */
    if (c->kind != SL_TF_DATA || size <= n - at)
        *next = size <= n - at ? at + size : n;
    return c;
}

/* A buffer as it is at one moment: its thread may go on writing, and may empty it. */
static bool copy_buffer(struct sl_decoded *d, const struct sl_tf_chunk *c, uint64_t most)
{
    for (int tries = 0; tries < 1000; tries++) {
        uint64_t state = __atomic_load_n(&c->state, __ATOMIC_ACQUIRE);
        struct sl_lane_segment s = {
            .epoch = c->epoch,
            .n = (uint32_t)state,
            .lane = c->lane,
            .seq = (uint32_t)(state >> 32),
            .tid = c->tid,
            .base = c->base,
            .buffer = true,
        };
        bool cut = s.n > most;
        char *copy;
        if (cut)
            s.n = (uint32_t)most;
        copy = malloc(sizeof d->owned + (size_t)s.n * 8);
        if (!copy)
            return false;
        memcpy(copy + sizeof d->owned, c + 1, (size_t)s.n * 8);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (__atomic_load_n(&c->state, __ATOMIC_RELAXED) >> 32 != s.seq || c->lane != s.lane || c->tid != s.tid) {
            free(copy);
            continue;
        }
        memcpy(copy, &d->owned, sizeof d->owned);
        d->owned = copy;
        s.words = (const uint64_t *)(const void *)(copy + sizeof d->owned);
        d->process.lost += c->lost;
        d->process.damaged += cut;
        return !s.tid || add_segment(d, &s);
    }
    d->process.damaged++;
    return true;
}

/* Buffers before all else: what they have is moved to the end of a file that lives, and must not be missed on the way.
 */
static bool read_buffers(struct sl_decoded *d, const uint8_t *bytes, size_t n)
{
    uint64_t most;

    for (size_t at = SL_TF_HEADER, next; at + sizeof(struct sl_tf_chunk) <= n; at = next) {
        const struct sl_tf_chunk *c = chunk_at(bytes, n, at, &next, &most);
        if (c && c->kind == SL_TF_BUFFER && !copy_buffer(d, c, most))
            return false;
    }
    return true;
}

static bool read_rest(struct sl_decoded *d)
{
    uint64_t most;

    for (size_t at = SL_TF_HEADER, next; at + sizeof(struct sl_tf_chunk) <= d->n; at = next) {
        const struct sl_tf_chunk *c = chunk_at(d->bytes, d->n, at, &next, &most);
        if (c && c->kind == SL_TF_DEFS) {
            add_defs(d, c, most);
        } else if (c && c->kind == SL_TF_DATA) {
            struct sl_lane_segment s = {
                .words = (const uint64_t *)(c + 1),
                .epoch = c->epoch,
                .n = (uint32_t)c->state,
                .lane = c->lane,
                .seq = (uint32_t)(c->state >> 32),
                .tid = c->tid,
                .base = c->base,
            };
            if (s.n > most) { /* not finished; its buffer has it, or it is of a damaged file */
                s.n = (uint32_t)most;
                d->process.damaged++;
            }
            if (s.tid && !add_segment(d, &s))
                return false;
        }
    }
    return true;
}

/* ---- the clock ---- */

/*
 * The clocks were compared at the start and then after ever longer times, the last time before half of what has gone by
 * since was gone: so the rate is good for what came behind it as well.
 */
static void set_clock(struct sl_decoded *d)
{
    const struct sl_tf_header *h = d->header;
    const struct sl_tf_moment *last = &h->latest[h->recent & 1];

    d->ticks0 = h->start.ticks;
    d->ns0 = h->start.monotonic_ns;
    d->ns_per_tick = 1;
    if (h->clock != SL_TF_CLOCK_NS && last->ticks > d->ticks0)
        d->ns_per_tick = (double)(last->monotonic_ns - d->ns0) / (double)(last->ticks - d->ticks0);
}

/* The last time that any lane has; lanes are not in the heap yet. */
static int64_t last_time(struct sl_decoded *d)
{
    uint64_t last = d->header->start.ticks;

    for (size_t i = 0; i < d->nlanes; i++) {
        const struct lane *l = &d->lanes[i];
        const struct sl_lane_segment *s = l->end - 1;
        uint64_t epoch = s->epoch;
        for (const struct sl_lane_segment *x = l->at; x < l->end; x++) {
            if (x->seq == 0)
                epoch = x->epoch;
            for (uint32_t k = 0; k < x->n && x == s;) { /* only the last one is gone through */
                uint64_t size = sl_record_size(x->words + k, x->n - k), ticks;
                if (size > x->n - k)
                    break;
                if (sl_record_code(x->words[k]) >> 2 == SL_TF_EPOCH && size == 2)
                    epoch = x->words[k + 1];
                ticks = epoch << SL_TF_TIME_BITS | x->words[k] >> SL_TF_CODE_BITS;
                if (ticks > last)
                    last = ticks;
                k += (uint32_t)size;
            }
        }
    }
    return sl_time_of(d, last);
}

/* ---- beginning and end ---- */

static struct sl_decoded *begin(const void *bytes, size_t n, const char **why)
{
    struct sl_decoded *d = NULL;
    const struct sl_tf_header *h = bytes;

    *why = "it is no trace file of Spanloom";
    if (n < SL_TF_HEADER || h->magic != SL_TF_MAGIC)
        return NULL;
    *why = "it is of a newer version";
    if (h->version != 1)
        return NULL;
    *why = "out of memory";
    d = calloc(1, sizeof *d);
    if (d && !read_buffers(d, bytes, n)) {
        sl_decode_free(d);
        return NULL;
    }
    return d;
}

static bool go_on(struct sl_decoded *d, const void *bytes, size_t n)
{
    const struct sl_tf_header *h = bytes;

    d->bytes = bytes;
    d->n = n;
    d->header = h;
    d->process.pid = h->pid;
    d->process.ppid = h->ppid;
    d->process.options = h->options;
    d->process.ended = h->ended_ticks != 0;
    d->process.lost += h->lost;
    d->process.lost_why = d->process.lost && h->error ? strerror((int)h->error) : NULL;
    d->process.trace_id[0] = h->trace_id[0];
    d->process.trace_id[1] = h->trace_id[1];
    d->process.span_id = h->span_id;
    d->process.parent_id = h->parent_id;
    d->process.facts = (const char *)(h + 1);
    d->process.nfacts = h->facts <= SL_TF_HEADER - sizeof *h ? h->facts : 0;
    if (d->process.nfacts && d->process.facts[d->process.nfacts - 1])
        d->process.nfacts = 0;
    set_clock(d);
    d->process.start_ns = sl_time_of(d, h->start.ticks);
    if (!read_rest(d) || !sl_lanes_make(d))
        return false;
    d->process.end_ns = h->ended_ticks ? sl_time_of(d, h->ended_ticks) : last_time(d);
    return true;
}

/* Writes that a full disk cut off leave holes.  To read one through a mapping asks a memory file system for a page that
 * it does not have, and raises SIGBUS: zeros that need no file lie over them. */
static bool cover_holes(int fd, uint8_t *bytes, size_t n)
{
    off_t hole = lseek(fd, 0, SEEK_HOLE), data;

    for (; hole >= 0 && (size_t)hole < n; hole = lseek(fd, data, SEEK_HOLE)) {
        size_t from = ((size_t)hole + SL_TF_PAGE - 1) / SL_TF_PAGE * SL_TF_PAGE, to = n;
        data = lseek(fd, hole, SEEK_DATA);
        if (data >= 0 && (size_t)data < n)
            to = (size_t)data / SL_TF_PAGE * SL_TF_PAGE;
        if (from < to &&
            mmap(bytes + from, to - from, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
            return false;
        if (data < 0)
            break;
    }
    return true;
}

static void *map(int fd, size_t *n)
{
    struct stat s;
    void *bytes;

    if (fd < 0 || fstat(fd, &s) || s.st_size <= 0)
        return NULL;
    *n = (size_t)s.st_size;
    bytes = mmap(NULL, *n, PROT_READ, MAP_SHARED, fd, 0);
    if (bytes == MAP_FAILED)
        return NULL;
    if (cover_holes(fd, bytes, *n))
        return bytes;
    munmap(bytes, *n);
    return NULL;
}

struct sl_decoded *sl_decode_fd(int fd, const char **why)
{
    size_t n;
    void *bytes = map(fd, &n);
    struct sl_decoded *d;

    *why = "it cannot be read";
    if (!bytes)
        return NULL;
    d = begin(bytes, n, why);
    munmap(bytes, n);
    if (!d)
        return NULL;
    bytes = map(fd, &n); /* again: it may have grown */
    if (bytes && n >= SL_TF_HEADER) {
        d->mapped = bytes;
        if (go_on(d, bytes, n))
            return d;
    }
    *why = "it changed while it was read";
    sl_decode_free(d);
    return NULL;
}

struct sl_decoded *sl_decode_open(const char *path, const char **why)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct sl_decoded *d = sl_decode_fd(fd, why);

    if (fd >= 0)
        close(fd);
    return d;
}

void sl_decode_free(struct sl_decoded *d)
{
    if (!d)
        return;
    for (size_t i = 0; i < d->nthreads; i++) {
        for (size_t k = 0; k < d->threads[i].n; k++) {
            free(d->threads[i].frames[k].args);
            free(d->threads[i].frames[k].begin_args);
            free(d->threads[i].frames[k].shorts);
        }
        free(d->threads[i].frames);
    }
    for (char *p = d->owned, *next; p; p = next) {
        memcpy(&next, p, sizeof next);
        free(p);
    }
    if (d->mapped)
        munmap(d->mapped, d->n);
    free(d->given);
    free(d->given_begin);
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
