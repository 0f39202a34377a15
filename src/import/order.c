/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bindings by order: both sequences come from SELECTs of a names file (orders:), with the columns
 *
 *     id, scope, place in the order, from_s, to_s, label, skip, partner, lane
 *
 * (align.h says what they mean; scope: sequences of equal scope belong together).
 */
#include "base/hash.h"
#include "base/intern.h"
#include "import/align.h"
#include "import/binding.h"

#include <math.h>
#include <stdlib.h>

enum { SLACK_MS = 500 }; /* clocks of one machine, and log lines that were written late */

struct side {
    SL_VEC(struct sl_align_item) item;
    SL_VEC(struct { uint32_t scope, at, n; }) run; /* of one scope, side by side */
};

static double seconds(sqlite3_stmt *q, int i)
{
    return sqlite3_column_type(q, i) == SQLITE_NULL ? NAN : sqlite3_column_double(q, i);
}

static int load(struct side *s, struct sl_store *st, const char *sql, struct sl_intern *texts, struct sl_err *err)
{
    sqlite3_stmt *q;
    char *sorted = sqlite3_mprintf("SELECT * FROM (%s) ORDER BY 2, 3, 1", sql);
    int rc = 0;

    q = sl_store_prepare(st, sorted, err);
    sqlite3_free(sorted);
    if (!q)
        return SL_ESTORE;
    while ((rc = sl_store_step(st, q, err)) > 0) {
        const char *scope = (const char *)sqlite3_column_text(q, 1), *label = (const char *)sqlite3_column_text(q, 5),
                   *lane = (const char *)sqlite3_column_text(q, 8);
        uint32_t id = sl_intern(texts, scope ? scope : "", scope ? strlen(scope) : 0);
        if (!s->run.n || s->run.v[s->run.n - 1].scope != id)
            *sl_vec_add(&s->run) = (typeof(*s->run.v)){id, (uint32_t)s->item.n, 0};
        s->run.v[s->run.n - 1].n++;
        *sl_vec_add(&s->item) = (struct sl_align_item){
            .id = sqlite3_column_int64(q, 0),
            .from_s = seconds(q, 3),
            .to_s = seconds(q, 4),
            .label = label && *label ? sl_intern(texts, label, strlen(label)) : 0,
            .skip = (uint32_t)sqlite3_column_int(q, 6),
            .partner = sqlite3_column_int64(q, 7),
            .lane = lane && *lane ? sl_intern(texts, lane, strlen(lane)) : 0,
        };
    }
    sqlite3_finalize(q);
    return rc;
}

static int add_pair(struct sl_store *st, sqlite3_stmt *q, int64_t a, int64_t b, struct sl_err *err)
{
    int rc;

    sqlite3_bind_int64(q, 1, a);
    sqlite3_bind_int64(q, 2, b);
    rc = sqlite3_step(q) == SQLITE_DONE ? 0 : sl_store_err(st, "cannot write", err);
    sqlite3_reset(q);
    return rc;
}

static int pair_up(struct sl_store *st, sqlite3_stmt *certain, sqlite3_stmt *doubt, const struct side *a,
                   const struct side *b, size_t i, size_t k, struct sl_err *err)
{
    const struct sl_align_item *x = a->item.v + a->run.v[i].at, *y = b->item.v + b->run.v[k].at;
    struct sl_align al;
    int rc = 0;

    sl_align(&al, x, a->run.v[i].n, y, b->run.v[k].n, SLACK_MS / 1e3);
    for (size_t p = 0; p < al.pair.n && !rc; p++) {
        const struct sl_align_pair *v = &al.pair.v[p];
        if (!x[v->a].partner && !y[v->b].partner)
            rc = add_pair(st, v->certain ? certain : doubt, x[v->a].id, y[v->b].id, err);
    }
    for (uint32_t p = 0; p < a->run.v[i].n && p < b->run.v[k].n && al.given_up && !rc; p++)
        rc = add_pair(st, doubt, x[p].id, y[p].id, err);
    sl_align_free(&al);
    return rc;
}

int sl_order_bind(struct sl_store *st, const struct sl_order_decl *o, struct sl_err *err)
{
    struct side a = {0}, b = {0};
    struct sl_intern texts = {0};
    struct sl_bind_rule r;
    sqlite3_stmt *certain = NULL, *doubt = NULL;
    int64_t rule;
    char *sql;
    int rc = sl_bind_parse(&r, o->rule, err);

    if (!rc)
        rc = sl_binding_begin(st, err);
    if (!rc)
        rc = load(&a, st, o->left, &texts, err);
    if (!rc && a.item.n) /* the usual store has none */
        rc = load(&b, st, o->right, &texts, err);
    if (!rc && a.item.n && b.item.n) {
        rc = sl_binding_name(st, o->name, &rule, err);
        certain = sl_store_prepare(st, "INSERT OR IGNORE INTO temp.sl_pair VALUES (?, ?, 0.9)", err);
        sql = sqlite3_mprintf("INSERT OR IGNORE INTO sl_doubt (left_span, kind, right_span, rule) VALUES (?%d, %d, "
                              "?%d, %lld)",
                              r.kind == SL_IN ? 2 : 1, (int)r.kind, r.kind == SL_IN ? 1 : 2, (long long)rule);
        doubt = sl_store_prepare(st, sql, err);
        sqlite3_free(sql);
        if (!certain || !doubt)
            rc = SL_ESTORE;
        for (size_t i = 0; i < a.run.n && !rc; i++)
            for (size_t k = 0; k < b.run.n && !rc; k++)
                if (a.run.v[i].scope == b.run.v[k].scope)
                    rc = pair_up(st, certain, doubt, &a, &b, i, k, err);
        sqlite3_finalize(certain);
        sqlite3_finalize(doubt);
        if (!rc)
            rc = sl_binding_end(st, r.kind, o->name, false, err);
    }
    sl_vec_free(&a.item);
    sl_vec_free(&a.run);
    sl_vec_free(&b.item);
    sl_vec_free(&b.run);
    sl_intern_free(&texts);
    return rc ? sl_err_wrap(err, "binding %s", o->name) : 0;
}
