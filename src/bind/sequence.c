/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bindings by order: both sequences come from SELECTs of a names file (orders:), with the columns
 *
 *     id, scope, place in the order, from_s, to_s, label, skip, partner, lane
 *
 * (align.h says what they mean; scope: sequences of equal scope belong together; partner: of a left one, the right one
 * that a record has linked it to, so that both are left out here, and -1: it is known to have none).  Numbers that are
 * missing in a sequence stand for things that may have been.
 */
#include "base/hash.h"
#include "base/intern.h"
#include "base/set.h"
#include "bind/align.h"
#include "bind/bind_internal.h"
#include "bind_sequence.sql.h"

#include <math.h>
#include <stdlib.h>

enum { GAP = 10000 };
enum { SLACK_MS = 5000 }; /* clocks of one machine, and log lines that were written late */

struct side {
    SL_VEC(struct sl_align_item) item;
    SL_VEC(int64_t) partner;                       /* of each, as a record tells it; 0: none does */
    SL_VEC(bool) known;                            /* it has one */
    SL_VEC(struct { uint32_t scope, at, n; }) run; /* of one scope, side by side */
};

static double seconds(sqlite3_stmt *q, int i)
{
    return sqlite3_column_type(q, i) == SQLITE_NULL ? NAN : sqlite3_column_double(q, i);
}

/* Numbers that are missing: there may have been such things, of which the log says nothing (any more). */
static void add_gap(struct side *s, int64_t n)
{
    for (int64_t i = 0; i < n && i < GAP; i++) {
        s->run.v[s->run.n - 1].n++;
        *sl_vec_add(&s->item) = (struct sl_align_item){.from_s = NAN, .to_s = NAN};
        sl_vec_add(&s->partner);
    }
}

static int load(struct side *s, struct sl_store *st, const char *sql, struct sl_intern *texts, struct sl_err *err)
{
    sqlite3_stmt *q;
    int64_t next = 0;
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
        int64_t place = sqlite3_column_int64(q, 2);
        if (!s->run.n || s->run.v[s->run.n - 1].scope != id) {
            *sl_vec_add(&s->run) = (typeof(*s->run.v)){id, (uint32_t)s->item.n, 0};
            next = 0;
        }
        add_gap(s, place - next);
        next = place + 1;
        s->run.v[s->run.n - 1].n++;
        *sl_vec_add(&s->item) = (struct sl_align_item){
            .id = sqlite3_column_int64(q, 0),
            .from_s = seconds(q, 3),
            .to_s = seconds(q, 4),
            .label = label && *label ? sl_intern(texts, label, strlen(label)) : 0,
            .skip = (uint32_t)sqlite3_column_int(q, 6),
            .lane = lane && *lane ? sl_intern(texts, lane, strlen(lane)) : 0,
        };
        *sl_vec_add(&s->partner) = sqlite3_column_int64(q, 7);
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

/* Those of a run whose partner no record tells. */
static uint32_t without_partner(struct sl_align_item *out, const struct side *s, size_t run)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < s->run.v[run].n; i++)
        if (!s->known.v[s->run.v[run].at + i])
            out[n++] = s->item.v[s->run.v[run].at + i];
    return n;
}

static int pair_up(struct sl_store *st, sqlite3_stmt *certain, sqlite3_stmt *doubt, const struct side *a,
                   const struct side *b, size_t i, size_t k, struct sl_err *err)
{
    struct sl_align_item *x = sl_alloc((a->run.v[i].n + 1) * sizeof *x), *y = sl_alloc((b->run.v[k].n + 1) * sizeof *y);
    uint32_t nx = without_partner(x, a, i), ny = without_partner(y, b, k);
    double last = -INFINITY;
    struct sl_align al;
    int rc = 0;

    for (uint32_t p = 0; p < ny; p++)
        last = y[p].from_s > last ? y[p].from_s : last;
    for (uint32_t p = 0; p < nx; p++) /* b ends before: its log was cut off, or the last was noted a moment later */
        if (x[p].from_s > last)
            x[p].skip = x[p].from_s > last + SLACK_MS / 1e3 ? 0 : SL_ALIGN_MARGIN + 1;
    sl_align(&al, x, nx, y, ny, SLACK_MS / 1e3);
    for (size_t p = 0; p < al.pair.n && !rc; p++) {
        const struct sl_align_pair *v = &al.pair.v[p];
        if (!x[v->a].id || !y[v->b].id)
            continue; /* with what was not seen */
        rc = add_pair(st, v->certain ? certain : doubt, x[v->a].id, y[v->b].id, err);
    }
    for (uint32_t p = 0; p < nx && p < ny && al.given_up && !rc; p++)
        if (x[p].id && y[p].id)
            rc = add_pair(st, doubt, x[p].id, y[p].id, err);
    sl_align_free(&al);
    free(x);
    free(y);
    return rc;
}

/* Which have a partner: on the left the row says it, on the right it is theirs. */
static void mark_known(struct side *a, struct side *b)
{
    struct sl_set taken = {0};

    for (size_t i = 0; i < a->item.n; i++) {
        *sl_vec_add(&a->known) = a->partner.v[i] != 0;
        if (a->partner.v[i] > 0)
            sl_set_add(&taken, (uint64_t)a->partner.v[i]);
    }
    for (size_t i = 0; i < b->item.n; i++)
        *sl_vec_add(&b->known) = b->partner.v[i] || (b->item.v[i].id && !sl_set_add(&taken, (uint64_t)b->item.v[i].id));
    sl_set_free(&taken);
}

static void free_side(struct side *s)
{
    sl_vec_free(&s->item);
    sl_vec_free(&s->run);
    sl_vec_free(&s->partner);
    sl_vec_free(&s->known);
}

int sl_bind_sequence(struct sl_store *st, const struct sl_sequence_decl *o, struct sl_err *err)
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
        mark_known(&a, &b);
        rc = sl_binding_name(st, o->name, &rule, err);
        certain = sl_store_prepare(st, "INSERT OR IGNORE INTO temp.sl_pair VALUES (?, ?, 0.9)", err);
        sql = sqlite3_mprintf(sql_bind_sequence, r.kind == SL_IN ? 2 : 1, (int)r.kind, r.kind == SL_IN ? 1 : 2,
                              (long long)rule);
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
    free_side(&a);
    free_side(&b);
    sl_intern_free(&texts);
    return rc ? sl_err_wrap(err, "binding %s", o->name) : 0;
}
