/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a decoder: its chunks, definitions and clock.  What was being written when the process died is passed
 * over. */
#include "collect/runtime/decoding.h"
#include "collect/runtime/demangle.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

const struct sl_trace_site sl_unknown_site = {.name = {"(unknown)", 9}, .category = {"", 0}, .file = {"", 0}};

/* ---- the file ---- */

static bool add_segment(struct sl_decoded *d, const struct sl_segment *s)
{
    if (d->nsegments == d->room) {
        size_t room = d->room ? d->room * 2 : 64;
        struct sl_segment *more = realloc(d->segments, room * sizeof *more);
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
            struct sl_segment s = {(const uint64_t *)(c + 1), c->epoch, (uint32_t)state, c->lane,
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
        const struct sl_segment *s = l->end - 1;
        uint64_t epoch = s->epoch;
        for (const struct sl_segment *x = l->at; x < l->end; x++) {
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

struct sl_decoded *sl_decode_new(const void *bytes, size_t n, const char **why)
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
    };
    if (d->process.nfacts && d->process.facts[d->process.nfacts - 1])
        d->process.nfacts = 0;
    set_clock(d);
    d->process.start_ns = sl_time_of(d, h->start.ticks);
    if (!read_chunks(d) || !sl_lanes_make(d)) {
        sl_decode_free(d);
        return NULL;
    }
    d->process.end_ns = h->ended_ticks ? sl_time_of(d, h->ended_ticks) : last_time(d);
    return d;
}

struct sl_decoded *sl_decode_open(const char *path, const char **why)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat s;
    void *bytes = MAP_FAILED;
    struct sl_decoded *d = NULL;

    *why = "it cannot be read";
    if (fd >= 0 && !fstat(fd, &s) && s.st_size > 0)
        bytes = mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (fd >= 0)
        close(fd);
    if (bytes == MAP_FAILED)
        return NULL;
    d = sl_decode_new(bytes, (size_t)s.st_size, why);
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
        for (size_t k = 0; k < d->threads[i].n; k++) {
            free(d->threads[i].frames[k].args);
            free(d->threads[i].frames[k].begin_args);
        }
        free(d->threads[i].frames);
    }
    for (char *p = d->names, *next; p; p = next) {
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
