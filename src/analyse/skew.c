/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/skew.h"
#include "analyse/ext.h"
#include "analyse/lens/lens.h"
#include "analyse/load/rows.h"
#include "analyse/tasks/closure.h"
#include "base/hash.h"
#include "base/map.h"

#include <stdlib.h>

enum { FROM, TO, ENDS };

#define BELIEVABLE_NS (INT64_C(1) << 55) /* a year: clocks are not further off, garbage is */

struct handover {
    uint32_t type[ENDS];
    const char *event[ENDS];
};

struct told { /* an event that some handover is about */
    int64_t time_ns;
    uint32_t event; /* rank */
    uint32_t source;
};

struct edge { /* offset(from) - offset(to) <= gap */
    uint32_t from, to;
    int64_t gap_ns;
};

struct skew {
    sqlite3 *db;
    struct sl_graph g;
    unsigned char *role;
    SL_VEC(struct handover) handover;
    struct sl_arena arena;
    unsigned char *wanted; /* by type's rank: some handover is about it */
    uint32_t *start;       /* by span, and one more: its events */
    SL_VEC(struct told) told;
    uint32_t at;
    struct sl_idmap source; /* ids by number */
    uint64_t *of_tasks;     /* by source: how many handovers have an end on a task there */
    struct sl_clock *clock; /* by source */
    SL_VEC(struct edge) edge;
    struct sl_map by_ends; /* edges */
};

/* ---- loading ---- */

static int handover_row(void *to, sqlite3_value **v)
{
    struct skew *k = to;
    struct handover h;

    for (int i = 0; i < ENDS; i++) {
        const char *type = (const char *)sqlite3_value_text(v[2 * i]);
        const char *event = (const char *)sqlite3_value_text(v[2 * i + 1]);
        h.type[i] = type ? sl_names_find(&k->g.names, type) : SL_NO_INDEX;
        h.event[i] = event ? sl_arena_copy(&k->arena, event, strlen(event)) : "";
    }
    if (h.type[FROM] == SL_NO_INDEX || h.type[TO] == SL_NO_INDEX)
        return 0;
    k->wanted[h.type[FROM]] = k->wanted[h.type[TO]] = 1;
    *sl_vec_add(&k->handover) = h;
    return 0;
}

static int source_row(void *to, sqlite3_value **v)
{
    *sl_vec_add(&((struct skew *)to)->source) = sqlite3_value_int64(v[0]);
    return 0;
}

static int event_row(void *to, sqlite3_value **v)
{
    struct skew *k = to;
    uint32_t span = sl_graph_find(&k->g, sqlite3_value_int64(v[0]));
    uint32_t source = sl_idmap_find(&k->source, sqlite3_value_int64(v[3]));
    uint32_t event = sl_names_rank(&k->g.names, sqlite3_value_int64(v[2]));

    if (span == SL_NO_INDEX || k->g.type[span] == SL_NO_INDEX || !k->wanted[k->g.type[span]] || source == SL_NO_INDEX ||
        event == SL_NO_INDEX)
        return 0;
    while (k->at <= span)
        k->start[k->at++] = (uint32_t)k->told.n;
    *sl_vec_add(&k->told) = (struct told){sqlite3_value_int64(v[1]), event, source};
    return 0;
}

static int load(struct skew *k, struct sl_err *err)
{
    int rc = sl_graph_load(&k->g, k->db, 0, err);

    if (rc)
        return rc;
    k->wanted = sl_alloc((size_t)k->g.names.n + 1);
    k->start = sl_alloc(((size_t)k->g.n + 1) * sizeof *k->start);
    rc = sl_roles_load(&k->role, &k->g, k->db, err);
    if (!rc &&
        sqlite3_table_column_metadata(k->db, NULL, "sl_handover", "to_type", NULL, NULL, NULL, NULL, NULL) == SQLITE_OK)
        rc = sl_query_each(k->db, "SELECT sl_query_each(?1, from_type, from_event, to_type, to_event) FROM sl_handover",
                           handover_row, k, err);
    if (!rc)
        rc = sl_query_each(k->db, "SELECT sl_query_each(?1, id) FROM (SELECT id FROM sl_source ORDER BY id)",
                           source_row, k, err);
    sl_idmap_finish(&k->source);
    if (!rc && k->handover.n)
        rc = sl_query_each(
            k->db,
            "SELECT sl_query_each(?1, span, time_ns, type, source) FROM (SELECT * FROM sl_event ORDER BY span, "
            "time_ns, type, source, place)",
            event_row, k, err);
    if (!rc && k->told.n > UINT32_MAX)
        rc = sl_err(err, SL_ESTORE, "the store has more events than this analysis can hold");
    while (k->at <= k->g.n)
        k->start[k->at++] = (uint32_t)k->told.n;
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
static const struct told *find(const struct skew *k, const struct sl_closure *r, const struct handover *h, int end,
                               uint32_t attempt, uint32_t *span)
{
    const struct told *best = NULL;

    for (size_t i = 0; i < r->walk.n; i++) {
        uint32_t x = r->walk.span[i];
        if (k->g.type[x] != h->type[end] || r->attempt[x] != attempt)
            continue;
        for (uint32_t e = k->start[x]; e < k->start[x + 1]; e++) {
            const struct told *t = &k->told.v[e];
            if ((!best || (end == FROM ? t->time_ns < best->time_ns : t->time_ns > best->time_ns)) &&
                sl_lens_glob(h->event[end], k->g.names.text[t->event])) {
                best = t;
                *span = x;
            }
        }
    }
    return best;
}

/* The task itself or a facet of it, and not one within it. */
static bool is_task(const struct skew *k, const struct sl_closure *r, uint32_t span)
{
    uint32_t task = r->walk.span[0];
    bool yes = span == task;

    for (size_t i = k->g.facet.start[task]; i < k->g.facet.start[task + 1]; i++)
        yes |= k->g.facet.to[i] == span;
    return yes;
}

/* Both within one attempt; or one of them told of the task as a whole, before or after all of its attempts. */
static void hand_over(struct skew *k, const struct sl_closure *r, const struct handover *h, uint32_t attempt)
{
    uint32_t a_span = 0, b_span = 0;
    const struct told *a = find(k, r, h, FROM, attempt, &a_span), *b = find(k, r, h, TO, attempt, &b_span);
    int64_t gap;

    a = a ? a : find(k, r, h, FROM, 0, &a_span);
    b = b ? b : find(k, r, h, TO, 0, &b_span);
    if (!a || !b || a->source == b->source || __builtin_sub_overflow(b->time_ns, a->time_ns, &gap) ||
        gap > BELIEVABLE_NS || gap < -BELIEVABLE_NS)
        return;
    add_edge(k, a->source, b->source, gap);
    for (int i = 0; i < 2; i++) {
        uint32_t s = i ? b->source : a->source;
        k->clock[s].pairs++;
        k->clock[s].backwards += gap < 0;
        k->of_tasks[s] += is_task(k, r, i ? b_span : a_span);
    }
}

static void find_handovers(struct skew *k)
{
    struct sl_closure r;
    unsigned char *met = sl_alloc(k->g.n);

    sl_closure_init(&r, &k->g, k->role);
    for (uint32_t i = 0; i < k->g.n && k->told.n; i++) {
        if (met[i] || !sl_closure_is(&r, i, SL_ROLE_TASK))
            continue;
        sl_closure_task(&r, i);
        for (size_t q = 0; q < r.walk.n; q++)
            met[r.walk.span[q]] = 1;
        for (size_t h = 0; h < k->handover.n; h++)
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
    sl_graph_free(&k.g);
    free(k.role);
    sl_vec_free(&k.handover);
    sl_arena_free(&k.arena);
    free(k.wanted);
    free(k.start);
    sl_vec_free(&k.told);
    sl_idmap_free(&k.source);
    free(k.of_tasks);
    free(k.clock);
    sl_vec_free(&k.edge);
    sl_map_free(&k.by_ends);
    return rc;
}
