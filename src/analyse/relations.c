/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/relations.h"
#include "analyse/ext.h"
#include "analyse/load/fast_rows.h"
#include "analyse_relations.sql.h"
#include "base/hash.h"
#include "base/map.h"
#include "store/store.h" /* the kinds of links alone */

#include <stdlib.h>

struct count {
    struct sl_relations *r;
    struct sl_map by_what;
    unsigned char *chosen; /* by span; NULL: all are */
};

/* ---- which spans ---- */

/* All that belongs to those whose mark is set. */
static void spread(const struct sl_graph *g, unsigned char *mark)
{
    SL_VEC(uint32_t) todo = {0};

    for (uint32_t i = 0; i < g->n; i++)
        if (mark[i])
            *sl_vec_add(&todo) = i;
    while (todo.n) {
        uint32_t span = todo.v[--todo.n];
        const struct sl_csr *c = &g->sub;
        for (int way = 0; way < 2; way++, c = &g->facet)
            for (size_t k = c->start[span]; k < c->start[span + 1]; k++)
                if (!mark[c->to[k]]) {
                    mark[c->to[k]] = 1;
                    *sl_vec_add(&todo) = c->to[k];
                }
    }
    sl_vec_free(&todo);
}

static unsigned char *choose(const struct sl_graph *g, const char *type, int64_t within)
{
    uint32_t rank = type ? sl_names_find(&g->names, type) : SL_NO_INDEX, top;
    unsigned char *mark;

    if (!type && !within)
        return NULL;
    mark = sl_alloc((size_t)g->n + 1);
    if (!within)
        memset(mark, 1, g->n);
    else if ((top = sl_graph_find(g, within)) != SL_NO_INDEX)
        mark[top] = 1;
    if (within)
        spread(g, mark);
    for (uint32_t i = 0; i < g->n && type; i++)
        mark[i] = mark[i] && g->type[i] == rank && rank != SL_NO_INDEX;
    if (type)
        spread(g, mark);
    return mark;
}

/* ---- counting ---- */

static void add(struct count *c, uint32_t left, uint32_t right, struct sl_relation_count x)
{
    const struct sl_graph *g = &c->r->g;
    uint64_t hash;
    size_t at;

    x.from = g->type[left];
    x.to = g->type[right];
    if (x.from == SL_NO_INDEX || x.to == SL_NO_INDEX || (c->chosen && !(c->chosen[left] && c->chosen[right])))
        return;
    hash = sl_hash_mix(sl_hash_mix((uint64_t)x.from << 32 | x.to, (uint64_t)x.rule), (uint64_t)(x.kind * 3 + x.by));
    at = hash;
    for (uint32_t i; sl_map_next(&c->by_what, hash, &at, &i);) {
        struct sl_relation_count *r = &c->r->v.v[i];
        if (r->from == x.from && r->to == x.to && r->rule == x.rule && r->kind == x.kind && r->by == x.by) {
            r->n++;
            r->confidence = x.confidence < r->confidence ? x.confidence : r->confidence;
            return;
        }
    }
    sl_map_add(&c->by_what, hash, (uint32_t)c->r->v.n);
    x.n = 1;
    *sl_vec_add(&c->r->v) = x;
}

static int link_row(void *to, sqlite3_value **v)
{
    struct count *c = to;
    const struct sl_graph *g = &c->r->g;
    struct sl_relation_count x = {.kind = sqlite3_value_int(v[1]), .rule = sqlite3_value_int64(v[3]), .confidence = 1};
    uint32_t left, right;

    /* dnpcsql's users may name spans that do not exist, by texts */
    if (sqlite3_value_type(v[0]) != SQLITE_INTEGER || sqlite3_value_type(v[2]) != SQLITE_INTEGER)
        return 0;
    left = sl_graph_find(g, sqlite3_value_int64(v[0]));
    right = sl_graph_find(g, sqlite3_value_int64(v[2]));
    if (left == SL_NO_INDEX || right == SL_NO_INDEX)
        return 0;
    x.by = x.kind == SL_IN && g->parent[right] == left ? SL_RELATION_AGAIN : SL_RELATION_LINK;
    if (sqlite3_value_type(v[4]) != SQLITE_NULL)
        x.confidence = sqlite3_value_double(v[4]);
    add(c, left, right, x);
    return 0;
}

static void count_spans(struct count *c)
{
    const struct sl_graph *g = &c->r->g;

    for (uint32_t i = 0; i < g->n; i++) {
        if (g->type[i] != SL_NO_INDEX && (!c->chosen || c->chosen[i]))
            c->r->spans[g->type[i]]++;
        if (g->parent[i] != SL_NO_INDEX)
            add(c, g->parent[i], i, (struct sl_relation_count){.kind = SL_IN, .by = SL_RELATION_NAME, .confidence = 1});
    }
}

int sl_relations_count(struct sl_relations *r, sqlite3 *db, const char *type, int64_t within, struct sl_err *err)
{
    struct count c = {.r = r};
    unsigned want = SL_GRAPH_PARENTS | (type || within ? 0 : SL_GRAPH_SPANS_ONLY);
    int rc;

    *r = (struct sl_relations){0};
    rc = within ? sl_graph_load_part(&r->g, db, want, within, err) : sl_graph_load(&r->g, db, want, err);
    if (rc)
        return rc;
    r->spans = sl_alloc(((size_t)r->g.names.n + 1) * sizeof *r->spans);
    c.chosen = choose(&r->g, type, within);
    count_spans(&c);
    rc = sl_query_each_of(db, r->g.part ? sql_these_links : sql_links, r->g.part, link_row, &c, err);
    sl_map_free(&c.by_what);
    free(c.chosen);
    return rc;
}

void sl_relations_free(struct sl_relations *r)
{
    sl_graph_free(&r->g);
    sl_vec_free(&r->v);
    free(r->spans);
    *r = (struct sl_relations){0};
}
