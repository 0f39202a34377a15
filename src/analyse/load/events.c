/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sl_event is clustered by (span, time_ns): one scan in the order of its primary key meets the spans of the graph in
 * their order, so that nothing has to be looked up or sorted.
 */
#include "analyse/load/events.h"
#include "analyse/ext.h"
#include "analyse/load/fast_rows.h"
#include "analyse/load/shared.h"

#include <stdio.h>
#include <stdlib.h>

struct offset {
    int64_t source, ns;
};

struct load {
    struct sl_events *e;
    SL_VEC(struct offset) offset; /* by source, ascending */
    const struct sl_graph *g;
    size_t time_cap;
    bool sources;
    uint32_t last_source; /* no id is greater */
    uint32_t at;          /* start[] is known up to this span */
    uint32_t until;       /* and none from this one on is asked for */
    int64_t last_span;
    int64_t last_type;
    uint32_t last_rank;
    bool disorder;
};

/* ---- corrected clocks ---- */

static int offset_row(void *to, sqlite3_value **v)
{
    struct load *l = to;

    if (sqlite3_value_int64(v[1]))
        *sl_vec_add(&l->offset) = (struct offset){sqlite3_value_int64(v[0]), sqlite3_value_int64(v[1])};
    return 0;
}

bool sl_events_are_corrected(sqlite3 *db)
{
    /* a name without a schema means the temporary table first */
    return sqlite3_table_column_metadata(db, NULL, "sl_skew", "source", NULL, NULL, NULL, NULL, NULL) == SQLITE_OK;
}

static int load_offsets(struct load *l, sqlite3 *db, struct sl_err *err)
{
    if (!sl_events_are_corrected(db))
        return 0;
    return sl_query_each(
        db, "SELECT sl_query_each(?1, source, offset_ns) FROM (SELECT source, offset_ns FROM sl_skew ORDER BY source)",
        offset_row, l, err);
}

static int by_source(const void *a, const void *b)
{
    int64_t x = ((const struct offset *)a)->source, y = ((const struct offset *)b)->source;
    return (x > y) - (x < y);
}

static int64_t corrected(const struct load *l, int64_t time_ns, int64_t source)
{
    struct offset key = {source, 0}, *o;
    int64_t t;

    o = l->offset.n ? bsearch(&key, l->offset.v, l->offset.n, sizeof *l->offset.v, by_source) : NULL;
    return !o || __builtin_add_overflow(time_ns, o->ns, &t) ? time_ns : t;
}

/* Several sources tell of one span: its events may have changed their order. */
static void sort_spans(struct sl_events *e, uint32_t spans)
{
    SL_VEC(struct sl_timed_event) v = {0};

    for (uint32_t i = 0; i < spans; i++) {
        uint32_t start = e->start[i], end = e->start[i + 1], a = start + 1;
        while (a < end && e->time_ns[a - 1] <= e->time_ns[a])
            a++;
        if (a >= end)
            continue;
        sl_vec_clear(&v);
        for (a = start; a < end; a++)
            *sl_vec_add(&v) = (struct sl_timed_event){e->time_ns[a], sl_number_at(&e->type, a), 0};
        sl_timed_events_sort(v.v, v.n);
        for (a = start; a < end; a++) {
            e->time_ns[a] = v.v[a - start].time_ns;
            sl_number_put(&e->type, a, v.v[a - start].code);
        }
    }
    sl_vec_free(&v);
}

/* ---- loading ---- */

static void close_spans(struct load *l, int64_t before)
{
    while (l->at < l->until && l->g->id.v[l->at] < before)
        l->e->start[++l->at] = (uint32_t)l->e->n;
}

static int event_row(void *to, sqlite3_value **v)
{
    struct load *l = to;
    struct sl_events *e = l->e;
    int64_t span = sqlite3_value_int64(v[0]), type = sqlite3_value_int64(v[2]);

    if (span != l->last_span) {
        l->disorder |= span < l->last_span;
        l->last_span = span;
        close_spans(l, span);
    }
    if (l->at == l->until || l->g->id.v[l->at] != span || l->g->type[l->at] == SL_NO_INDEX)
        return 0;
    if (type != l->last_type) {
        l->last_type = type;
        l->last_rank = sl_names_rank(&l->g->names, type);
    }
    if (l->last_rank == SL_NO_INDEX)
        return 0;
    if (e->n == l->time_cap) {
        e->time_ns = sl_vec_grow(e->time_ns, &l->time_cap, sizeof *e->time_ns);
        e->type.v = sl_vec_grow(e->type.v, &e->type.cap, e->type.bytes);
        if (l->sources)
            e->source.v = sl_vec_grow(e->source.v, &e->source.cap, e->source.bytes);
    }
    if (l->sources) {
        int64_t source = sqlite3_value_int64(v[3]);
        sl_number_put(&e->source, e->n, source > 0 && source <= l->last_source ? (uint32_t)source : 0);
    }
    e->time_ns[e->n] = sqlite3_value_int64(v[1]);
    if (l->offset.n)
        e->time_ns[e->n] = corrected(l, e->time_ns[e->n], sqlite3_value_int64(v[3]));
    sl_number_put(&e->type, e->n++, l->last_rank);
    return 0;
}

/* The last of them, and those that follow, have no events any more. */
static void close_rest(struct load *l)
{
    close_spans(l, INT64_MAX);
    while (l->at < l->until) /* the one whose id is INT64_MAX */
        l->e->start[++l->at] = (uint32_t)l->e->n;
}

static void begin_scan(struct load *l, uint32_t at, uint32_t until)
{
    l->disorder = false;
    l->last_span = l->last_type = INT64_MIN;
    l->last_rank = 0;
    l->at = at;
    l->until = until;
    l->e->n = 0;
}

/* ---- by two threads ---- */

enum { PARTS = 16 }; /* more than two, as some take longer; and they are joined one by one */

static void free_arrays(struct sl_events *e)
{
    free(e->time_ns);
    free(e->type.v);
    free(e->source.v);
}

/* The array with those of all parts, from its first; the others go. */
static void *joined(void *all, size_t at, void *part, size_t n, size_t size)
{
    if (n)
        memcpy((char *)all + at * size, part, n * size);
    free(part);
    return all;
}

/* Takes the events of the parts, whose start[] is that of out. */
static void join(struct sl_events *out, struct sl_events *e, const struct load *part)
{
    size_t n = 0, at = 0;

    for (int i = 0; i < PARTS; i++)
        n += e[i].n;
    out->n = n;
    if (n > UINT32_MAX || !n) {
        for (int i = 0; i < PARTS; i++)
            free_arrays(&e[i]);
        return;
    }
    out->time_ns = sl_realloc(NULL, n * sizeof *out->time_ns);
    out->type.v = sl_realloc(NULL, n * out->type.bytes);
    if (part->sources)
        out->source.v = sl_realloc(NULL, n * out->source.bytes);
    for (int i = 0; i < PARTS; i++) {
        for (uint32_t k = i ? part[i - 1].until : 0; k < part[i].until; k++)
            out->start[k + 1] += (uint32_t)at;
        joined(out->time_ns, at, e[i].time_ns, e[i].n, sizeof *out->time_ns);
        joined(out->type.v, at, e[i].type.v, e[i].n, out->type.bytes);
        if (part->sources)
            joined(out->source.v, at, e[i].source.v, e[i].n, out->source.bytes);
        at += e[i].n;
    }
}

/* Each part has some of the spans; all write start[] of their own. */
static int load_in_parts(struct load *l, sqlite3 *db, struct sl_err *err)
{
    struct sl_events e[PARTS];
    struct load part[PARTS];
    void *to[PARTS];
    int64_t from[PARTS];
    char sql[160];
    int rc;

    for (uint32_t i = 0; i < PARTS; i++) {
        uint32_t at = (uint32_t)((uint64_t)l->g->n * i / PARTS);
        e[i] = *l->e;
        part[i] = *l;
        part[i].e = &e[i];
        begin_scan(&part[i], at, (uint32_t)((uint64_t)l->g->n * (i + 1) / PARTS));
        to[i] = &part[i];
        from[i] = i ? l->g->id.v[at] : INT64_MIN;
    }
    snprintf(sql, sizeof sql,
             "SELECT sl_query_each(?1, span, time_ns, type%s) FROM sl_event WHERE span BETWEEN ?3 AND ?4",
             l->offset.n || l->sources ? ", source" : "");
    rc = sl_query_each_part(db, sql, event_row, PARTS, from, to, err);
    l->disorder = false;
    for (int i = 0; i < PARTS; i++) {
        close_rest(&part[i]);
        l->disorder |= part[i].disorder;
    }
    join(l->e, e, part);
    l->at = l->until = l->g->n;
    return rc;
}

static unsigned bytes_for(uint32_t greatest)
{
    return greatest <= UINT8_MAX ? 1 : greatest <= UINT16_MAX ? 2 : 4;
}

static int last_source_row(void *to, sqlite3_value **v)
{
    ((struct load *)to)->last_source = (uint32_t)sqlite3_value_int64(v[0]); /* ids are less, or the store is refused */
    return 0;
}

int sl_events_load(struct sl_events *out, const struct sl_graph *g, sqlite3 *db, unsigned want, struct sl_err *err)
{
    const char *from[] = {g->part ? "(SELECT e.* FROM json_each(?2) j CROSS JOIN sl_event e ON e.span = j.value)"
                                  : "sl_event NOT INDEXED",
                          "(SELECT * FROM sl_event ORDER BY span, time_ns, type, source, place)"};
    struct load l = {.e = out, .g = g, .disorder = true};
    int rc = want & SL_EVENTS_RAW ? 0 : load_offsets(&l, db, err);
    bool parts;

    l.sources = want & SL_EVENTS_SOURCES && !l.offset.n;
    if (!rc && l.sources)
        rc = sl_query_each(db, "SELECT sl_query_each(?1, id) FROM (SELECT max(id) AS id FROM sl_source)",
                           last_source_row, &l, err);
    *out = (struct sl_events){.start = sl_alloc(((size_t)g->n + 1) * sizeof *out->start),
                              .type.bytes = bytes_for(g->names.n),
                              .source.bytes = bytes_for(l.last_source)};
    parts = !g->part && g->n >= PARTS && sl_has_beside(db);
    if (!rc && parts)
        rc = load_in_parts(&l, db, err);
    /* again, and sorted, where a plain scan is not in order: PRAGMA reverse_unordered_selects */
    for (int i = parts; i < 2 && !rc && l.disorder; i++) {
        char sql[160];
        begin_scan(&l, 0, g->n);
        snprintf(sql, sizeof sql, "SELECT sl_query_each(?1, span, time_ns, type%s) FROM %s",
                 l.offset.n || l.sources ? ", source" : "", from[i]);
        rc = sl_query_each_of(db, sql, g->part, event_row, &l, err);
    }
    if (!rc && out->n > UINT32_MAX)
        rc = sl_err(err, SL_ESTORE, "%zu events are more than this analysis can hold; choose some with SQL", out->n);
    close_rest(&l);
    if (!rc && l.offset.n)
        sort_spans(out, g->n);
    sl_vec_free(&l.offset);
    if (rc)
        sl_events_free(out);
    return rc;
}

void sl_events_free(struct sl_events *e)
{
    free(e->start);
    free(e->time_ns);
    free(e->type.v);
    free(e->source.v);
    *e = (struct sl_events){0};
}

/* ---- in order ---- */

enum { INSERTION = 64 };

static int by_time(const void *a, const void *b)
{
    const struct sl_timed_event *x = a, *y = b;

    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    if (x->code != y->code)
        return x->code < y->code ? -1 : 1;
    return (x->of > y->of) - (x->of < y->of);
}

/* A task's handful of events is mostly in order already, span by span. */
void sl_timed_events_sort(struct sl_timed_event *v, size_t n)
{
    if (n > INSERTION) {
        qsort(v, n, sizeof *v, by_time);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        struct sl_timed_event x = v[i];
        size_t k = i;
        for (; k && by_time(&x, &v[k - 1]) < 0; k--)
            v[k] = v[k - 1];
        v[k] = x;
    }
}
