/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The spans of a store and their relations as arrays: a span is its index, 0 to n - 1 in ascending order of its id in
 * the store, and its neighbours stand side by side.  24 bytes a span, 4 a link and 8 a facet; while it is loaded twice
 * that.
 *
 * It holds what the views span, subspan and facet hold.  Links to ids that no span has lead nowhere.
 */
#ifndef SL_ANALYSE_LOAD_GRAPH_H
#define SL_ANALYSE_LOAD_GRAPH_H

#include "analyse/load/idmap.h"
#include "base/err.h"

#include <sqlite3.h>
#include <stdbool.h>

/* Names of types (sl_name) as ranks, 0 to n - 1 in the order of the bytes of their text. */
struct sl_names {
    uint32_t n;
    const char **text; /* by rank */
    struct sl_idmap id;
    uint32_t *rank; /* by index in id */
    struct sl_arena arena;
};
int sl_names_load(struct sl_names *out, sqlite3 *db, struct sl_err *err);
void sl_names_free(struct sl_names *t);
/* Ranks, of an id and of a text; SL_NO_INDEX: unknown. */
uint32_t sl_names_rank(const struct sl_names *t, int64_t id);
uint32_t sl_names_find(const struct sl_names *t, const char *text);

/* The neighbours of i are to[start[i]] up to, not including, to[start[i + 1]]. */
struct sl_csr {
    uint32_t *start; /* n + 1 */
    uint32_t *to;
};

struct sl_graph {
    uint32_t n;
    struct sl_idmap id;  /* id.v[i] is its id in the store */
    uint32_t *type;      /* rank of the type's name; SL_NO_INDEX: it has none, as only a damaged store does */
    uint32_t *parent;    /* the naming parent; SL_NO_INDEX: a root; NULL without SL_GRAPH_PARENTS */
    struct sl_csr sub;   /* subspans: by name and by links */
    struct sl_csr facet; /* both ways */
    struct sl_names names;
    char *key_text; /* keys, NUL-terminated; NULL without SL_GRAPH_KEYS */
    size_t *key_at; /* key of i: key_text + key_at[i] */
    char *part;     /* the ids, a JSON list, where it is a part of the store; NULL: it is all of it */
    int64_t within; /* whose part */
};

/* SL_GRAPH_SPANS_ONLY: sub and facet are not made. */
enum sl_graph_want { SL_GRAPH_KEYS = 1, SL_GRAPH_PARENTS = 2, SL_GRAPH_SPANS_ONLY = 4 };

/* Reads the graph of db, which must know sl_query_each (sl_analyse_register()).  On success *out is to be freed. */
int sl_graph_load(struct sl_graph *out, sqlite3 *db, unsigned want, struct sl_err *err);
/*
 * The same for who asks of one span only (within: a value of SQL).  Where little belongs to it, the graph is a part:
 * its closure, and what the spans of that lie in, one step up; else all of it, and so where `within` is NULL or no
 * span.
 */
int sl_graph_load_within(struct sl_graph *out, sqlite3 *db, unsigned want, sqlite3_value *within, struct sl_err *err);
int sl_graph_load_part(struct sl_graph *out, sqlite3 *db, unsigned want, int64_t within, struct sl_err *err);
/* The same of these spans, ids in ascending order, a JSON list; NULL: of all. */
int sl_graph_load_these(struct sl_graph *out, sqlite3 *db, unsigned want, char *take_ids, struct sl_err *err);
/* May it be asked of that span? */
bool sl_graph_covers(const struct sl_graph *g, sqlite3_value *within);
void sl_graph_free(struct sl_graph *g);
/* The index of a span of the store; SL_NO_INDEX: there is none. */
uint32_t sl_graph_find(const struct sl_graph *g, int64_t id);

/* Closures, one after another over the same graph, which it borrows.  Costs 4 bytes a span of the graph. */
struct sl_walk {
    const struct sl_graph *g;
    uint32_t *seen, round;
    uint32_t *span; /* the last closure: root first, then by depth (number of steps, the fewest) */
    size_t n, cap;
    size_t *level; /* spans of depth d: span[level[d]] up to span[level[d + 1]] */
    size_t depths, depths_cap;
};
void sl_walk_init(struct sl_walk *w, const struct sl_graph *g);
void sl_walk_free(struct sl_walk *w);
/* From root repeatedly to subspans, and across facets both ways; each span once, so that cycles end. */
void sl_walk_closure(struct sl_walk *w, uint32_t root);
/* Walks of another kind, without depths: begin with a span, spread from each to those that c leads to. */
void sl_walk_begin(struct sl_walk *w, uint32_t root);
void sl_walk_spread(struct sl_walk *w, const struct sl_csr *c, uint32_t from);
static inline bool sl_walk_has(const struct sl_walk *w, uint32_t span)
{
    return w->seen[span] == w->round;
}

#endif
