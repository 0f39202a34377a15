/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the store knows of the spans that an import names: looked up one by one, as they are named, so that an import
 * costs what is new and not what is stored; and all at once where an import names very many.  With a span come its
 * ancestors, its facets and what is known of its root's time zone.
 */
#include "writer/lookup.h"
#include "writer_lookup.sql.h"

#include <stdio.h>
#include <stdlib.h>

/* Ids above are no import's; it counts up from the last. */
static const int64_t LAST_ID = 4000000000;

/* From so many look-ups on, of the spans that are stored, it costs less to load all. */
enum { AT_LEAST = 2000, ONE_IN = 16 };

struct pair {
    int64_t left, right;
};

static uint32_t failed(struct sl_writer *w, int rc)
{
    if (!w->lookup.rc)
        w->lookup.rc = rc;
    return UINT32_MAX;
}

/* The statement, prepared once and ready to be bound; NULL: it cannot be. */
static sqlite3_stmt *ready(struct sl_writer *w, enum sl_lookup_query i)
{
    static const char *const sql[SL_LOOKUP_QUERIES] = {
        [SL_LOOKUP_SPAN] = sql_find_span,   [SL_LOOKUP_GHOST] = sql_find_ghost, [SL_LOOKUP_ID] = sql_by_id,
        [SL_LOOKUP_FACETS] = sql_facets_of, [SL_LOOKUP_ZONE] = sql_zone_of,     [SL_LOOKUP_WEAK] = sql_weak_of,
        [SL_LOOKUP_BELOW] = sql_below,      [SL_LOOKUP_INSIDE] = sql_inside,
    };
    sqlite3_stmt **q = &w->lookup.query[i];

    if (!*q && !(*q = sl_store_prepare(w->st, sql[i], &w->lookup.err)))
        failed(w, SL_ESTORE);
    if (*q)
        sqlite3_reset(*q);
    return *q;
}

static bool next(struct sl_writer *w, sqlite3_stmt *q)
{
    int rc = q ? sl_store_step(w->st, q, &w->lookup.err) : 0;

    if (rc < 0)
        failed(w, rc);
    if (rc <= 0 && q)
        sqlite3_reset(q);
    return rc > 0;
}

uint32_t sl_lookup_loaded(const struct sl_writer *w, uint32_t store)
{
    const struct sl_lookup *l = &w->lookup;
    uint32_t lo = l->all_from, hi = l->all_to, i;
    size_t at = sl_hash_mix(0, store);

    for (uint64_t hash = at; sl_map_next(&l->by_store, hash, &at, &i);)
        if (w->ids.v[i].store == store)
            return i;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (w->ids.v[mid].store < store)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < l->all_to && w->ids.v[lo].store == store ? lo : UINT32_MAX;
}

/* ---- time zones ---- */

static const char *how_of(const char *how)
{
    static const char *const known[] = {"facet", "inferred", "given", "assumed"};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(how, known[i]))
            return known[i];
    return "learned";
}

/* Zones that records taught stay; assumed ones are open to better knowledge. */
static void load_zone(struct sl_writer *w, uint32_t root)
{
    sqlite3_stmt *q = ready(w, SL_LOOKUP_ZONE);
    struct sl_zone_steps *z = NULL;

    if (q)
        sqlite3_bind_int64(q, 1, w->ids.v[root].store);
    while (next(w, q)) {
        const char *how = how_of(sl_store_text(q, 3));
        if (!z) {
            z = sl_zones_set(&w->zones, root, 0, how, strcmp(how, "assumed") != 0 && strcmp(how, "given") != 0);
            sl_vec_clear(&z->step);
        }
        *sl_vec_add(&z->step) = (struct sl_zone_step){sqlite3_column_int64(q, 1), sqlite3_column_int64(q, 4),
                                                      sqlite3_column_int(q, 2), (uint32_t)sqlite3_column_int64(q, 0)};
    }
}

/* ---- spans ---- */

/* Notes that identity `at` is the stored span or ghost. */
static uint32_t note_stored(struct sl_writer *w, uint32_t at, uint32_t store, bool real)
{
    struct sl_id *s = &w->ids.v[at];

    s->store = store;
    s->type |= SL_ID_STORED | (real ? SL_ID_REAL : 0);
    if (!w->lookup.loading_all || at < w->lookup.all_from)
        sl_map_add(&w->lookup.by_store, sl_hash_mix(0, store), at);
    if (!s->parent)
        load_zone(w, at);
    return at;
}

/* The set's id of a name of the store; 0: there is no such name. */
static uint32_t set_name(struct sl_writer *w, int64_t id)
{
    if (id < 0 || (uint64_t)id >= w->lookup.set_name.n)
        return 0;
    return w->lookup.set_name.v[id];
}

static uint32_t damaged(struct sl_writer *w, bool real, int64_t id, const char *what)
{
    char text[24];

    snprintf(text, sizeof text, "%lld", (long long)id);
    return failed(w, sl_store_damaged(w->st, real ? "sl_span" : "sl_ghost", text, what, &w->lookup.err));
}

/* Adds the span of a row: id, type, key, parent, 1 if it is real, its source.  Its parent is loaded. */
static uint32_t add_row(struct sl_writer *w, sqlite3_stmt *q)
{
    int64_t id = sqlite3_column_int64(q, 0), parent = sqlite3_column_int64(q, 3);
    bool real = sqlite3_column_int(q, 4), root = sqlite3_column_type(q, 3) == SQLITE_NULL;
    uint32_t type = set_name(w, sqlite3_column_int64(q, 1)), above = UINT32_MAX, before = w->ids.n, at;

    if (!type)
        return damaged(w, real, id, "type");
    if (sqlite3_column_type(q, 2) == SQLITE_NULL)
        return damaged(w, real, id, "key");
    if (!root && (parent < 1 || parent >= id || (above = sl_lookup_loaded(w, (uint32_t)parent)) == UINT32_MAX))
        return damaged(w, real, id, "parent");
    at = sl_ids_add(&w->ids, above, type, sl_key_of(sl_store_text(q, 2), (size_t)sqlite3_column_bytes(q, 2)));
    if (w->ids.n == before && w->ids.v[at].store) /* a dnpcsql user's span of the same name; ours comes first */
        return at;
    return note_stored(w, at, (uint32_t)id, real);
}

static sqlite3_stmt *by_id(struct sl_writer *w, int64_t id)
{
    sqlite3_stmt *q = ready(w, SL_LOOKUP_ID);

    if (q)
        sqlite3_bind_int64(q, 1, id);
    return q;
}

/* Loads a span and its ancestors by its id; UINT32_MAX: there is none that an import wrote. */
static uint32_t load_id(struct sl_writer *w, int64_t id)
{
    SL_VEC(int64_t) below = {0}; /* what lies in spans that are to be loaded first */
    sqlite3_stmt *q;
    uint32_t at;

    if (id < 1 || id > LAST_ID || w->lookup.rc)
        return UINT32_MAX;
    if ((at = sl_lookup_loaded(w, (uint32_t)id)) != UINT32_MAX || w->lookup.all_to)
        return at;
    while (next(w, q = by_id(w, id))) {
        int64_t parent = sqlite3_column_int64(q, 3);
        if (parent < 1 || parent >= id || sl_lookup_loaded(w, (uint32_t)parent) != UINT32_MAX) {
            at = add_row(w, q);
            break;
        }
        *sl_vec_add(&below) = id;
        id = parent;
    }
    while (below.n && !w->lookup.rc) {
        q = by_id(w, below.v[--below.n]);
        at = next(w, q) ? add_row(w, q) : UINT32_MAX;
    }
    if (w->lookup.query[SL_LOOKUP_ID])
        sqlite3_reset(w->lookup.query[SL_LOOKUP_ID]);
    sl_vec_free(&below);
    return w->lookup.rc ? UINT32_MAX : at;
}

static int compare_pairs(const void *x, const void *y)
{
    const struct pair *a = x, *b = y;

    if (a->left != b->left)
        return a->left < b->left ? -1 : 1;
    return a->right < b->right ? -1 : a->right > b->right;
}

/* The facets of all that was loaded since identity `from`, theirs, and so on; in the order of the table of links. */
static void load_facets(struct sl_writer *w, uint32_t from)
{
    SL_VEC(struct pair) pairs = {0};

    for (uint32_t i = from; i < w->ids.n; i++) {
        sqlite3_stmt *q = w->ids.v[i].store ? ready(w, SL_LOOKUP_FACETS) : NULL;
        size_t first = pairs.n;
        if (!q)
            continue;
        sqlite3_bind_int64(q, 1, w->ids.v[i].store);
        while (next(w, q))
            *sl_vec_add(&pairs) = (struct pair){sqlite3_column_int64(q, 0), sqlite3_column_int64(q, 1)};
        for (size_t k = first; k < pairs.n; k++) {
            load_id(w, pairs.v[k].left);
            load_id(w, pairs.v[k].right);
        }
    }
    if (pairs.n)
        qsort(pairs.v, pairs.n, sizeof *pairs.v, compare_pairs);
    for (size_t k = 0; k < pairs.n; k++) {
        uint32_t a = load_id(w, pairs.v[k].left), b = load_id(w, pairs.v[k].right);
        if (a != UINT32_MAX && b != UINT32_MAX)
            sl_ids_pair(&w->ids, a, b);
    }
    sl_vec_free(&pairs);
}

uint32_t sl_lookup_id(struct sl_writer *w, int64_t id)
{
    uint32_t from = w->ids.n, at = load_id(w, id);

    if (w->ids.n > from && !w->lookup.all_to)
        load_facets(w, from);
    return at;
}

/* ---- all at once ---- */

static void load_all(struct sl_writer *w)
{
    sqlite3_stmt *q = sl_store_prepare(w->st, sql_load_spans, &w->lookup.err);
    uint32_t from = w->ids.n;

    if (!q) {
        failed(w, SL_ESTORE);
        return;
    }
    w->lookup.loading_all = true;
    w->lookup.all_from = from;
    while (!w->lookup.rc && next(w, q)) {
        int64_t id = sqlite3_column_int64(q, 0);
        uint32_t before = w->ids.n;
        w->lookup.all_to = before;
        if ((id <= 0 || id > LAST_ID) && sqlite3_column_type(q, 5) == SQLITE_INTEGER && !sqlite3_column_int64(q, 5))
            continue; /* a dnpcsql user's, who chose it; no record names it */
        if (id <= 0 || id > LAST_ID)
            damaged(w, sqlite3_column_int(q, 4), id, "id");
        else if (sl_lookup_loaded(w, (uint32_t)id) == UINT32_MAX)
            add_row(w, q);
    }
    w->lookup.all_to = w->ids.n;
    sqlite3_finalize(q);
    q = w->lookup.rc ? NULL : sl_store_prepare(w->st, sql_load_facets, &w->lookup.err);
    while (q && next(w, q)) {
        uint32_t a = load_id(w, sqlite3_column_int64(q, 0)), b = load_id(w, sqlite3_column_int64(q, 1));
        if (a != UINT32_MAX && b != UINT32_MAX)
            sl_ids_pair(&w->ids, a, b);
    }
    sqlite3_finalize(q);
    w->lookup.loading_all = false;
    w->lookup.some = false;
}

/* ---- by identity ---- */

/* The store's id of a name of the set; 0: it has none. */
static uint32_t stored_name(struct sl_writer *w, uint32_t name)
{
    uint32_t at;

    if (name < w->name_id.n && w->name_id.v[name])
        return w->name_id.v[name];
    pthread_mutex_lock(&w->set->lock); /* the parsing threads may be adding */
    at = sl_intern_find(&w->stored_names, sl_intern_text(&w->set->names, name), sl_intern_len(&w->set->names, name));
    pthread_mutex_unlock(&w->set->lock);
    return at ? w->stored_name_id.v[at - 1] : 0;
}

static void bind_key(sqlite3_stmt *q, int i, struct sl_key key)
{
    char digits[32];
    struct sl_buf b = {0};

    if (key.n == SL_KEY_INT) {
        sqlite3_bind_text(q, i, digits, (int)sl_int_text(key.i, digits), SQLITE_TRANSIENT);
    } else if (sl_utf8_valid(key.s, key.n) == key.n) {
        sqlite3_bind_text(q, i, key.s, (int)key.n, SQLITE_TRANSIENT);
    } else { /* as it was written */
        sl_buf_add_utf8(&b, key.s, key.n);
        sqlite3_bind_text(q, i, b.s, (int)b.n, SQLITE_TRANSIENT);
        sl_buf_free(&b);
    }
}

/* A span of that name that lies in itself: no new root is made beside it.  0: there is none. */
static int64_t damaged_root(struct sl_writer *w, uint32_t name, struct sl_key key)
{
    sqlite3_stmt *q = sl_store_prepare(w->st, sql_damaged_root, &w->lookup.err);
    int64_t id = 0;

    if (!q)
        return 0;
    sqlite3_bind_int64(q, 1, name);
    bind_key(q, 2, key);
    if (next(w, q))
        id = sqlite3_column_int64(q, 0);
    sqlite3_finalize(q);
    return id;
}

uint32_t sl_lookup_find(struct sl_writer *w, uint32_t parent, uint32_t type, struct sl_key key)
{
    uint32_t at = sl_ids_find(&w->ids, parent, type, key), name, from = w->ids.n;
    int64_t id = 0;

    if (at != UINT32_MAX || !w->lookup.some || w->lookup.rc ||
        (parent != UINT32_MAX && !(w->ids.v[parent].type & SL_ID_STORED)) || !(name = stored_name(w, type)))
        return at;
    if (++w->lookup.n > w->lookup.most) {
        load_all(w);
        return sl_ids_find(&w->ids, parent, type, key);
    }
    for (int ghost = 0; ghost < 2 && !id; ghost++) {
        sqlite3_stmt *q = ready(w, ghost ? SL_LOOKUP_GHOST : SL_LOOKUP_SPAN);
        if (!q)
            return UINT32_MAX;
        sqlite3_bind_int64(q, 1, name);
        bind_key(q, 2, key);
        if (parent == UINT32_MAX)
            sqlite3_bind_null(q, 3);
        else
            sqlite3_bind_int64(q, 3, w->ids.v[parent].store);
        if (!next(w, q))
            continue;
        id = sqlite3_column_int64(q, 0);
        sqlite3_reset(q);
        if (id > w->lookup.last) /* written by this import, under another spelling of the key */
            return UINT32_MAX;
        at = note_stored(w, sl_ids_add(&w->ids, parent, type, key), (uint32_t)id, !ghost);
    }
    if (id)
        load_facets(w, from);
    else if (parent == UINT32_MAX && (id = damaged_root(w, name, key)))
        return damaged(w, true, id, "parent");
    return at;
}

uint32_t sl_lookup_add(struct sl_writer *w, uint32_t parent, uint32_t type, struct sl_key key)
{
    uint32_t at = sl_lookup_find(w, parent, type, key);

    return at != UINT32_MAX ? at : sl_ids_add(&w->ids, parent, type, key);
}

/* ---- sets of spans ---- */

/* All that a query of one or three numbers and a key names. */
static void load_each(struct sl_writer *w, sqlite3_stmt *q)
{
    SL_VEC(int64_t) ids = {0};

    while (next(w, q))
        *sl_vec_add(&ids) = sqlite3_column_int64(q, 0);
    for (size_t i = 0; i < ids.n; i++)
        sl_lookup_id(w, ids.v[i]);
    sl_vec_free(&ids);
}

void sl_lookup_below(struct sl_writer *w, uint32_t i)
{
    sqlite3_stmt *q = w->lookup.some && w->ids.v[i].type & SL_ID_STORED ? ready(w, SL_LOOKUP_BELOW) : NULL;

    if (!q)
        return;
    sqlite3_bind_int64(q, 1, w->ids.v[i].store);
    load_each(w, q);
}

void sl_lookup_inside(struct sl_writer *w, uint32_t i, uint32_t type, struct sl_key key)
{
    uint32_t name = stored_name(w, type);
    sqlite3_stmt *q = name && w->lookup.some && w->ids.v[i].type & SL_ID_STORED ? ready(w, SL_LOOKUP_INSIDE) : NULL;

    if (!q)
        return;
    sqlite3_bind_int64(q, 1, name);
    bind_key(q, 2, key);
    sqlite3_bind_int64(q, 3, w->ids.v[i].store);
    load_each(w, q);
}

/* ---- weak links ---- */

struct stored_weak {
    int64_t left, kind, right, source;
    struct sl_weak weak;
};

static int compare_weak(const void *x, const void *y)
{
    const struct stored_weak *a = x, *b = y;

    if (a->left != b->left)
        return a->left < b->left ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->right != b->right)
        return a->right < b->right ? -1 : 1;
    return a->source < b->source ? -1 : a->source > b->source;
}

int sl_lookup_weak(struct sl_writer *w, const uint32_t *risen, size_t n, struct sl_err *err)
{
    SL_VEC(struct stored_weak) found = {0};
    typeof(w->weak) later = w->weak;
    int rc = 0;

    for (size_t i = 0; i < n; i++) {
        sqlite3_stmt *q = ready(w, SL_LOOKUP_WEAK);
        if (q)
            sqlite3_bind_int64(q, 1, w->ids.v[risen[i]].store);
        while (next(w, q))
            *sl_vec_add(&found) = (struct stored_weak){
                .left = sqlite3_column_int64(q, 0),
                .kind = sqlite3_column_int64(q, 1),
                .right = sqlite3_column_int64(q, 2),
                .source = sqlite3_column_int64(q, 4),
                .weak = {.rule = sl_intern(&w->set->names, sl_store_text(q, 3), (size_t)sqlite3_column_bytes(q, 3)),
                         .kind = (uint32_t)sqlite3_column_int(q, 1) & 15,
                         .weak = (uint32_t)sqlite3_column_int(q, 6) & 3,
                         .source = (uint32_t)sqlite3_column_int64(q, 4),
                         .place = sqlite3_column_int64(q, 5)},
            };
    }
    if (!found.n)
        return sl_lookup_failed(w, err);
    qsort(found.v, found.n, sizeof *found.v, compare_weak);
    w->weak = (typeof(w->weak)){0};
    for (size_t k = 0; k < found.n && !rc; k++) {
        struct stored_weak *f = &found.v[k];
        uint32_t a, b;
        if (k && !compare_weak(f, f - 1)) /* by both of its spans */
            continue;
        a = sl_lookup_id(w, f->left);
        b = sl_lookup_id(w, f->right);
        if (a == UINT32_MAX || b == UINT32_MAX)
            continue;
        f->weak.left = a;
        f->weak.right = b;
        *sl_vec_add(&w->weak) = f->weak;
        rc = sl_store_run(w->st, sql_drop_weak, err, "iiii", f->left, f->kind, f->right, f->source);
    }
    for (size_t k = 0; k < later.n; k++)
        *sl_vec_add(&w->weak) = later.v[k];
    sl_vec_free(&later);
    sl_vec_free(&found);
    return rc ? rc : sl_lookup_failed(w, err);
}

int sl_lookup_tails(struct sl_writer *w, struct sl_err *err)
{
    sqlite3_stmt *q = w->redo.n ? sl_store_prepare(w->st, sql_tails, err) : NULL;

    if (q)
        load_each(w, q);
    sqlite3_finalize(q);
    return w->redo.n && !q ? SL_ESTORE : sl_lookup_failed(w, err);
}

/* ---- roots by their key ---- */

void sl_lookup_roots(struct sl_writer *w, uint32_t type, const char *key)
{
    uint32_t name = stored_name(w, type);
    sqlite3_stmt *q = name && w->lookup.some ? sl_store_prepare(w->st, sql_roots, &w->lookup.err) : NULL;

    if (!q)
        return;
    sqlite3_bind_int64(q, 1, name);
    sqlite3_bind_text(q, 2, key, -1, SQLITE_STATIC);
    load_each(w, q);
    sqlite3_finalize(q);
}

/* ---- beginning and end ---- */

int sl_lookup_open(struct sl_writer *w, struct sl_err *err)
{
    struct sl_lookup *l = &w->lookup;
    int64_t last = sl_store_int(w->st, sql_last_id, 0), zone;
    int rc;

    l->last = last < 0 ? 0 : last;
    w->next_span = (uint32_t)l->last;
    zone = sl_store_int(w->st, "SELECT max(id) FROM sl_zone", 0);
    w->next_zone = zone > 0 && zone <= LAST_ID ? (uint32_t)zone : 0;
    l->some = l->last > 0;
    l->most = (uint64_t)l->last / ONE_IN + AT_LEAST;
    if (!l->some)
        return 0;
    if ((rc = sl_store_index(w->st, err))) /* an older version's are others */
        return rc;
    for (size_t i = 0; i < w->stored_name_id.n; i++) {
        uint32_t id = w->stored_name_id.v[i];
        while (l->set_name.n <= id)
            sl_vec_add(&l->set_name);
        l->set_name.v[id] = sl_intern(&w->set->names, sl_intern_text(&w->stored_names, (uint32_t)i + 1),
                                      sl_intern_len(&w->stored_names, (uint32_t)i + 1));
    }
    return 0;
}

int sl_lookup_failed(struct sl_writer *w, struct sl_err *err)
{
    if (w->lookup.rc && err)
        *err = w->lookup.err;
    return w->lookup.rc;
}

void sl_lookup_close(struct sl_writer *w)
{
    for (int i = 0; i < SL_LOOKUP_QUERIES; i++)
        sqlite3_finalize(w->lookup.query[i]);
    sl_map_free(&w->lookup.by_store);
    sl_vec_free(&w->lookup.set_name);
    w->lookup = (struct sl_lookup){0};
}
