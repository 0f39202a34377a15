/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facets that follow from others: children of two facets, and what lies below them.  Which side is left is declared
 * (names.yaml), as scripts written for dnpcsql ask for it; it never depends on ids, and so on the order of import.
 */
#include "base/map.h"
#include "writer/lookup.h"
#include "writer_facets.sql.h"

/* The type that is faceted with `type` directly below two facets; 0: none.  *left: `type` is the left one. */
static uint32_t pair_type(const struct sl_recipes *set, uint32_t type, size_t *from, uint32_t *rule, bool *left)
{
    for (; *from < set->facets.n * 2; ++*from) {
        const struct sl_facet_rule *f = &set->facets.v[*from / 2];
        uint32_t a = *from % 2 ? f->right : f->left, b = *from % 2 ? f->left : f->right;
        if (!f->under_left && a == type) {
            *left = *from % 2 == 0;
            *rule = f->rule;
            ++*from;
            return b;
        }
    }
    return 0;
}

static int compare_keys(struct sl_key a, struct sl_key b)
{
    int order;

    if (a.n == SL_KEY_INT || b.n == SL_KEY_INT)
        return a.n == b.n ? (a.i > b.i) - (a.i < b.i) : a.n == SL_KEY_INT ? -1 : 1;
    order = memcmp(a.s, b.s, a.n < b.n ? a.n : b.n);
    return order ? order : (a.n > b.n) - (a.n < b.n);
}

/* Of two spans of one type no declaration says which is left, and ids depend on the order of import: the keys do. */
static bool comes_first(const struct sl_writer *w, uint32_t a, uint32_t b)
{
    int order = compare_keys(sl_ids_key(&w->ids.v[a]), sl_ids_key(&w->ids.v[b]));

    if (!order && w->ids.v[a].parent && w->ids.v[b].parent)
        return comes_first(w, w->ids.v[a].parent - 1, w->ids.v[b].parent - 1);
    return order < 0;
}

static void add_facet(struct sl_writer *w, uint32_t left, uint32_t right, uint32_t rule)
{
    if (!sl_ids_pair(&w->ids, left, right))
        return;
    sl_merge_touch(w, left);
    sl_merge_touch(w, right);
    *sl_vec_add(&w->links) = (struct sl_link_row){
        .left = w->ids.v[left].store,
        .right = w->ids.v[right].store,
        .rule = sl_write_name(w, rule),
        .source = 0,
        .place = 0,
        .kind = SL_FACET,
        .weak = 0,
    };
}

static void pair_child(struct sl_writer *w, uint32_t child, uint32_t other_parent, uint32_t type, uint32_t rule,
                       bool left)
{
    uint32_t other = sl_lookup_find(w, other_parent, type, sl_ids_key(&w->ids.v[child]));

    if (other == UINT32_MAX || !(w->ids.v[other].type & SL_ID_REAL))
        return;
    if ((w->ids.v[child].type & SL_ID_TYPE) == type)
        left = comes_first(w, child, other);
    add_facet(w, left ? child : other, left ? other : child, rule);
}

/* Parents stand before children, so one pass carries facets from the roots to the leaves. */
static int spread(struct sl_writer *w, struct sl_err *err)
{
    int rc = 0;

    for (uint32_t i = 0; i < w->ids.n && !rc; i++) {
        uint32_t parent = w->ids.v[i].parent - 1, mine = w->ids.v[i].type & SL_ID_TYPE, type, rule, other, at;
        size_t from = 0;
        bool left;
        if (!w->ids.v[i].parent || !(w->ids.v[i].type & SL_ID_REAL) || !w->ids.v[parent].partner)
            continue;
        while ((type = pair_type(w->set, mine, &from, &rule, &left))) {
            for (at = 0; (other = sl_ids_partner(&w->ids, parent, &at)) != UINT32_MAX;)
                pair_child(w, i, other, type, rule, left);
        }
        /* two roots of one type are the same thing twice, and so are all of their children */
        if ((w->ids.v[parent].type & SL_ID_TYPE) == (w->ids.v[w->ids.v[parent].partner - 1].type & SL_ID_TYPE))
            pair_child(w, i, w->ids.v[parent].partner - 1, mine, sl_recipes_name(w->set, "same root", 9), false);
        rc = sl_write_flush(w, false, err);
    }
    return rc ? rc : sl_lookup_failed(w, err);
}

/* The nearest span of this type around i; UINT32_MAX: none. */
static uint32_t around(const struct sl_writer *w, uint32_t i, uint32_t type)
{
    while (w->ids.v[i].parent) {
        i = w->ids.v[i].parent - 1;
        if ((w->ids.v[i].type & SL_ID_TYPE) == type)
            return i;
    }
    return UINT32_MAX;
}

static uint64_t loose_hash(const struct sl_id *s)
{
    return sl_key_hash(0, 0, sl_ids_key(s));
}

/* Looks up what is stored below facets of the spans around those of a type. */
static void look_under(struct sl_writer *w, uint32_t type, uint32_t under, uint32_t other_type)
{
    for (uint32_t i = 0; i < w->ids.n && w->lookup.some; i++) {
        uint32_t top, other, at = 0;
        if ((w->ids.v[i].type & SL_ID_TYPE) != type || !(w->ids.v[i].type & SL_ID_REAL) ||
            (top = around(w, i, under)) == UINT32_MAX)
            continue;
        while ((other = sl_ids_partner(&w->ids, top, &at)) != UINT32_MAX)
            sl_lookup_inside(w, other, other_type, sl_ids_key(&w->ids.v[i]));
    }
}

/* {pair, under}: equal keys at any depth below two facets.  The right side is found by its keys. */
static void pair_under(struct sl_writer *w, const struct sl_facet_rule *f)
{
    struct sl_map right = {0};

    look_under(w, f->left, f->under_left, f->right);
    look_under(w, f->right, f->under_right, f->left);
    for (uint32_t i = 0; i < w->ids.n; i++)
        if ((w->ids.v[i].type & SL_ID_TYPE) == f->right && w->ids.v[i].type & SL_ID_REAL)
            sl_map_add(&right, loose_hash(&w->ids.v[i]), i);
    for (uint32_t i = 0; i < w->ids.n && right.n; i++) {
        const struct sl_id *s = &w->ids.v[i];
        uint64_t hash;
        uint32_t top;
        size_t at;
        if ((s->type & SL_ID_TYPE) != f->left || !(s->type & SL_ID_REAL) ||
            (top = around(w, i, f->under_left)) == UINT32_MAX || !w->ids.v[top].partner)
            continue;
        at = hash = loose_hash(s);
        for (uint32_t o, other_top; sl_map_next(&right, hash, &at, &o);) {
            if (compare_keys(sl_ids_key(s), sl_ids_key(&w->ids.v[o])) != 0)
                continue;
            other_top = around(w, o, f->under_right);
            if (other_top != UINT32_MAX && sl_ids_paired(&w->ids, top, other_top))
                add_facet(w, i, o, f->rule);
        }
    }
    sl_map_free(&right);
}

int sl_facets_spread(struct sl_writer *w, struct sl_err *err)
{
    int rc = spread(w, err);

    for (size_t i = 0; i < w->set->facets.n && !rc; i++)
        if (w->set->facets.v[i].under_left)
            pair_under(w, &w->set->facets.v[i]);
    return rc;
}

/* Where records disagree: as declared, else by type, else by key. */
static bool goes_left(const struct sl_writer *w, uint32_t a, uint32_t b)
{
    uint32_t x = w->ids.v[a].type & SL_ID_TYPE, y = w->ids.v[b].type & SL_ID_TYPE;

    for (size_t i = 0; i < w->set->facets.n; i++) {
        const struct sl_facet_rule *f = &w->set->facets.v[i];
        if ((f->left == x && f->right == y) || (f->left == y && f->right == x))
            return f->left == x;
    }
    return x == y ? comes_first(w, a, b)
                  : strcmp(sl_intern_text(&w->set->names, x), sl_intern_text(&w->set->names, y)) < 0;
}

/* ?1 = ?2 stands the wrong way round beside ?2 = ?1: those who say so become further sources of the right one. */
static const char *const turn_sql[] = {
    sql_goes_left,
    sql_delete_link_also,
    sql_delete_link,
};

int sl_facets_once(struct sl_writer *w, struct sl_err *err)
{
    int rc = 0;

    for (size_t s = 0; s < sizeof turn_sql / sizeof *turn_sql && w->again.n && !rc; s++) {
        sqlite3_stmt *q = sl_store_prepare(w->st, turn_sql[s], err);
        rc = q ? 0 : SL_ESTORE;
        for (size_t i = 0; i < w->again.n && !rc; i++) {
            uint32_t a = w->again.v[i].a, b = w->again.v[i].b;
            bool left = goes_left(w, a, b);
            sqlite3_bind_int64(q, 1, w->ids.v[left ? b : a].store);
            sqlite3_bind_int64(q, 2, w->ids.v[left ? a : b].store);
            rc = sl_store_write(w->st, q, err);
        }
        sqlite3_finalize(q);
    }
    return rc;
}
