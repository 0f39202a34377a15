/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/clock_offsets.h"
#include "analyse/ext.h"
#include "analyse/lens/lens.h"
#include "analyse/load/fast_rows.h"
#include "analyse/load/root_events.h"
#include "analyse/tasks/closure.h"
#include "base/hash.h"
#include "base/map.h"

#include <stdlib.h>

enum { FROM, TO, ENDS };

#define BELIEVABLE_NS (INT64_C(1) << 55) /* a year: clocks are not further off, garbage is */

struct handover {
    uint32_t type[ENDS];
    unsigned char *event[ENDS]; /* by rank of an event's type: whether it is one */
};

struct told { /* an event of a span of the task at hand */
    int64_t time_ns;
    uint32_t span, type, event, source, attempt; /* ranks, and a number */
};

struct edge { /* offset(from) - offset(to) <= gap */
    uint32_t from, to;
    int64_t gap_ns;
};

struct skew {
    sqlite3 *db;
    struct sl_graph own_g;
    struct sl_events own_e;
    const struct sl_graph *g; /* own, or what the program has loaded */
    const struct sl_events *e;
    unsigned char *role;
    SL_VEC(struct handover) handover;
    struct sl_arena arena;
    unsigned char *wanted;  /* by type's rank: some handover is about it */
    struct sl_idmap source; /* ids by number */
    uint64_t *of_tasks;     /* by source: how many handovers have an end on a task there */
    struct sl_clock *clock; /* by source */
    SL_VEC(struct edge) edge;
    struct sl_map by_ends; /* edges */
    SL_VEC(struct told) told;
};

/* ---- loading ---- */

static int handover_row(void *to, sqlite3_value **v)
{
    struct skew *k = to;
    const struct sl_names *names = &k->g->names;
    struct handover h;

    for (int i = 0; i < ENDS; i++) {
        const char *type = (const char *)sqlite3_value_text(v[2 * i]);
        const char *event = (const char *)sqlite3_value_text(v[2 * i + 1]);
        h.type[i] = type ? sl_names_find(names, type) : SL_NO_INDEX;
        if (h.type[i] == SL_NO_INDEX)
            return 0;
        h.event[i] = sl_arena_alloc(&k->arena, (size_t)names->n + 1);
        for (uint32_t e = 0; e < names->n; e++)
            h.event[i][e] = sl_lens_glob(event ? event : "", names->text[e]);
    }
    k->wanted[h.type[FROM]] = k->wanted[h.type[TO]] = 1;
    *sl_vec_add(&k->handover) = h;
    return 0;
}

static int source_row(void *to, sqlite3_value **v)
{
    *sl_vec_add(&((struct skew *)to)->source) = sqlite3_value_int64(v[0]);
    return 0;
}

static int load(struct skew *k, struct sl_err *err)
{
    const struct sl_root_events *loaded = sl_root_events_shared(k->db, NULL);
    int rc = 0;

    loaded = loaded && loaded->e.source.v ? loaded : NULL;
    k->g = loaded ? &loaded->g : &k->own_g;
    k->e = loaded ? &loaded->e : &k->own_e;
    if (!loaded && (rc = sl_graph_load(&k->own_g, k->db, 0, err)))
        return rc;
    k->wanted = sl_alloc((size_t)k->g->names.n + 1);
    rc = sl_roles_load(&k->role, k->g, k->db, err);
    if (!rc &&
        sqlite3_table_column_metadata(k->db, NULL, "sl_handover", "to_type", NULL, NULL, NULL, NULL, NULL) == SQLITE_OK)
        rc = sl_query_each(k->db, "SELECT sl_query_each(?1, from_type, from_event, to_type, to_event) FROM sl_handover",
                           handover_row, k, err);
    if (!rc)
        rc = sl_query_each(k->db, "SELECT sl_query_each(?1, id) FROM (SELECT id FROM sl_source ORDER BY id)",
                           source_row, k, err);
    sl_idmap_finish(&k->source);
    if (!rc && !loaded && k->handover.n)
        rc = sl_events_load(&k->own_e, k->g, k->db, SL_EVENTS_SOURCES | SL_EVENTS_RAW, err);
    return rc;
}

/* ---- handovers ---- */

/* The tightest handover from one source to another. */
static void add_edge(struct skew *k, uint32_t from, uint32_t to, int64_t gap_ns)
{
    uint64_t hash = sl_hash_mix(from, to);
    size_t at = hash;

    for (uint32_t i; sl_map_next(&k->by_ends, hash, &at, &i);) {
        struct edge *e = &k->edge.v[i];
        if (e->from == from && e->to == to) {
            e->gap_ns = gap_ns < e->gap_ns ? gap_ns : e->gap_ns;
            return;
        }
    }
    sl_map_add(&k->by_ends, hash, (uint32_t)k->edge.n);
    *sl_vec_add(&k->edge) = (struct edge){from, to, gap_ns};
}

/* The first (from) or last (to) such event of the spans of an attempt; 0: of those in none. */
static const struct told *find(const struct skew *k, const struct handover *h, int end, uint32_t attempt)
{
    const struct told *best = NULL;

    for (size_t i = 0; i < k->told.n; i++) {
        const struct told *t = &k->told.v[i];
        if (t->type == h->type[end] && t->attempt == attempt && h->event[end][t->event] &&
            (!best || (end == FROM ? t->time_ns < best->time_ns : t->time_ns > best->time_ns)))
            best = t;
    }
    return best;
}

/* The task itself or a facet of it, and not one within it. */
static bool is_task(const struct skew *k, const struct sl_closure *r, uint32_t span)
{
    uint32_t task = r->walk.span[0];
    bool yes = span == task;

    for (size_t i = k->g->facet.start[task]; i < k->g->facet.start[task + 1]; i++)
        yes |= k->g->facet.to[i] == span;
    return yes;
}

/* Both within one attempt; or one of them told of the task as a whole, before or after all of its attempts. */
static void hand_over(struct skew *k, const struct sl_closure *r, const struct handover *h, uint32_t attempt)
{
    const struct told *a = find(k, h, FROM, attempt), *b = find(k, h, TO, attempt);
    int64_t gap;

    a = a || !attempt ? a : find(k, h, FROM, 0);
    b = b || !attempt ? b : find(k, h, TO, 0);
    if (!a || !b || a->source == b->source || __builtin_sub_overflow(b->time_ns, a->time_ns, &gap) ||
        gap > BELIEVABLE_NS || gap < -BELIEVABLE_NS)
        return;
    add_edge(k, a->source, b->source, gap);
    for (int i = 0; i < 2; i++) {
        const struct told *t = i ? b : a;
        k->clock[t->source].pairs++;
        k->clock[t->source].backwards += gap < 0;
        k->of_tasks[t->source] += is_task(k, r, t->span);
    }
}

/* What handovers can be about, in the order of the closure. */
static void gather(struct skew *k, const struct sl_closure *r)
{
    const struct sl_events *e = k->e;

    sl_vec_clear(&k->told);
    for (size_t i = 0; i < r->walk.n; i++) {
        uint32_t x = r->walk.span[i], type = k->g->type[x];
        if (type == SL_NO_INDEX || !k->wanted[type])
            continue;
        for (uint32_t at = e->start[x]; at < e->start[x + 1]; at++) {
            uint32_t source = sl_idmap_find(&k->source, sl_number_at(&e->source, at));
            if (source != SL_NO_INDEX)
                *sl_vec_add(&k->told) =
                    (struct told){e->time_ns[at], x, type, sl_number_at(&e->type, at), source, r->attempt[x]};
        }
    }
}

static void find_handovers(struct skew *k)
{
    struct sl_closure r;
    unsigned char *met = sl_alloc(k->g->n);

    sl_closure_init(&r, k->g, k->role);
    for (uint32_t i = 0; i < k->g->n && k->handover.n; i++) {
        if (met[i] || !sl_closure_is(&r, i, SL_ROLE_TASK))
            continue;
        sl_closure_task(&r, i);
        for (size_t q = 0; q < r.walk.n; q++)
            met[r.walk.span[q]] = 1;
        gather(k, &r);
        for (size_t h = 0; h < k->handover.n && k->told.n; h++)
            for (uint32_t a = r.attempts ? 1 : 0; a <= r.attempts; a++)
                hand_over(k, &r, &k->handover.v[h], a);
    }
    sl_closure_free(&r);
    free(met);
}

/* ---- bounds ---- */

#define FAR (INT64_MAX / 2)

/*
 * Shortest paths from `root`: along edges from `to` to `from` (upper bounds of offsets) or back (negated lower ones).
 * False: handovers contradict each other.
 */
static bool paths(const struct skew *k, uint32_t root, bool up, int64_t more_ns, int64_t *dist)
{
    size_t n = k->source.n;
    bool changed = true;

    for (size_t i = 0; i < n; i++)
        dist[i] = FAR;
    dist[root] = 0;
    for (size_t round = 0; changed; round++) {
        if (round > n)
            return false;
        changed = false;
        for (size_t i = 0; i < k->edge.n; i++) {
            const struct edge *e = &k->edge.v[i];
            uint32_t a = up ? e->to : e->from, b = up ? e->from : e->to;
            if (dist[a] < FAR && dist[a] + e->gap_ns + more_ns < dist[b]) {
                dist[b] = dist[a] + e->gap_ns + more_ns;
                changed = true;
            }
        }
    }
    return dist[root] >= 0;
}

/* Both bounds of all sources that hang together with root, all handovers given so much more.  False: contradiction. */
static bool bound(struct skew *k, uint32_t root, int64_t relaxed_ns)
{
    size_t n = k->source.n;
    int64_t *up = sl_alloc(n * sizeof *up), *down = sl_alloc(n * sizeof *down);
    bool sound = paths(k, root, true, relaxed_ns, up) && paths(k, root, false, relaxed_ns, down);

    for (uint32_t i = 0; i < n && sound; i++) {
        struct sl_clock *c = &k->clock[i];
        if (up[i] == FAR && down[i] == FAR)
            continue;
        c->has_upper = up[i] != FAR;
        c->has_lower = down[i] != FAR;
        c->upper_ns = c->has_upper ? up[i] : 0;
        c->lower_ns = c->has_lower ? -down[i] : 0;
        c->relaxed_ns = relaxed_ns;
    }
    free(up);
    free(down);
    return sound;
}

/* As little as will do. */
static void estimate(struct sl_clock *c)
{
    if (c->has_lower && c->lower_ns > 0)
        c->offset_ns = c->lower_ns;
    else if (c->has_upper && c->upper_ns < 0)
        c->offset_ns = c->upper_ns;
    else
        c->offset_ns = 0;
}

/*
 * Where handovers contradict each other (clocks that drift or were set), all of them are given more time, the least
 * that does, to a microsecond.
 */
static void bound_or_relax(struct skew *k, uint32_t root)
{
    int64_t no = 0, yes = 1000;

    if (bound(k, root, 0))
        return;
    for (; !bound(k, root, yes) && yes < BELIEVABLE_NS; yes *= 2)
        no = yes;
    while (yes - no > 1) {
        int64_t mid = no + (yes - no) / 2;
        if (bound(k, root, mid))
            yes = mid;
        else
            no = mid;
    }
    bound(k, root, yes);
}

static uint32_t component(uint32_t *of, uint32_t i)
{
    while (of[i] != i)
        i = of[i] = of[of[i]];
    return i;
}

/*
 * Of each group of sources that handovers tie together, the one that tells most of tasks is the reference.
 */
static void judge(struct skew *k)
{
    size_t n = k->source.n;
    uint32_t *of = sl_alloc(n * sizeof *of), *best = sl_alloc(n * sizeof *best);

    for (uint32_t i = 0; i < n; i++)
        of[i] = best[i] = i;
    for (size_t i = 0; i < k->edge.n; i++)
        of[component(of, k->edge.v[i].from)] = component(of, k->edge.v[i].to);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t *b = &best[component(of, i)];
        uint64_t x = k->of_tasks[i], y = k->of_tasks[*b];
        if (x > y || (x == y && k->clock[i].pairs > k->clock[*b].pairs))
            *b = i;
    }
    for (uint32_t i = 0; i < n; i++)
        if (k->clock[i].pairs && best[component(of, i)] == i)
            bound_or_relax(k, i);
    for (uint32_t i = 0; i < n; i++) {
        k->clock[i].reference = k->source.v[best[component(of, i)]];
        estimate(&k->clock[i]);
    }
    free(of);
    free(best);
}

/* ---- all of it ---- */

int sl_skew_estimate(struct sl_clock **out, size_t *n, sqlite3 *db, struct sl_err *err)
{
    struct skew k = {.db = db};
    int rc = load(&k, err);

    *out = NULL;
    *n = 0;
    if (!rc) {
        k.clock = sl_alloc(k.source.n * sizeof *k.clock);
        k.of_tasks = sl_alloc(k.source.n * sizeof *k.of_tasks);
        find_handovers(&k);
        judge(&k);
        for (size_t i = 0; i < k.source.n; i++)
            if (k.clock[i].pairs) {
                k.clock[*n] = k.clock[i];
                k.clock[(*n)++].source = k.source.v[i];
            }
        *out = k.clock;
        k.clock = NULL;
    }
    sl_graph_free(&k.own_g);
    sl_events_free(&k.own_e);
    free(k.role);
    sl_vec_free(&k.handover);
    sl_arena_free(&k.arena);
    free(k.wanted);
    sl_vec_free(&k.told);
    sl_idmap_free(&k.source);
    free(k.of_tasks);
    free(k.clock);
    sl_vec_free(&k.edge);
    sl_map_free(&k.by_ends);
    return rc;
}
