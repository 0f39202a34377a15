/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The closure of one span (analyse/load/graph.h), found by looking things up in the store's indexes, so that one task
 * of ten million events costs less than a millisecond and nothing is loaded.  But a span costs 5 us by lookups, and
 * loading the graph 0.3 us a span of the store: when very many were looked up, all goes on with the graph, until the
 * store changes.  Queries count together, since a command may ask once for each of many spans.  Where the program has
 * loaded the graph of all of the store (load/shared.h), nothing is looked up.  The root itself is the first row; rows
 * come by depth, then by span.
 */
#include "analyse/ext.h"
#include "analyse/load/fast_rows.h"
#include "analyse/load/root_events.h"
#include "analyse/sqlfn/sqlfn.h"
#include "base/mem.h"
#include "base/set.h"
#include "sqlfn_descendants.sql.h"

#include <stdlib.h>

/* clang-format off */
#define DESCENDANTS(COLUMN, row) \
    COLUMN(row, INTEGER, span, NULL, "an id; the root itself is the first row") \
    COLUMN(row, INTEGER, depth, NULL, "the fewest steps from the root: to a subspan, or across a facet either way")
/* clang-format on */
SL_ROW(descendants, DESCENDANTS);

static const struct sl_column args[] = {
    {"root", SL_COLUMN_ANY, NULL,
     "an id, or the text under which dnpcsql's scripts inserted a span; an unknown one has no rows", 0},
};

static const char *const lookups[] = {sql_itself, /* ROOT */ sql_named, sql_linked, sql_facets};

enum { ROOT, LOOKUPS = sizeof lookups / sizeof *lookups, MANY = 50000, MOST = 1000000, FEW = 32 };

struct state {
    sqlite3 *db;
    sqlite3_stmt *lookup[LOOKUPS];
    SL_VEC(int64_t) found; /* ids by depth, and there in ascending order */
    struct sl_set seen;    /* the same, as long as lookups find them */
    size_t at;             /* the row */
    size_t level;          /* where its depth begins */
    size_t end;            /* and ends; found holds no further depth yet */
    int64_t depth;

    size_t looked_up; /* spans, and links that led to spans which were found before, in all calls */
    struct sl_graph own;
    struct sl_walk w;     /* .g is `own`, or what the program lends; NULL as long as lookups do */
    unsigned int version; /* of the store, when g was loaded */
    bool kept;            /* from a query before */
    bool asked;           /* whether there is a graph to borrow */
    bool whole;           /* found came from w */
    struct descendants row;
};

static void add(struct state *s, int64_t id)
{
    if (sl_set_add(&s->seen, (uint64_t)id ^ (uint64_t)INT64_MIN)) /* which is the one id that a set cannot have */
        *sl_vec_add(&s->found) = id;
}

/* ---- looking up ---- */

static int look(struct state *s, sqlite3_stmt *q, int64_t id, struct sl_err *err)
{
    int rc;

    sqlite3_bind_int64(q, 1, id);
    for (; (rc = sqlite3_step(q)) == SQLITE_ROW; s->looked_up++)
        add(s, sqlite3_column_int64(q, 0));
    rc = rc == SQLITE_DONE ? 0 : sl_query_err(s->db, err);
    sqlite3_reset(q);
    return rc;
}

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql, struct sl_err *err)
{
    sqlite3_stmt *q = NULL;

    if (sqlite3_prepare_v2(db, sql, -1, &q, NULL) != SQLITE_OK)
        sl_query_err(db, err);
    return q;
}

/* The id that a user's argument means; false: it means none. */
static bool root_id(sqlite3 *db, sqlite3_value *arg, int64_t *id)
{
    sqlite3_stmt *q;
    bool known = false;

    *id = sqlite3_value_int64(arg);
    if (sqlite3_value_type(arg) == SQLITE_NULL)
        return false;
    if (sqlite3_value_type(arg) != SQLITE_TEXT)
        return true;
    if (!(q = prepare(db, "SELECT span FROM sl_uuid WHERE uuid = ?1", NULL)))
        return false;
    sqlite3_bind_value(q, 1, arg);
    if (sqlite3_step(q) == SQLITE_ROW) {
        *id = sqlite3_column_int64(q, 0);
        known = true;
    }
    sqlite3_finalize(q);
    return known || sqlite3_value_numeric_type(arg) == SQLITE_INTEGER;
}

/* ---- rows ---- */

static int by_id(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void sort_level(struct state *s, size_t from, size_t to)
{
    if (to > from)
        qsort(s->found.v + from, to - from, sizeof *s->found.v, by_id);
}

/* Another one after each commit, of whom ever. */
static unsigned int store_version(sqlite3 *db)
{
    unsigned int version = 0;

    sqlite3_file_control(db, "main", SQLITE_FCNTL_DATA_VERSION, &version);
    return version;
}

static int load_graph(struct state *s, struct sl_err *err)
{
    int rc = sl_graph_load(&s->own, s->db, 0, err);

    if (!rc)
        sl_walk_init(&s->w, &s->own);
    s->version = store_version(s->db);
    return rc;
}

static void drop_graph(struct state *s)
{
    sl_walk_free(&s->w);
    sl_graph_free(&s->own);
    s->looked_up = 0;
}

/* What the program has loaded of all of the store, if it has: as long as it lends that, the store does not change. */
static void borrow(struct state *s)
{
    const struct sl_root_events *lent = sl_root_events_shared(s->db, NULL);

    s->asked = true;
    if (!lent || s->w.g == &lent->g)
        return;
    drop_graph(s);
    sl_walk_init(&s->w, &lent->g);
}

/* Everything at once.  What lookups found before is found again, at the same places. */
static void find_all(struct state *s, int64_t root)
{
    const struct sl_graph *g = s->w.g;
    uint32_t i = sl_graph_find(g, root);

    s->whole = true;
    sl_vec_clear(&s->found);
    if (i == SL_NO_INDEX)
        return;
    sl_walk_closure(&s->w, i);
    for (size_t k = 0; k < s->w.n; k++)
        *sl_vec_add(&s->found) = g->id.v[s->w.span[k]];
    for (size_t d = 0; d < s->w.depths; d++)
        sort_level(s, s->w.level[d], s->w.level[d + 1]);
}

static int look_up_depth(struct state *s, struct sl_err *err)
{
    int rc = 0;

    for (; s->level < s->end && !rc; s->level++)
        for (int i = ROOT + 1; i < LOOKUPS && !rc; i++)
            rc = look(s, s->lookup[i], s->found.v[s->level], err);
    s->end = s->found.n;
    sort_level(s, s->level, s->end);
    return rc;
}

/* Whether as much was looked up as loading the graph costs.  Ids of a damaged store say nothing of how many there are.
 */
static bool graph_pays(struct state *s)
{
    size_t n = s->looked_up + (s->found.n - s->level);
    sqlite3_stmt *q;
    int64_t spans = 0;

    if (n <= MANY || n > MOST)
        return n > MOST;
    q = prepare(s->db, "SELECT max(id) FROM sl_span", NULL);
    if (q && sqlite3_step(q) == SQLITE_ROW)
        spans = sqlite3_column_int64(q, 0);
    sqlite3_finalize(q);
    return (int64_t)n > spans / 16;
}

/* A depth at a time, when its first row is wanted: a query with a LIMIT does not pay for all. */
static int find_next_depth(struct state *s, struct sl_err *err)
{
    if (!s->w.g && graph_pays(s)) {
        int rc = load_graph(s, err);
        if (rc)
            return rc;
    }
    if (s->w.g && !s->whole && s->found.n)
        find_all(s, s->found.v[0]);
    s->depth++;
    if (!s->whole)
        return look_up_depth(s, err);
    if (s->found.n && (size_t)s->depth < s->w.depths)
        s->end = s->w.level[s->depth + 1];
    return 0;
}

/* What all calls of a join share. */
static int open_store(struct state *s, sqlite3 *db, struct sl_err *err)
{
    s->db = db;
    for (int i = 0; i < LOOKUPS; i++)
        if (!(s->lookup[i] = prepare(db, lookups[i], err)))
            return SL_ESTORE;
    return 0;
}

/* What the last call found.  A set that has grown large is not kept: emptying it would cost each call. */
static void forget(struct state *s)
{
    sl_vec_clear(&s->found);
    if (s->seen.v.n > FEW)
        sl_set_free(&s->seen);
    else
        sl_set_clear(&s->seen);
    s->whole = false;
    s->at = s->level = s->end = 0;
    s->depth = -1;
}

static int start_closure(void *state, const struct sl_call *call, struct sl_err *err)
{
    struct state *s = state;
    int64_t root;
    int rc = s->db ? 0 : open_store(s, call->db, err);

    forget(s);
    if (rc || !root_id(call->db, call->arg[0], &root))
        return rc;
    rc = look(s, s->lookup[ROOT], root, err);
    if (s->kept && s->w.g && (!sqlite3_get_autocommit(s->db) || store_version(s->db) != s->version))
        drop_graph(s);
    s->kept = false;
    if (!s->asked)
        borrow(s);
    return rc ? rc : find_next_depth(s, err);
}

static bool at_end_closure(const void *state)
{
    const struct state *s = state;
    return s->at == s->end;
}

static int next_closure(void *state, struct sl_err *err)
{
    struct state *s = state;

    return ++s->at == s->end ? find_next_depth(s, err) : 0;
}

static const void *get_span(void *state)
{
    struct state *s = state;

    s->row = (struct descendants){s->found.v[s->at], s->depth};
    return &s->row;
}

/* What is not committed has no version. */
static bool keep_closure(void *state)
{
    struct state *s = state;

    forget(s);
    s->asked = false;
    if (s->w.g && s->w.g != &s->own) /* which may be gone when the next one asks */
        drop_graph(s);
    return s->kept = s->db && s->lookup[LOOKUPS - 1] && sqlite3_get_autocommit(s->db);
}

static void end_closure(void *state)
{
    struct state *s = state;

    for (int i = 0; i < LOOKUPS; i++)
        sqlite3_finalize(s->lookup[i]);
    sl_set_free(&s->seen);
    drop_graph(s);
    sl_vec_free(&s->found);
}

const struct sl_table_fn sl_fn_descendants = {
    .name = "descendants",
    .about = "a span and all that belongs to it",
    .row = &descendants_columns,
    .arg = args,
    .args = 1,
    .needed = 1,
    .usage = "descendants(1234)",
    .rows = 20,
    .state_bytes = sizeof(struct state),
    .start = start_closure,
    .at_end = at_end_closure,
    .next = next_closure,
    .get = get_span,
    .keep = keep_closure,
    .end = end_closure,
};
