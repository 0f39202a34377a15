/* SPDX-License-Identifier: Apache-2.0 */
/* One scan of sl_span, one of sl_link; then a counting sort puts the targets of each span side by side. */
#include "analyse/load/graph.h"
#include "analyse/ext.h"
#include "analyse/load/fast_rows.h"
#include "analyse/load/shared.h"
#include "base/buf.h"
#include "load_graph.sql.h"
#include "store/store.h" /* the kinds of links alone */

#include <stdio.h>
#include <stdlib.h>

/* ---- names ---- */

struct names_load {
    struct sl_names *t;
    SL_VEC(const char *) text; /* by index in t->id */
};

static int names_row(void *to, sqlite3_value **v)
{
    struct names_load *l = to;
    const char *s = (const char *)sqlite3_value_text(v[1]);

    *sl_vec_add(&l->text) = sl_arena_copy(&l->t->arena, s ? s : "", s ? (size_t)sqlite3_value_bytes(v[1]) : 0);
    *sl_vec_add(&l->t->id) = sqlite3_value_int64(v[0]);
    return 0;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int sl_names_load(struct sl_names *out, sqlite3 *db, struct sl_err *err)
{
    struct names_load l = {.t = out};
    int rc;

    *out = (struct sl_names){0};
    rc = sl_query_each(db, "SELECT sl_query_each(?1, id, name) FROM (SELECT * FROM sl_name ORDER BY id)", names_row, &l,
                       err);
    sl_idmap_finish(&out->id);
    out->n = (uint32_t)out->id.n;
    out->text = sl_alloc(out->n * sizeof *out->text);
    out->rank = sl_alloc(out->n * sizeof *out->rank);
    if (out->n) {
        memcpy(out->text, l.text.v, out->n * sizeof *out->text);
        qsort(out->text, out->n, sizeof *out->text, by_text);
    }
    for (uint32_t i = 0; i < out->n; i++)
        out->rank[i] = sl_names_find(out, l.text.v[i]);
    sl_vec_free(&l.text);
    if (rc)
        sl_names_free(out);
    return rc;
}

void sl_names_free(struct sl_names *t)
{
    free(t->text);
    free(t->rank);
    sl_idmap_free(&t->id);
    sl_arena_free(&t->arena);
    *t = (struct sl_names){0};
}

uint32_t sl_names_rank(const struct sl_names *t, int64_t id)
{
    uint32_t i = sl_idmap_find(&t->id, id);
    return i == SL_NO_INDEX ? SL_NO_INDEX : t->rank[i];
}

uint32_t sl_names_find(const struct sl_names *t, const char *text)
{
    const char **p = t->n ? bsearch(&text, t->text, t->n, sizeof *t->text, by_text) : NULL;
    return p ? (uint32_t)(p - t->text) : SL_NO_INDEX;
}

/* ---- loading ---- */

struct span_row { /* the id is in the graph already */
    int64_t parent;
    uint32_t type;
    bool has_parent;
};

struct edge {
    uint32_t from, to;
};

struct edges {
    struct edge *v;
    size_t n, cap;
};

struct load {
    struct sl_graph *g;
    SL_VEC(struct span_row) spans;
    struct sl_buf keys;
    SL_VEC(size_t) key_at;
    struct edges sub, facet;
    int64_t last_type; /* spans of one type tend to stand together */
    uint32_t last_rank;
    unsigned want;
    bool disorder;
};

static void add_key(struct load *l, sqlite3_value *v)
{
    const char *s = (const char *)sqlite3_value_text(v);

    *sl_vec_add(&l->key_at) = l->keys.n;
    sl_buf_add(&l->keys, s ? s : "", s ? (size_t)sqlite3_value_bytes(v) : 0);
    sl_buf_addc(&l->keys, '\0');
}

static int span_row(void *to, sqlite3_value **v)
{
    struct load *l = to;
    struct sl_idmap *ids = &l->g->id;
    struct span_row *r = sl_vec_add(&l->spans);
    int64_t type = sqlite3_value_int64(v[1]);

    if (type != l->last_type) {
        l->last_type = type;
        l->last_rank = sl_names_rank(&l->g->names, type);
    }
    *sl_vec_add(ids) = sqlite3_value_int64(v[0]);
    r->type = l->last_rank;
    r->has_parent = sqlite3_value_type(v[2]) == SQLITE_INTEGER;
    r->parent = sqlite3_value_int64(v[2]);
    l->disorder |= ids->n > 1 && ids->v[ids->n - 2] >= ids->v[ids->n - 1];
    if (l->want & SL_GRAPH_KEYS)
        add_key(l, v[3]);
    return 0;
}

enum { PARTS = 8 }; /* more than two, as some take longer */

/* Takes what the parts of one vector have, in their order. */
#define JOIN(to, part, what)                                                                                           \
    do {                                                                                                               \
        for (int p_ = 0; p_ < PARTS; p_++) {                                                                           \
            for (size_t i_ = 0; i_ < (part)[p_].what.n; i_++)                                                          \
                *sl_vec_add(&(to)->what) = (part)[p_].what.v[i_];                                                      \
            sl_vec_free(&(part)[p_].what);                                                                             \
        }                                                                                                              \
    } while (0)

struct range {
    int64_t first, last;
};

static int range_row(void *to, sqlite3_value **v)
{
    *(struct range *)to = (struct range){sqlite3_value_int64(v[0]), sqlite3_value_int64(v[1])};
    return 0;
}

/* By two threads, each with some of the ids. */
static int load_spans_in_parts(struct load *l, sqlite3 *db, struct sl_err *err)
{
    struct sl_graph g[PARTS];
    struct load part[PARTS];
    void *to[PARTS];
    int64_t from[PARTS];
    struct range all = {0};
    int rc = sl_query_each(db, sql_range, range_row, &all, err);
    int64_t each = (all.last / PARTS) - (all.first / PARTS) + 1;

    for (int i = 0; i < PARTS; i++) {
        g[i] = (struct sl_graph){.names = l->g->names};
        part[i] = *l;
        part[i].g = &g[i];
        to[i] = &part[i];
        from[i] = i ? (int64_t)((uint64_t)all.first + (uint64_t)i * (uint64_t)each) : INT64_MIN;
    }
    if (!rc)
        rc = sl_query_each_part(db, sql_part_of_spans, span_row, PARTS, from, to, err);
    for (int i = 0; i < PARTS; i++)
        l->disorder |= part[i].disorder;
    JOIN(l, part, spans);
    JOIN(l->g, g, id);
    return rc;
}

/* A plain scan comes in the order of ids, unless the user has set PRAGMA reverse_unordered_selects. */
static int load_spans(struct load *l, sqlite3 *db, struct sl_err *err)
{
    const char *from[] = {l->g->part ? sql_these_spans : sql_all_spans, sql_sorted_spans};
    int rc = 0;

    bool parts = !l->g->part && !(l->want & SL_GRAPH_KEYS) && sl_has_beside(db);

    if (parts)
        rc = load_spans_in_parts(l, db, err);
    for (int i = parts; i < 2 && !rc && (!i || l->disorder); i++) {
        char sql[300];
        l->disorder = false;
        sl_vec_clear(&l->g->id);
        sl_vec_clear(&l->spans);
        sl_buf_clear(&l->keys);
        sl_vec_clear(&l->key_at);
        snprintf(sql, sizeof sql, sql_spans, l->want & SL_GRAPH_KEYS ? ", key" : "", from[i]);
        rc = sl_query_each_of(db, sql, l->g->part, span_row, l, err);
    }
    if (!rc && l->spans.n >= SL_NO_INDEX)
        rc = sl_err(err, SL_ESTORE, "%zu spans are more than this analysis can hold; choose some with SQL", l->spans.n);
    return rc;
}

static void pack_spans(struct load *l)
{
    struct sl_graph *g = l->g;
    size_t n = l->spans.n;

    g->n = (uint32_t)n;
    g->type = sl_alloc(n * sizeof *g->type);
    g->parent = l->want & SL_GRAPH_PARENTS ? sl_alloc(n * sizeof *g->parent) : NULL;
    sl_idmap_finish(&g->id);
    for (size_t i = 0; i < n; i++) {
        const struct span_row *r = &l->spans.v[i];
        uint32_t parent = r->has_parent ? sl_idmap_find(&g->id, r->parent) : SL_NO_INDEX;
        g->type[i] = r->type;
        if (g->parent)
            g->parent[i] = parent;
        if (parent != SL_NO_INDEX && !(l->want & SL_GRAPH_SPANS_ONLY))
            *sl_vec_add(&l->sub) = (struct edge){parent, (uint32_t)i};
    }
    sl_vec_free(&l->spans);
    if (l->want & SL_GRAPH_KEYS) {
        g->key_text = l->keys.s;
        g->key_at = l->key_at.v;
        memset(&l->keys, 0, sizeof l->keys);
        memset(&l->key_at, 0, sizeof l->key_at);
    }
}

static int link_row(void *to, sqlite3_value **v)
{
    struct load *l = to;
    bool facet = sqlite3_value_int64(v[1]) == SL_FACET;
    uint32_t left, right;

    /* dnpcsql's users may name spans that do not exist, by texts */
    if (sqlite3_value_type(v[0]) != SQLITE_INTEGER || sqlite3_value_type(v[2]) != SQLITE_INTEGER)
        return 0;
    left = sl_idmap_find(&l->g->id, sqlite3_value_int64(v[0]));
    right = sl_idmap_find(&l->g->id, sqlite3_value_int64(v[2]));
    if (left == SL_NO_INDEX || right == SL_NO_INDEX)
        return 0;
    *sl_vec_add(facet ? &l->facet : &l->sub) = (struct edge){left, right};
    if (facet)
        *sl_vec_add(&l->facet) = (struct edge){right, left};
    return 0;
}

/* The same, by what links lead on from. */
static int load_links_in_parts(struct load *l, sqlite3 *db, struct sl_err *err)
{
    struct load part[PARTS];
    void *to[PARTS];
    int64_t from[PARTS];
    int rc;

    for (int i = 0; i < PARTS; i++) {
        part[i] = *l;
        part[i].sub = part[i].facet = (struct edges){0};
        to[i] = &part[i];
        from[i] = i ? l->g->id.v[(size_t)l->g->n * (size_t)i / PARTS] : INT64_MIN;
    }
    rc = sl_query_each_part(db, sql_part_of_links, link_row, PARTS, from, to, err);
    JOIN(l, part, sub);
    JOIN(l, part, facet);
    return rc;
}

static int load_links(struct load *l, sqlite3 *db, struct sl_err *err)
{
    if (!l->g->part && l->g->n >= PARTS && sl_has_beside(db))
        return load_links_in_parts(l, db, err);
    return sl_query_each_of(db, l->g->part ? sql_these_links : sql_links, l->g->part, link_row, l, err);
}

/* Counting sort by the span an edge leaves; keeps the order of edges that leave the same.  Takes e. */
static int pack_edges(struct sl_csr *c, struct edges *e, uint32_t n, struct sl_err *err)
{
    if (e->n > UINT32_MAX)
        return sl_err(err, SL_ESTORE, "%zu links are more than this analysis can hold; choose some with SQL", e->n);
    c->start = sl_alloc(((size_t)n + 2) * sizeof *c->start);
    c->to = sl_alloc(e->n * sizeof *c->to);
    for (size_t i = 0; i < e->n; i++)
        c->start[e->v[i].from + 2]++;
    for (size_t i = 2; i < (size_t)n + 2; i++)
        c->start[i] += c->start[i - 1];
    /* start[i + 1] is where the next of i goes; when all are placed it is where those of i + 1 begin */
    for (size_t i = 0; i < e->n; i++)
        c->to[c->start[e->v[i].from + 1]++] = e->v[i].to;
    sl_vec_free(e);
    return 0;
}

/* ---- a part ---- */

struct part {
    SL_VEC(int64_t) id;
};

static int part_row(void *to, sqlite3_value **v)
{
    struct part *p = to;

    *sl_vec_add(&p->id) = sqlite3_value_int64(v[0]);
    return (int64_t)p->id.n > sqlite3_value_int64(v[1]);
}

static int around_row(void *to, sqlite3_value **v)
{
    if (sqlite3_value_type(v[0]) == SQLITE_INTEGER) /* as link_row() */
        *sl_vec_add(&((struct part *)to)->id) = sqlite3_value_int64(v[0]);
    return 0;
}

static char *list(struct part *p)
{
    struct sl_buf b = {0};

    for (size_t i = 0; i < p->id.n; i++)
        sl_buf_addf(&b, "%c%lld", i ? ',' : '[', (long long)p->id.v[i]);
    sl_buf_addc(&b, ']');
    sl_vec_clear(&p->id);
    return b.s;
}

/* Leaves g->part NULL where much belongs to the span, or nothing. */
static int find_part(struct sl_graph *g, sqlite3 *db, int64_t within, struct sl_err *err)
{
    struct part p = {0};
    char sql[300], *closure;
    int rc;

    g->within = within;
    snprintf(sql, sizeof sql, sql_many, (long long)g->within);
    rc = sl_query_each(db, sql, part_row, &p, err);
    snprintf(sql, sizeof sql, sql_closure, (long long)g->within);
    if (!rc)
        rc = sl_query_each(db, sql, part_row, &p, err);
    if (!rc && p.id.n) {
        closure = list(&p);
        rc = sl_query_each_of(db, sql_around, closure, around_row, &p, err);
        free(closure);
        g->part = list(&p);
    }
    sl_vec_free(&p.id);
    return rc < 0 ? rc : 0;
}

bool sl_graph_covers(const struct sl_graph *g, sqlite3_value *within)
{
    return !g->part ||
           (within && sqlite3_value_numeric_type(within) == SQLITE_INTEGER && sqlite3_value_int64(within) == g->within);
}

/* ---- all of it ---- */

/* Fills *out, which has the part already, if it is to be one. */
static int load(struct sl_graph *out, sqlite3 *db, unsigned want, struct sl_err *err)
{
    struct load l = {.g = out, .want = want, .last_type = INT64_MIN, .last_rank = SL_NO_INDEX};
    int rc = sl_names_load(&out->names, db, err);

    if (!rc)
        rc = load_spans(&l, db, err);
    if (!rc) {
        pack_spans(&l);
    }
    if (!rc && !(want & SL_GRAPH_SPANS_ONLY)) {
        rc = load_links(&l, db, err);
        if (!rc)
            rc = pack_edges(&out->sub, &l.sub, out->n, err);
        if (!rc)
            rc = pack_edges(&out->facet, &l.facet, out->n, err);
    }
    sl_vec_free(&l.spans);
    sl_buf_free(&l.keys);
    sl_vec_free(&l.key_at);
    sl_vec_free(&l.sub);
    sl_vec_free(&l.facet);
    if (rc)
        sl_graph_free(out);
    return rc;
}

int sl_graph_load(struct sl_graph *out, sqlite3 *db, unsigned want, struct sl_err *err)
{
    return sl_graph_load_these(out, db, want, NULL, err);
}

int sl_graph_load_these(struct sl_graph *out, sqlite3 *db, unsigned want, char *take_ids, struct sl_err *err)
{
    *out = (struct sl_graph){.part = take_ids};
    return load(out, db, want, err);
}

int sl_graph_load_part(struct sl_graph *out, sqlite3 *db, unsigned want, int64_t within, struct sl_err *err)
{
    int rc;

    *out = (struct sl_graph){0};
    rc = find_part(out, db, within, err);
    return rc ? rc : load(out, db, want, err);
}

int sl_graph_load_within(struct sl_graph *out, sqlite3 *db, unsigned want, sqlite3_value *within, struct sl_err *err)
{
    return within && sqlite3_value_numeric_type(within) == SQLITE_INTEGER
               ? sl_graph_load_part(out, db, want, sqlite3_value_int64(within), err)
               : sl_graph_load(out, db, want, err);
}

void sl_graph_free(struct sl_graph *g)
{
    sl_idmap_free(&g->id);
    free(g->type);
    free(g->parent);
    free(g->sub.start);
    free(g->sub.to);
    free(g->facet.start);
    free(g->facet.to);
    free(g->key_text);
    free(g->key_at);
    free(g->part);
    sl_names_free(&g->names);
    *g = (struct sl_graph){0};
}

uint32_t sl_graph_find(const struct sl_graph *g, int64_t id)
{
    return sl_idmap_find(&g->id, id);
}

/* ---- closure ---- */

void sl_walk_init(struct sl_walk *w, const struct sl_graph *g)
{
    *w = (struct sl_walk){.g = g, .seen = sl_alloc((size_t)g->n * sizeof *w->seen)};
}

void sl_walk_free(struct sl_walk *w)
{
    free(w->seen);
    free(w->span);
    free(w->level);
    *w = (struct sl_walk){0};
}

static void visit(struct sl_walk *w, uint32_t span)
{
    if (sl_walk_has(w, span))
        return;
    w->seen[span] = w->round;
    if (w->n == w->cap)
        w->span = sl_vec_grow(w->span, &w->cap, sizeof *w->span);
    w->span[w->n++] = span;
}

void sl_walk_spread(struct sl_walk *w, const struct sl_csr *c, uint32_t from)
{
    for (size_t i = c->start[from], end = c->start[from + 1]; i < end; i++)
        visit(w, c->to[i]);
}

void sl_walk_begin(struct sl_walk *w, uint32_t root)
{
    /* `seen` holds the round that saw a span, so nothing has to be cleared between walks */
    if (++w->round == 0) {
        memset(w->seen, 0, (size_t)w->g->n * sizeof *w->seen);
        w->round = 1;
    }
    w->n = w->depths = 0;
    visit(w, root);
}

static void mark_level(struct sl_walk *w, size_t at)
{
    if (w->depths == w->depths_cap)
        w->level = sl_vec_grow(w->level, &w->depths_cap, sizeof *w->level);
    w->level[w->depths++] = at;
}

void sl_walk_closure(struct sl_walk *w, uint32_t root)
{
    sl_walk_begin(w, root);
    for (size_t i = 0; i < w->n;) {
        size_t end = w->n;
        mark_level(w, i);
        for (; i < end; i++) {
            sl_walk_spread(w, &w->g->sub, w->span[i]);
            sl_walk_spread(w, &w->g->facet, w->span[i]);
        }
    }
    mark_level(w, w->n);
    w->depths--; /* level[depths] stays as the end of the last */
}
