/* SPDX-License-Identifier: Apache-2.0 */
/* 16 bytes for each change of a root's state, sorted once: 10 million events are 160 MB, and half of it again
 * meanwhile.
 */
#include "analyse/state_counts.h"
#include "analyse/ext.h"
#include "analyse/load/fast_rows.h"

#include <stdlib.h>

enum { MOST_CODES = 1 << 26 };

/* What sl_state says of an event. */
enum meaning { UNASKED, OTHER, DONE, AGAIN };

struct said {
    const char *span_type, *event_type;
    enum meaning meaning;
    int rank;
};

struct gather {
    struct sl_root_events *from;
    struct sl_change *v;
    size_t n, cap;
    uint32_t *number; /* by code: 1 if it occurs, then the number of the state */
    SL_VEC(struct said) said;
    unsigned char *meaning; /* by code */
    int *rank;              /* by code, of those that are DONE */
    bool *is_attempt;       /* by rank of a type's name */
    struct sl_arena arena;
};

/* ---- what is told when all is over ---- */

static const char *keep(struct gather *g, sqlite3_value *v)
{
    const char *s = (const char *)sqlite3_value_text(v);

    return s ? sl_arena_copy(&g->arena, s, strlen(s)) : "";
}

static int said_row(void *to, sqlite3_value **v)
{
    struct gather *g = to;

    *sl_vec_add(&g->said) =
        (struct said){keep(g, v[0]), keep(g, v[1]), sqlite3_value_int(v[2]) ? DONE : AGAIN, sqlite3_value_int(v[3])};
    return 0;
}

static int attempt_row(void *to, sqlite3_value **v)
{
    struct gather *g = to;
    const char *type = (const char *)sqlite3_value_text(v[0]);
    uint32_t rank = type ? sl_names_find(&g->from->g.names, type) : SL_NO_INDEX;

    if (rank != SL_NO_INDEX)
        g->is_attempt[rank] = true;
    return 0;
}

static int load_said(struct gather *g, struct sl_err *err)
{
    sqlite3 *db = g->from->db;
    int rc;

    g->is_attempt = sl_alloc(g->from->g.names.n * sizeof *g->is_attempt);
    if (sqlite3_table_column_metadata(db, NULL, "sl_state", "again", NULL, NULL, NULL, NULL, NULL) != SQLITE_OK)
        return 0; /* a store from before schema 3 */
    rc = sl_query_each(db,
                       "SELECT sl_query_each(?1, span_type, event_type, kind = 'done', rank) FROM sl_state "
                       "WHERE kind = 'done' OR again",
                       said_row, g, err);
    return rc ? rc
              : sl_query_each(db, "SELECT sl_query_each(?1, type) FROM sl_role WHERE role = 'attempt'", attempt_row, g,
                              err);
}

static enum meaning meaning_of(struct gather *g, uint32_t code)
{
    if (g->meaning[code] == UNASKED) {
        const char *span = sl_root_events_span_type(g->from, code), *event = sl_root_events_event_type(g->from, code);
        g->meaning[code] = OTHER;
        for (size_t i = 0; i < g->said.n; i++)
            if (!strcmp(g->said.v[i].span_type, span) && !strcmp(g->said.v[i].event_type, event)) {
                g->meaning[code] = (unsigned char)g->said.v[i].meaning;
                g->rank[code] = g->said.v[i].rank;
            }
    }
    return (enum meaning)g->meaning[code];
}

/*
 * Is it the root, a facet of it, or an attempt at it?  That another part of it is done does not mean that it is.
 * *facets: how many these are, root included, in the walk, whose closure was gathered; 0: they are looked for now.
 */
static bool speaks_for_root(struct gather *g, uint32_t span, size_t *facets)
{
    struct sl_root_events *from = g->from;
    struct sl_walk *w = &from->walk;

    if (span == from->root)
        return true;
    if (!*facets) {
        sl_walk_begin(w, from->root);
        for (size_t i = 0; i < w->n; i++)
            sl_walk_spread(w, &from->g.facet, w->span[i]);
        *facets = w->n;
        for (size_t i = 0; i < *facets; i++)
            sl_walk_spread(w, &from->g.sub, w->span[i]);
    }
    if (g->is_attempt[from->g.type[span]])
        return sl_walk_has(w, span);
    for (size_t i = 1; i < *facets; i++)
        if (w->span[i] == span)
            return true;
    return false;
}

/* Takes out what is told after the end, until the root begins anew. */
static void take_out_late(struct gather *g, struct sl_timed_event *v, size_t *n)
{
    bool over = false;
    size_t k = 0, facets = 0;
    int rank = 0;

    for (size_t i = 0; i < *n; i++) {
        uint32_t code = v[i].code;
        enum meaning m = meaning_of(g, code);
        if (m == AGAIN)
            over = false;
        if (m == DONE && (!over || g->rank[code] >= rank) && speaks_for_root(g, v[i].of, &facets)) {
            over = true;
            rank = g->rank[code];
        } else if (over) {
            continue;
        }
        v[k++] = v[i];
    }
    *n = k;
}

/* ---- changes ---- */

static void add_change(struct gather *g, int64_t time_ns, uint32_t a, uint32_t b)
{
    if (g->n == g->cap)
        g->v = sl_vec_grow(g->v, &g->cap, sizeof *g->v);
    g->v[g->n++] = (struct sl_change){time_ns, a, b};
    g->number[b & ~SL_OVER] = 1;
}

/* first: the number of its group's first state. */
static void add_history(struct gather *g, uint32_t first, const struct sl_timed_event *v, size_t n)
{
    uint32_t state = SL_NO_INDEX;

    for (size_t i = 0; i < n; i++) {
        bool last = i + 1 == n;
        if (!last && v[i + 1].time_ns == v[i].time_ns)
            continue;
        if (first + v[i].code != state || last)
            add_change(g, v[i].time_ns, state, (first + v[i].code) | (last ? SL_OVER : 0));
        state = first + v[i].code;
    }
}

/* States are codes that occur, numbered from 0. */
static void number_states(struct sl_occupancy *o, struct gather *g, uint32_t codes, uint32_t groups)
{
    for (uint32_t i = 0; i < codes * groups; i++)
        o->states += g->number[i];
    o->code = sl_alloc(o->states * sizeof *o->code);
    o->group = groups > 1 ? sl_alloc(o->states * sizeof *o->group) : NULL;
    o->states = 0;
    for (uint32_t i = 0; i < codes * groups; i++)
        if (g->number[i]) {
            g->number[i] = o->states;
            if (o->group)
                o->group[o->states] = i / codes;
            o->code[o->states++] = i % codes;
        }
    for (size_t i = 0; i < o->n; i++) {
        o->v[i].a = o->v[i].a == SL_NO_INDEX ? SL_NO_INDEX : g->number[o->v[i].a];
        o->v[i].b = g->number[o->v[i].b & ~SL_OVER] | (o->v[i].b & SL_OVER);
    }
}

int sl_occupancy_make(struct sl_occupancy *out, struct sl_root_events *from, struct sl_groups *groups,
                      struct sl_err *err)
{
    uint64_t codes = from->lens ? sl_lens_codes(from->lens) : (uint64_t)from->span_types * from->event_types;
    uint32_t all = groups ? (uint32_t)groups->name.of.n + 2 : 1; /* none, those there are, and the roots' type */
    struct gather g = {.from = from};
    int rc;

    *out = (struct sl_occupancy){0};
    if (codes * all > MOST_CODES)
        return sl_err(err, SL_ESTORE,
                      "%llu states are more than this analysis can hold; a recipe probably takes a variable text for a "
                      "name",
                      (unsigned long long)codes * all);
    g.number = sl_alloc(codes * all * sizeof *g.number);
    g.meaning = sl_alloc(codes);
    g.rank = sl_alloc(codes * sizeof *g.rank);
    rc = load_said(&g, err);
    while (!rc && (rc = sl_root_events_next(from, err)) > 0) {
        if (g.said.n)
            take_out_late(&g, from->v, &from->n);
        add_history(&g, groups ? sl_groups_of(groups, from->root) * (uint32_t)codes : 0, from->v, from->n);
        rc = 0;
    }
    sl_root_events_done(from);
    out->v = g.v;
    out->n = g.n;
    if (!rc) {
        number_states(out, &g, (uint32_t)codes, all);
        sl_changes_sort(out->v, out->n);
    }
    free(g.number);
    free(g.meaning);
    free(g.rank);
    free(g.is_attempt);
    sl_vec_free(&g.said);
    sl_arena_free(&g.arena);
    if (rc)
        sl_occupancy_free(out);
    return rc;
}

void sl_occupancy_free(struct sl_occupancy *o)
{
    free(o->v);
    free(o->code);
    free(o->group);
    *o = (struct sl_occupancy){0};
}
