/* SPDX-License-Identifier: Apache-2.0 */
/* Rules that linked nothing, though others of the type that they name lie beside: so it is the key that is wrong. */
#include "writer/lookup.h"
#include "writer_unresolved.sql.h"

#include <stdlib.h>

struct waiting { /* weak links of one rule between spans of two types */
    struct sl_weak first;
    uint64_t n;
    bool beside;
};

static uint32_t type_of(const struct sl_writer *w, uint32_t i)
{
    return w->ids.v[i].type & SL_ID_TYPE;
}

static bool same_rule(const struct sl_writer *w, const struct sl_weak *a, const struct sl_weak *b)
{
    return a->rule == b->rule && a->kind == b->kind && type_of(w, a->left) == type_of(w, b->left) &&
           type_of(w, a->right) == type_of(w, b->right);
}

/* The span that no record knows. */
static const struct sl_id *unknown(const struct sl_writer *w, const struct sl_weak *k)
{
    return &w->ids.v[w->ids.v[k->left].type & SL_ID_REAL ? k->right : k->left];
}

/* Where it would lie: no other type in another span has this number. */
static uint64_t place_of(const struct sl_id *s)
{
    return (uint64_t)s->parent << 32 | (s->type & SL_ID_TYPE);
}

static bool asks(struct sl_writer *w, const char *sql, const int64_t *v, int n)
{
    sqlite3_stmt *q = sl_store_prepare(w->st, sql, NULL);
    bool yes;

    for (int i = 0; q && i < n; i++)
        sqlite3_bind_int64(q, i + 1, v[i]);
    yes = q && sqlite3_step(q) == SQLITE_ROW;
    sqlite3_finalize(q);
    return yes;
}

static bool stored_beside(struct sl_writer *w, const struct sl_id *s)
{
    const struct sl_id *parent = s->parent ? &w->ids.v[s->parent - 1] : NULL;

    return parent && parent->type & SL_ID_STORED &&
           asks(w, sql_beside, (int64_t[]){parent->store, sl_write_name(w, s->type & SL_ID_TYPE)}, 2);
}

static bool has_linked(struct sl_writer *w, const struct sl_weak *k)
{
    return asks(w, sql_linked,
                (int64_t[]){sl_write_name(w, k->rule), k->kind, sl_write_name(w, type_of(w, k->left)),
                            sl_write_name(w, type_of(w, k->right))},
                4);
}

static int by_name(const void *x, const void *y, void *names)
{
    const struct waiting *a = x, *b = y;

    return strcmp(sl_intern_text(names, a->first.rule), sl_intern_text(names, b->first.rule));
}

void sl_writer_unresolved(struct sl_writer *w, sl_unresolved_fn *fn, void *to)
{
    SL_VEC(struct waiting) rules = {0};
    struct sl_set places = {0}, beside = {0};

    for (size_t i = 0; i < w->weak.n; i++) {
        const struct sl_weak *k = &w->weak.v[i];
        size_t r = 0;
        while (r < rules.n && !same_rule(w, k, &rules.v[r].first)) /* a handful */
            r++;
        if (r == rules.n)
            *sl_vec_add(&rules) = (struct waiting){.first = *k};
        rules.v[r].n++;
        if (unknown(w, k)->parent)
            sl_set_add(&places, place_of(unknown(w, k)));
    }
    for (uint32_t i = 0; i < w->ids.n && places.v.n; i++)
        if (w->ids.v[i].type & SL_ID_REAL && sl_set_has(&places, place_of(&w->ids.v[i])))
            sl_set_add(&beside, place_of(&w->ids.v[i]));
    for (size_t i = 0; i < w->weak.n; i++) {
        const struct sl_weak *k = &w->weak.v[i];
        size_t r = 0;
        while (!same_rule(w, k, &rules.v[r].first))
            r++;
        if (!rules.v[r].beside && unknown(w, k)->parent)
            rules.v[r].beside = sl_set_has(&beside, place_of(unknown(w, k))) || stored_beside(w, unknown(w, k));
    }
    if (rules.n)
        qsort_r(rules.v, rules.n, sizeof *rules.v, by_name, &w->set->names);
    for (size_t r = 0; r < rules.n; r++)
        if (rules.v[r].beside && !has_linked(w, &rules.v[r].first))
            fn(to, sl_intern_text(&w->set->names, rules.v[r].first.rule),
               sl_intern_text(&w->set->names, unknown(w, &rules.v[r].first)->type & SL_ID_TYPE), rules.v[r].n);
    sl_set_free(&places);
    sl_set_free(&beside);
    sl_vec_free(&rules);
}
