/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lanes are dealt out as intervals of a graph are coloured: the spans of a place and a type by their begin, each to the
 * first lane that is free (export/timeline/layout.h).  What is held are the slices that are open, with the events that
 * are still to be told.
 */
#include "export/timeline/timeline.h"
#include "base/buf.h"
#include "base/hash.h"
#include "export/timeline/layout.h"

#include <stdlib.h>

enum { BUCKETS = 1 << 12, PLACE_DEPTH = 64 };

struct open { /* a slice */
    int64_t id, end_ns;
    SL_VEC(struct {
        int64_t ns;
        const char *name; /* of the store's words */
    })
    event;
    size_t told; /* events */
};

struct lane {
    struct sl_track t;
    size_t kind;
    bool known; /* the track was told */
    int64_t last_ns;
    SL_VEC(struct open) stack;
};

struct heap { /* the smallest first */
    SL_VEC(struct heap_item {
        int64_t key;
        uint32_t lane;
    })
    of;
};

struct timeline {
    struct sl_spans *s;
    const struct sl_timeline_writer *w;
    void *to;
    struct sl_export_counts *counts;
    struct sl_layout layout;
    uint64_t tracks;
    uint32_t lanes, group, rank;
    SL_VEC(struct lane) lane;
    struct heap busy;
    SL_VEC(struct kind {
        int64_t type;
        char *name;
        struct heap unused;
    })
    kind;                   /* types of work at hand: each has lanes of its own, where it is not inside of another */
    struct sl_track beside; /* events that something lies over, and samples of work */
    bool beside_known;
    SL_VEC(struct {
        int64_t id;
        uint32_t lane, next;
    })
    opened; /* where open slices are, in lists of BUCKETS */
    uint32_t bucket[BUCKETS], spare;
    SL_VEC(struct sl_arrow) arrow;
    struct sl_buf name;
};

/* ---- heaps ---- */

static void heap_add(struct heap *h, int64_t key, uint32_t lane)
{
    size_t i = h->of.n;

    sl_vec_add(&h->of);
    for (; i && h->of.v[(i - 1) / 2].key > key; i = (i - 1) / 2)
        h->of.v[i] = h->of.v[(i - 1) / 2];
    h->of.v[i] = (struct heap_item){key, lane};
}

static uint32_t heap_take(struct heap *h)
{
    uint32_t lane = h->of.v[0].lane;
    struct heap_item last = h->of.v[--h->of.n];
    size_t i = 0;

    for (size_t c; (c = 2 * i + 1) < h->of.n; i = c) {
        c += c + 1 < h->of.n && h->of.v[c + 1].key < h->of.v[c].key;
        if (h->of.v[c].key >= last.key)
            break;
        h->of.v[i] = h->of.v[c];
    }
    if (h->of.n)
        h->of.v[i] = last;
    return lane;
}

/* ---- which lane an open slice is on ---- */

static void opened_add(struct timeline *t, int64_t id, uint32_t lane)
{
    uint32_t *bucket = &t->bucket[(uint64_t)id % BUCKETS], at = t->spare;

    if (at)
        t->spare = t->opened.v[at - 1].next;
    else {
        sl_vec_add(&t->opened);
        at = (uint32_t)t->opened.n;
    }
    t->opened.v[at - 1].id = id;
    t->opened.v[at - 1].lane = lane;
    t->opened.v[at - 1].next = *bucket;
    *bucket = at;
}

static bool opened_find(const struct timeline *t, int64_t id, uint32_t *lane)
{
    for (uint32_t at = t->bucket[(uint64_t)id % BUCKETS]; at; at = t->opened.v[at - 1].next)
        if (t->opened.v[at - 1].id == id) {
            *lane = t->opened.v[at - 1].lane;
            return true;
        }
    return false;
}

static void opened_drop(struct timeline *t, int64_t id)
{
    for (uint32_t *at = &t->bucket[(uint64_t)id % BUCKETS], found; (found = *at); at = &t->opened.v[found - 1].next)
        if (t->opened.v[found - 1].id == id) {
            *at = t->opened.v[found - 1].next;
            t->opened.v[found - 1].next = t->spare;
            t->spare = found;
            return;
        }
}

/* ---- tracks ---- */

static int new_track(struct timeline *t, struct sl_track *k, struct sl_err *err)
{
    k->number = ++t->tracks;
    t->counts->tracks++;
    return t->w->track(t->to, k, err);
}

static int beside(struct timeline *t, int64_t ns, const struct sl_instant *i, struct sl_err *err)
{
    int rc = 0;

    if (!t->beside_known) {
        t->beside_known = true;
        t->beside.lane = ++t->lanes;
        t->beside.rank = t->rank++;
        rc = new_track(t, &t->beside, err);
    }
    t->counts->events++;
    return rc ? rc : t->w->instant(t->to, &t->beside, ns, i, err);
}

/* The events of the top of a lane that are due. */
static int tell_events(struct timeline *t, struct lane *l, int64_t until, struct sl_err *err)
{
    struct open *o = &l->stack.v[l->stack.n - 1];
    int rc = 0;

    for (; !rc && o->told < o->event.n && o->event.v[o->told].ns <= until; o->told++) {
        struct sl_instant i = {.name = o->event.v[o->told].name, .span = o->id};
        if (o->event.v[o->told].ns < l->last_ns) {
            rc = beside(t, o->event.v[o->told].ns, &i, err);
        } else {
            t->counts->events++;
            l->last_ns = o->event.v[o->told].ns;
            rc = t->w->instant(t->to, &l->t, l->last_ns, &i, err);
        }
    }
    return rc;
}

static int close_top(struct timeline *t, struct lane *l, struct sl_err *err)
{
    struct open *o = &l->stack.v[l->stack.n - 1];
    int rc = tell_events(t, l, o->end_ns, err);

    l->last_ns = o->end_ns;
    opened_drop(t, o->id);
    sl_vec_free(&o->event);
    l->stack.n--;
    return rc ? rc : t->w->end(t->to, &l->t, l->last_ns, err);
}

/* Everything that has ended by now; INT64_MAX: everything. */
static int close_until(struct timeline *t, int64_t now, struct sl_err *err)
{
    int rc = 0;

    while (!rc && t->busy.of.n && t->busy.of.v[0].key <= now) {
        uint32_t at = heap_take(&t->busy);
        while (!rc && t->lane.v[at].stack.n)
            rc = close_top(t, &t->lane.v[at], err);
        heap_add(&t->kind.v[t->lane.v[at].kind].unused, at, at);
    }
    return rc;
}

/* ---- slices ---- */

static void add_arrow(struct timeline *t, enum sl_link_kind kind, uint32_t from, uint32_t to, bool to_here)
{
    const struct sl_outline *o = &t->s->outline;
    int64_t other_ns = t->layout.begin_ns[to_here ? from : to];

    if (other_ns != SL_NO_TIME)
        *sl_vec_add(&t->arrow) = (struct sl_arrow){
            sl_hash_mix(sl_hash_mix((uint64_t)o->id.v[from], (uint64_t)o->id.v[to]), (uint64_t)kind) | 1, to_here,
            other_ns};
}

/*
 * Arrows to what came of it and from what it came of: from what contains it, from what it waited for, from what handed
 * over.  Not where it is seen: between spans that are named in one, such as calls, and from what it lies in here.  What
 * decides is the same seen from either end, so that no arrow has one alone.
 */
static void find_arrows(struct timeline *t, uint32_t span, bool place)
{
    const struct sl_outline *o = &t->s->outline;

    sl_vec_clear(&t->arrow);
    for (int to_here = 1; to_here >= 0; to_here--) {
        const struct sl_causes *of = to_here ? &o->cause : &o->effect;
        for (uint32_t i = of->start[span]; i < of->start[span + 1]; i++) {
            uint32_t other = of->of[i].span;
            enum sl_link_kind kind = sl_cause_kind(of->of[i]);
            if (kind != SL_AFTER && (place || !sl_layout_is_work(&t->layout, o, other)))
                continue;
            if (kind == SL_IN && (sl_layout_is_in(&t->layout, to_here ? span : other, to_here ? other : span) ||
                                  (o->parent[other] != SL_NO_INDEX && o->parent[other] == o->parent[span])))
                continue;
            add_arrow(t, kind, to_here ? other : span, to_here ? span : other, to_here);
        }
    }
}

static int begin_slice(struct timeline *t, const struct sl_track *k, const struct sl_exported_span *span,
                       const char *name, struct sl_err *err)
{
    struct sl_slice slice = {span, name, NULL, 0};
    int rc = sl_spans_values(t->s, span, err);

    find_arrows(t, sl_spans_index(t->s, span->id), k->kind == SL_TRACK_PLACE);
    slice.arrow = t->arrow.v;
    slice.narrows = t->arrow.n;
    t->counts->spans++;
    for (size_t i = 0; i < slice.narrows; i++)
        t->counts->links += slice.arrow[i].to_here;
    return rc ? rc : t->w->begin(t->to, k, span->begin_ns, &slice, err);
}

/* On the lane of what contains it, if that is open there and outlives it: closes what lies over that. */
static bool nest(struct timeline *t, int64_t in, const struct sl_exported_span *span, uint32_t *lane,
                 struct sl_err *err, int *rc)
{
    struct lane *l;
    size_t at;

    if (!opened_find(t, in, lane))
        return false;
    l = &t->lane.v[*lane];
    for (at = l->stack.n; at && l->stack.v[at - 1].id != in; at--)
        if (l->stack.v[at - 1].end_ns > span->begin_ns)
            return false;
    if (!at || l->stack.v[at - 1].end_ns < span->end_ns)
        return false;
    while (!*rc && l->stack.n > at)
        *rc = close_top(t, l, err);
    return true;
}

/* In what it is named in, or else what it lies in. */
static bool find_container(struct timeline *t, uint32_t i, const struct sl_exported_span *span, uint32_t *lane,
                           struct sl_err *err, int *rc)
{
    const struct sl_outline *o = &t->s->outline;
    bool found = false;

    for (uint32_t c = o->cause.start[i]; !found && !*rc && c < o->cause.start[i + 1]; c++)
        found = sl_cause_kind(o->cause.of[c]) == SL_IN && nest(t, o->id.v[o->cause.of[c].span], span, lane, err, rc);
    return found;
}

static int samples(struct timeline *t, int64_t span, struct sl_err *err)
{
    sqlite3_stmt *q = t->s->samples;
    SL_VEC(struct sl_exported_value) v = {0};
    struct sl_arena arena = {0};
    int64_t ns = 0;
    int rc = 0, more;

    if (!sl_spans_sampled(t->s, span))
        return 0;
    sqlite3_bind_int64(q, 1, span);
    do {
        more = sl_store_step(t->s->st, q, err);
        if (v.n && (more != 1 || sqlite3_column_int64(q, 0) != ns)) {
            struct sl_instant i = {"sample", span, v.v, v.n};
            rc = beside(t, ns, &i, err);
            sl_vec_clear(&v);
            sl_arena_reset(&arena);
        }
        if (more == 1) {
            const char *name = sl_store_text(q, 1);
            struct sl_exported_value *x = sl_vec_add(&v);
            ns = sqlite3_column_int64(q, 0);
            *x = sl_spans_value(q, 2);
            x->name = sl_arena_copy(&arena, name, strlen(name));
            if (x->s)
                x->s = sl_arena_copy(&arena, x->s, x->n);
            t->counts->samples++;
        }
    } while (more == 1 && !rc);
    sqlite3_reset(q);
    sl_vec_free(&v);
    sl_arena_free(&arena);
    return rc ? rc : more;
}

static size_t kind_of(struct timeline *t, const struct sl_exported_span *span)
{
    size_t i = 0;

    while (i < t->kind.n && t->kind.v[i].type != span->type_id)
        i++;
    if (i == t->kind.n)
        *sl_vec_add(&t->kind) = (struct kind){.type = span->type_id, .name = sl_strdup(span->type)};
    return i;
}

static int put_work(struct timeline *t, uint32_t index, const struct sl_track *like, struct sl_err *err)
{
    int64_t id = t->s->outline.id.v[index];
    struct sl_exported_span span;
    struct lane *l;
    struct open *o;
    uint32_t lane = 0;
    bool nested, implied;
    int rc = sl_spans_get(t->s, id, &span, err);

    if (rc != 1)
        return rc;
    rc = sl_spans_events(t->s, &span, err);
    if (!rc)
        rc = close_until(t, span.begin_ns, err);
    nested = !rc && find_container(t, index, &span, &lane, err, &rc);
    if (!nested && !rc) {
        size_t kind = kind_of(t, &span);
        if (t->kind.v[kind].unused.of.n) {
            lane = heap_take(&t->kind.v[kind].unused);
        } else {
            lane = (uint32_t)t->lane.n;
            sl_vec_add(&t->lane)->kind = kind;
        }
        heap_add(&t->busy, span.end_ns, lane);
    }
    if (rc)
        return rc;
    l = &t->lane.v[lane];
    if (!l->known) {
        l->known = true;
        l->t = *like;
        l->t.name = t->kind.v[l->kind].name;
        l->t.lane = ++t->lanes;
        l->t.rank = t->rank++;
        l->last_ns = INT64_MIN;
        rc = new_track(t, &l->t, err);
    }
    if (!rc && l->stack.n)
        rc = tell_events(t, l, span.begin_ns, err);
    l->last_ns = span.begin_ns;
    if (!rc)
        rc = begin_slice(t, &l->t, &span, sl_spans_label(t->s, &span, &t->name), err);
    if (rc)
        return rc;
    o = sl_vec_add(&l->stack);
    *o = (struct open){.id = id, .end_ns = span.end_ns};
    opened_add(t, id, lane);
    implied = sl_spans_begin_and_end(t->s);
    for (size_t i = implied; i + implied < t->s->event.n; i++) {
        sl_vec_add(&o->event);
        o->event.v[o->event.n - 1].ns = t->s->event.v[i].time_ns;
        o->event.v[o->event.n - 1].name = t->s->event.v[i].name;
    }
    return samples(t, id, err);
}

/* One type of work in a place. */
static int put_kind(struct timeline *t, const struct sl_layout_kind *kind, const struct sl_track *in,
                    struct sl_err *err)
{
    struct sl_track like = {.kind = SL_TRACK_WORK, .within = in ? in->number : 0, .group = in ? in->group : 0};
    struct sl_buf other = {0};
    int rc = 0;

    sl_buf_adds(&other, kind->name);
    sl_buf_adds(&other, ", events");
    t->beside = like;
    t->beside.kind = SL_TRACK_EVENTS;
    t->beside.name = other.s;
    t->beside_known = false;
    for (size_t i = kind->first; !rc && i < kind->first + kind->n; i++)
        rc = put_work(t, t->layout.work[i], &like, err);
    if (!rc)
        rc = close_until(t, INT64_MAX, err);
    for (size_t i = 0; i < t->lane.n; i++) {
        struct lane *l = &t->lane.v[i];
        for (size_t k = 0; k < l->stack.n; k++) { /* where it failed */
            sl_vec_free(&l->stack.v[k].event);
            opened_drop(t, l->stack.v[k].id);
        }
        sl_vec_free(&l->stack);
    }
    sl_vec_clear(&t->lane);
    sl_vec_clear(&t->busy.of);
    for (size_t i = 0; i < t->kind.n; i++) {
        free(t->kind.v[i].name);
        sl_vec_free(&t->kind.v[i].unused.of);
    }
    sl_vec_clear(&t->kind);
    sl_buf_free(&other);
    return rc;
}

static int put_kinds(struct timeline *t, uint32_t place, const struct sl_track *in, struct sl_err *err)
{
    sl_layout_kinds kind = {0};
    int rc = 0;

    sl_layout_find_kinds(&t->layout, t->s, place, &kind);
    for (size_t i = 0; !rc && i < kind.n; i++)
        rc = put_kind(t, &kind.v[i], in, err);
    sl_vec_free(&kind);
    return rc;
}

/* ---- places ---- */

static int put_counters(struct timeline *t, const struct sl_track *in, struct sl_err *err)
{
    sqlite3_stmt *q = t->s->samples;
    SL_VEC(struct sl_track) metric = {0};
    size_t at = 0;
    int rc;

    sqlite3_bind_int64(q, 1, in->span);
    while ((rc = sl_store_step(t->s->st, q, err)) == 1) {
        struct sl_exported_value v = sl_spans_value(q, 2);
        const char *name = sl_store_text(q, 1);
        size_t i = 0;
        if (v.type == SQLITE_TEXT)
            continue;
        for (at++; i < metric.n && strcmp(metric.v[(at + i) % metric.n].name, name) != 0; i++) /* they come in turns */
            continue;
        if (i == metric.n) {
            struct sl_track *k = sl_vec_add(&metric);
            *k = (struct sl_track){.kind = SL_TRACK_COUNTER,
                                   .within = in->number,
                                   .rank = t->rank++,
                                   .group = in->group,
                                   .lane = ++t->lanes,
                                   .name = sl_strdup(name),
                                   .span = in->span};
            at = metric.n - 1;
            if ((rc = new_track(t, k, err)))
                break;
        } else {
            at = (at + i) % metric.n;
        }
        v.name = metric.v[at].name;
        t->counts->samples++;
        if ((rc = t->w->counter(t->to, &metric.v[at], sqlite3_column_int64(q, 0), &v, err)))
            break;
    }
    sqlite3_reset(q);
    for (size_t i = 0; i < metric.n; i++)
        free((char *)metric.v[i].name);
    sl_vec_free(&metric);
    return rc;
}

/* The place itself, from its first event to the last. */
static int put_itself(struct timeline *t, const struct sl_track *k, const char *name, struct sl_err *err)
{
    struct sl_exported_span span;
    bool implied, lasts;
    int rc = sl_spans_get(t->s, k->span, &span, err);

    if (rc == 1)
        rc = sl_spans_events(t->s, &span, err);
    if (rc || !span.timed)
        return rc;
    rc = begin_slice(t, k, &span, name, err);
    lasts = span.end_ns > span.begin_ns;
    implied = sl_spans_begin_and_end(t->s) && lasts;
    for (size_t i = implied; !rc && i + implied < t->s->event.n; i++) {
        struct sl_instant instant = {.name = t->s->event.v[i].name, .span = k->span};
        t->counts->events++;
        rc = t->w->instant(t->to, k, t->s->event.v[i].time_ns, &instant, err);
    }
    return rc ? rc : t->w->end(t->to, k, span.end_ns, err);
}

static int put_places(struct timeline *t, uint32_t in, const struct sl_track *within, int depth, struct sl_err *err);

static int put_place(struct timeline *t, const struct sl_layout_place *p, const struct sl_track *within, uint32_t rank,
                     int depth, struct sl_err *err)
{
    struct sl_track k = {.kind = SL_TRACK_PLACE,
                         .within = within ? within->number : 0,
                         .rank = rank,
                         .span = t->s->outline.id.v[p->span],
                         .group = within ? within->group : 0,
                         .lane = ++t->lanes};
    const char *called = sl_outline_label(&t->s->outline, p->span, false);
    struct sl_buf name = {0};
    uint32_t before = t->rank;
    int rc = 0;

    sl_buf_adds(&name, within ? sl_spans_short_type(p->type) : p->type);
    sl_buf_addc(&name, ' ');
    if (called) {
        sl_buf_add_utf8(&name, called, strlen(called));
        sl_buf_addc(&name, ' ');
    }
    sl_buf_add_utf8(&name, p->key, strlen(p->key));
    k.name = name.s;
    if (p->holds || !within) {
        k.group = ++t->group;
        rc = t->w->group(t->to, &k, err);
    }
    if (!rc)
        rc = new_track(t, &k, err);
    t->rank = 0;
    if (!rc)
        rc = put_itself(t, &k, name.s, err);
    if (!rc)
        rc = put_counters(t, &k, err);
    if (!rc) /* before the work in the place itself, which may be wide */
        rc = put_places(t, p->span, &k, depth + 1, err);
    if (!rc)
        rc = put_kinds(t, p->span, &k, err);
    t->rank = before;
    sl_buf_free(&name);
    return rc;
}

static int put_places(struct timeline *t, uint32_t in, const struct sl_track *within, int depth, struct sl_err *err)
{
    sl_layout_places place = {0};
    struct sl_arena keys = {0};
    int rc =
        depth > PLACE_DEPTH ? sl_err(err, SL_EFORMAT, "spans are named in one another more than %d deep", depth) : 0;

    if (!rc)
        rc = sl_layout_find_places(&t->layout, t->s, in, &place, &keys, err);
    for (size_t i = 0; !rc && i < place.n; i++)
        rc = put_place(t, &place.v[i], within, t->rank++, depth, err);
    sl_vec_free(&place);
    sl_arena_free(&keys);
    return rc;
}

/* ---- all of it ---- */

int sl_timeline(struct sl_spans *s, const struct sl_timeline_writer *w, void *to, struct sl_export_counts *counts,
                struct sl_err *err)
{
    struct timeline *t = sl_alloc(sizeof *t);
    int rc;

    *t = (struct timeline){.s = s, .w = w, .to = to, .counts = counts};
    *counts = (struct sl_export_counts){0};
    rc = sl_layout_make(&t->layout, s, err);
    counts->untimed = t->layout.untimed;
    if (!rc)
        rc = put_places(t, SL_NO_INDEX, NULL, 0, err);
    if (!rc)
        rc = put_kinds(t, SL_NO_INDEX, NULL, err);
    sl_layout_free(&t->layout);
    sl_vec_free(&t->lane);
    sl_vec_free(&t->busy.of);
    sl_vec_free(&t->kind);
    sl_vec_free(&t->opened);
    sl_vec_free(&t->arrow);
    sl_buf_free(&t->name);
    free(t);
    return rc;
}
