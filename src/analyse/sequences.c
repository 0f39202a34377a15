/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happened (span type, event type) is one number, and numbers are ordered as the names are: sorting a root's
 * events by (time, number) settles ties, and comparing orderings is comparing memory.  Only the names that occur are
 * numbered, so that 32 bits suffice.
 */
#include "analyse/sequences.h"
#include "analyse/ext.h"
#include "base/hash.h"

#include <stdlib.h>

enum { INTERRUPT_EVERY = 1 << 16 };

struct make {
    struct sl_sequences *s;
    const struct sl_graph *g;
    const struct sl_events *e;
    struct sl_walk walk;
    uint32_t *span_code;  /* by rank: the index in span_type, times event_types */
    uint32_t *event_code; /* by rank: the index in event_type */
    struct {
        struct sl_happening *v;
        size_t n, cap;
    } now; /* the root at hand */
    struct {
        uint32_t *v;
        size_t n, cap;
    } codes;
    uint32_t *slot; /* open addressing: index in s->v, plus 1 */
    size_t slots;
    sqlite3_stmt *alive;
    size_t work;
};

/* ---- codes ---- */

/* Numbers the ranks that are set in used[0..n), ascending; number[] by rank; returns how many, *list holds them. */
static uint32_t number_ranks(const unsigned char *used, uint32_t n, uint32_t **list, uint32_t **number)
{
    uint32_t k = 0;

    *list = sl_alloc((size_t)n * sizeof **list);
    *number = sl_alloc((size_t)n * sizeof **number);
    for (uint32_t i = 0; i < n; i++)
        if (used[i]) {
            (*number)[i] = k;
            (*list)[k++] = i;
        }
    return k;
}

/* Through a lens the types of events are codes already. */
static void seen_codes(struct make *m, uint32_t names)
{
    uint32_t codes = sl_lens_codes(m->s->lens);

    m->span_code = sl_alloc(names * sizeof *m->span_code);
    m->event_code = sl_alloc(codes * sizeof *m->event_code);
    for (uint32_t i = 0; i < codes; i++)
        m->event_code[i] = i;
}

static int make_codes(struct make *m, struct sl_err *err)
{
    uint32_t names = m->g->names.n;
    unsigned char *spans, *events;

    if (m->s->lens) {
        seen_codes(m, names);
        return 0;
    }
    spans = sl_alloc(names);
    events = sl_alloc(names);
    for (uint32_t i = 0; i < m->g->n; i++)
        if (m->e->start[i + 1] > m->e->start[i])
            spans[m->g->type[i]] = 1;
    for (size_t i = 0; i < m->e->n; i++)
        events[m->e->type[i]] = 1;
    m->s->span_types = number_ranks(spans, names, &m->s->span_type, &m->span_code);
    m->s->event_types = number_ranks(events, names, &m->s->event_type, &m->event_code);
    free(spans);
    free(events);
    if ((uint64_t)m->s->span_types * m->s->event_types > UINT32_MAX)
        return sl_err(err, SL_ESTORE,
                      "%u types of spans times %u types of events are more than this analysis can tell "
                      "apart; a recipe probably takes a variable text for a name",
                      m->s->span_types, m->s->event_types);
    for (uint32_t i = 0; i < names; i++)
        m->span_code[i] *= m->s->event_types;
    return 0;
}

const char *sl_sequences_span_type(const struct sl_sequences *s, const struct sl_names *names, size_t step)
{
    return s->lens ? sl_lens_span_type(s->lens, s->code[step])
                   : names->text[s->span_type[s->code[step] / s->event_types]];
}

const char *sl_sequences_event_type(const struct sl_sequences *s, const struct sl_names *names, size_t step)
{
    return s->lens ? sl_lens_event_type(s->lens, s->code[step])
                   : names->text[s->event_type[s->code[step] % s->event_types]];
}

/* ---- one root ---- */

static void gather(struct make *m)
{
    m->now.n = 0;
    for (size_t i = 0; i < m->walk.n; i++) {
        uint32_t span = m->walk.span[i];
        size_t from = m->e->start[span], to = m->e->start[span + 1];
        while (m->now.n + (to - from) > m->now.cap)
            m->now.v = sl_vec_grow(m->now.v, &m->now.cap, sizeof *m->now.v);
        for (; from < to; from++)
            m->now.v[m->now.n++] = (struct sl_happening){
                m->e->time_ns[from], m->span_code[m->g->type[span]] + m->event_code[m->e->type[from]], 0};
    }
}

/* ---- groups ---- */

static void rehash(struct make *m)
{
    free(m->slot);
    m->slots = m->slots ? m->slots * 2 : 1024;
    m->slot = sl_alloc(m->slots * sizeof *m->slot);
    for (size_t k = 0; k < m->s->n; k++) {
        size_t i = m->s->v[k].hash & (m->slots - 1);
        while (m->slot[i])
            i = (i + 1) & (m->slots - 1);
        m->slot[i] = (uint32_t)k + 1;
    }
}

static struct sl_ordering *add_ordering(struct sl_sequences *s, const uint32_t *code, size_t n, uint64_t hash)
{
    struct sl_ordering *o;

    if (s->n == s->cap)
        s->v = sl_vec_grow(s->v, &s->cap, sizeof *s->v);
    while (s->steps + n > s->code_cap)
        s->code = sl_vec_grow(s->code, &s->code_cap, sizeof *s->code);
    while (s->steps + n > s->step_cap)
        s->step = sl_vec_grow(s->step, &s->step_cap, sizeof *s->step);
    o = &s->v[s->n++];
    *o = (struct sl_ordering){.at = s->steps, .n = (uint32_t)n, .hash = hash};
    if (n)
        memcpy(s->code + s->steps, code, n * sizeof *code);
    for (size_t i = 0; i < n; i++)
        s->step[s->steps + i] = (struct sl_step){.min_ns = UINT64_MAX};
    s->steps += n;
    return o;
}

static struct sl_ordering *find_ordering(struct make *m, const uint32_t *code, size_t n)
{
    struct sl_sequences *s = m->s;
    uint64_t hash = sl_hash(code, n * sizeof *code);
    size_t i;

    if ((s->n + 1) * 2 > m->slots)
        rehash(m);
    for (i = hash & (m->slots - 1); m->slot[i]; i = (i + 1) & (m->slots - 1)) {
        struct sl_ordering *o = &s->v[m->slot[i] - 1];
        if (o->hash == hash && o->n == n && (!n || !memcmp(s->code + o->at, code, n * sizeof *code)))
            return o;
    }
    m->slot[i] = (uint32_t)s->n + 1;
    return add_ordering(s, code, n, hash);
}

static void add_root(struct make *m)
{
    struct sl_ordering *o;
    const struct sl_happening *v = m->now.v;

    while (m->now.n > m->codes.cap)
        m->codes.v = sl_vec_grow(m->codes.v, &m->codes.cap, sizeof *m->codes.v);
    for (size_t i = 0; i < m->now.n; i++)
        m->codes.v[i] = v[i].code;
    o = find_ordering(m, m->codes.v, m->now.n);
    o->count++;
    m->s->roots++;
    for (size_t i = 0; i < m->now.n; i++) {
        struct sl_step *t = &m->s->step[o->at + i];
        /* in order of time, so never negative; unsigned, because times of garbage may be further apart than 2^63 */
        uint64_t d = i ? (uint64_t)v[i].time_ns - (uint64_t)v[i - 1].time_ns : 0;
        t->sum_ns += d;
        t->min_ns = d < t->min_ns ? d : t->min_ns;
        t->max_ns = d > t->max_ns ? d : t->max_ns;
    }
}

static int by_count(const void *a, const void *b, void *arg)
{
    const struct sl_ordering *x = a, *y = b;
    const uint32_t *code = ((const struct sl_sequences *)arg)->code;

    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    for (uint32_t i = 0; i < x->n && i < y->n; i++)
        if (code[x->at + i] != code[y->at + i])
            return code[x->at + i] < code[y->at + i] ? -1 : 1;
    return (x->n > y->n) - (x->n < y->n);
}

/* ---- all roots ---- */

/* Long loops outside SQLite do not see sqlite3_interrupt(); a statement that begins does. */
static bool interrupted(struct make *m, sqlite3 *db)
{
    bool stop;

    if ((m->work += m->walk.n) < INTERRUPT_EVERY)
        return false;
    m->work = 0;
    if (!m->alive && sqlite3_prepare_v2(db, "SELECT 1", -1, &m->alive, NULL) != SQLITE_OK)
        return true;
    stop = sqlite3_step(m->alive) != SQLITE_ROW;
    sqlite3_reset(m->alive);
    return stop;
}

static int make_all(struct make *m, uint32_t type, sqlite3 *db, struct sl_err *err)
{
    for (uint32_t i = 0; i < m->g->n; i++) {
        if (m->g->type[i] != type)
            continue;
        sl_walk_closure(&m->walk, i);
        gather(m);
        if (m->now.n > UINT32_MAX)
            return sl_err(err, SL_ESTORE, "a span has more events below it than this analysis can hold");
        sl_happenings_sort(m->now.v, m->now.n);
        if (m->s->lens)
            m->now.n = sl_lens_merge(m->s->lens, m->now.v, m->now.n, NULL);
        add_root(m);
        if (interrupted(m, db))
            return sl_err(err, SL_EIO, "interrupted");
    }
    return 0;
}

int sl_sequences_make(struct sl_sequences *out, const struct sl_graph *g, const struct sl_events *e,
                      struct sl_lens *lens, uint32_t type, sqlite3 *db, struct sl_err *err)
{
    struct make m = {.s = out, .g = g, .e = e};
    int rc = 0;

    *out = (struct sl_sequences){.lens = lens};
    if (type == SL_NONE)
        return 0;
    sl_walk_init(&m.walk, g);
    rc = make_codes(&m, err);
    if (!rc)
        rc = make_all(&m, type, db, err);
    if (!rc && out->n)
        qsort_r(out->v, out->n, sizeof *out->v, by_count, out);
    sl_walk_free(&m.walk);
    sqlite3_finalize(m.alive);
    free(m.span_code);
    free(m.event_code);
    free(m.now.v);
    free(m.codes.v);
    free(m.slot);
    if (rc)
        sl_sequences_free(out);
    return rc;
}

void sl_sequences_free(struct sl_sequences *s)
{
    free(s->v);
    free(s->code);
    free(s->step);
    free(s->span_type);
    free(s->event_type);
    *s = (struct sl_sequences){0};
}
