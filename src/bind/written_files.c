/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file that belongs to one span without naming it: some record elsewhere says that a span wrote a file at a path
 * (`wrote:`), and a recipe reads the file and says which of its spans lie in whoever wrote it (`in_writer:`).
 *
 * Runs are copied and moved, so paths are compared from their ends.  Where the record only says that one of several
 * subspans wrote the file (a try of this task), the times decide.
 */
#include "bind/bind_internal.h"
#include "bind_written_files.sql.h"

#include <stdio.h>
#include <stdlib.h>

struct writer {
    int64_t span, of_type;
    size_t common; /* names of the path that agree, from its end; SIZE_MAX: all of it */
};

struct found {
    SL_VEC(struct writer) v; /* the best only */
};

static const char *base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* How many names two paths have in common at their end. */
static size_t common_names(const char *a, const char *b)
{
    size_t i = strlen(a), k = strlen(b), n = 0;

    if (!strcmp(a, b))
        return SIZE_MAX;
    while (i && k && a[i - 1] == b[k - 1]) {
        i--, k--;
        n += a[i] == '/';
    }
    return n + ((i == 0 && (k == 0 || b[k - 1] == '/')) || (k == 0 && a[i - 1] == '/'));
}

static bool are_facets(struct sl_store *st, int64_t a, int64_t b)
{
    char *sql = sqlite3_mprintf(sql_are_facets, (long long)a, (long long)b, (long long)a, (long long)b);
    bool yes = sl_store_int(st, sql, 0) != 0;

    sqlite3_free(sql);
    return yes;
}

/* The spans of which a record says that they wrote this file; several views of one thing count once. */
static int find_writers(struct found *out, struct sl_store *st, sqlite3_stmt *q, const char *path, struct sl_err *err)
{
    size_t best = 0;
    int rc;

    sl_vec_clear(&out->v);
    sqlite3_reset(q);
    sqlite3_bind_text(q, 1, base(path), -1, SQLITE_STATIC);
    while ((rc = sl_store_step(st, q, err)) > 0) {
        struct writer w = {sqlite3_column_int64(q, 1), sqlite3_column_int64(q, 2),
                           common_names(path, sl_store_text(q, 0))};
        bool again = false;
        if (w.common > best) {
            best = w.common;
            sl_vec_clear(&out->v);
        }
        for (size_t i = 0; i < out->v.n; i++)
            again |= out->v.v[i].span == w.span || are_facets(st, out->v.v[i].span, w.span);
        if (w.common == best && best && !again)
            *sl_vec_add(&out->v) = w;
    }
    return rc;
}

/* ---- which of several ---- */

struct one {
    int64_t span;
    double from_s, to_s;
};

struct place {
    struct sl_store *st;
    sqlite3_stmt *paths, *ones, *times, *add, *doubt;
    SL_VEC(struct one) one; /* the tries, in order of time */
    struct sl_err *err;
};

enum { SURE_S = 1 }; /* a line this near to where one ends and the next begins may be of either */

static int put(struct place *p, sqlite3_stmt *q, int64_t span, int64_t in, double confidence)
{
    int rc;

    sqlite3_bind_int64(q, 1, span);
    sqlite3_bind_int64(q, 2, in);
    if (q == p->add)
        sqlite3_bind_double(q, 3, confidence);
    rc = sqlite3_step(q) == SQLITE_DONE ? 0 : sl_store_err(p->st, "cannot write", p->err);
    sqlite3_reset(q);
    return rc;
}

static int load_ones(struct place *p, const struct writer *w)
{
    int rc;

    sl_vec_clear(&p->one);
    sqlite3_reset(p->ones);
    sqlite3_bind_int64(p->ones, 1, w->span);
    sqlite3_bind_int64(p->ones, 2, w->of_type);
    while ((rc = sl_store_step(p->st, p->ones, p->err)) > 0)
        *sl_vec_add(&p->one) = (struct one){sqlite3_column_int64(p->ones, 0), sqlite3_column_double(p->ones, 1),
                                            sqlite3_column_double(p->ones, 2)};
    return rc;
}

/* The one that was under way at t: the last that had begun. */
static size_t at_time(const struct place *p, double t)
{
    size_t k = 0;

    while (k + 1 < p->one.n && p->one.v[k + 1].from_s <= t)
        k++;
    return k;
}

static bool near_next(const struct place *p, size_t k, double t)
{
    return k + 1 < p->one.n && t > p->one.v[k].to_s && t > p->one.v[k + 1].from_s - SURE_S;
}

static bool near_last(const struct place *p, size_t k, double t)
{
    return k > 0 && t < p->one.v[k].from_s + SURE_S && t <= p->one.v[k - 1].to_s + SURE_S;
}

static int place_in(struct place *p, int64_t span, const struct writer *w)
{
    double from, to;
    size_t a, b;
    int rc = load_ones(p, w);

    if (rc || p->one.n < 2)
        return rc ? rc : put(p, p->add, span, p->one.n ? p->one.v[0].span : w->span, 0.95);
    sqlite3_reset(p->times);
    sqlite3_bind_int64(p->times, 1, span);
    if ((rc = sl_store_step(p->st, p->times, p->err)) < 0)
        return rc;
    if (sqlite3_column_type(p->times, 0) == SQLITE_NULL) { /* surely the task's, but of which try? */
        rc = put(p, p->add, span, w->span, 0.95);
        for (size_t i = 0; i < p->one.n && !rc; i++)
            rc = put(p, p->doubt, span, p->one.v[i].span, 0);
        return rc;
    }
    from = sqlite3_column_double(p->times, 0);
    to = sqlite3_column_double(p->times, 1);
    a = at_time(p, from);
    b = at_time(p, to);
    if (a == b && !near_last(p, a, from) && !near_next(p, b, to))
        return put(p, p->add, span, p->one.v[a].span, 0.9);
    rc = put(p, p->add, span, w->span, 0.95); /* of several of them, or nobody knows */
    if (a == b) {
        size_t other = near_last(p, a, from) ? a - 1 : a + 1;
        rc = rc ? rc : put(p, p->doubt, span, p->one.v[a].span, 0);
        rc = rc ? rc : put(p, p->doubt, span, p->one.v[other].span, 0);
    }
    return rc;
}

static int place_all(struct place *p)
{
    struct found f = {0};
    sqlite3_stmt *q = sl_store_prepare(p->st, sql_place_all, p->err);
    char *last = NULL;
    int rc = q ? 0 : SL_ESTORE;

    while (!rc && (rc = sl_store_step(p->st, q, p->err)) > 0) {
        int64_t span = sqlite3_column_int64(q, 0);
        const char *path = sl_store_text(q, 1);
        rc = 0;
        if (!last || strcmp(last, path) != 0) {
            free(last);
            last = sl_strdup(path);
            rc = find_writers(&f, p->st, p->paths, path, p->err);
        }
        if (!rc && f.v.n == 1)
            rc = place_in(p, span, &f.v.v[0]);
        for (size_t i = 0; i < f.v.n && f.v.n > 1 && !rc; i++)
            rc = put(p, p->doubt, span, f.v.v[i].span, 0);
    }
    free(last);
    sqlite3_finalize(q);
    sl_vec_free(&f.v);
    return rc;
}

int sl_bind_files(struct sl_store *st, struct sl_err *err)
{
    struct place p = {.st = st, .err = err};
    int64_t rule;
    char sql[200];
    int rc;

    if (!sl_store_int(st, "SELECT EXISTS (SELECT 1 FROM sl_written)", 0) ||
        !sl_store_int(st, "SELECT EXISTS (SELECT 1 FROM sl_wrote)", 0))
        return 0;
    rc = sl_binding_begin(st, err);
    if (!rc)
        rc = sl_binding_name(st, SL_WRITER_RULE, &rule, err);
    if (!rc) /* by the last name of the path */
        rc = sl_store_exec(st, sql_bind_files, err);
    if (rc)
        return rc;
    snprintf(sql, sizeof sql, sql_insert_doubt, (long long)rule);
    p.doubt = sl_store_prepare(st, sql, err);
    p.add = sl_store_prepare(st, "INSERT OR IGNORE INTO temp.sl_pair VALUES (?1, ?2, ?3)", err);
    p.paths = sl_store_prepare(st, /* in an order that does not depend on ids */
                               sql_bind_files_2, err);
    p.ones = sl_store_prepare(st, sql_bind_files_3, err);
    p.times = sl_store_prepare(st, sql_bind_files_4, err);
    rc = p.doubt && p.add && p.paths && p.ones && p.times ? place_all(&p) : SL_ESTORE;
    sqlite3_finalize(p.doubt);
    sqlite3_finalize(p.add);
    sqlite3_finalize(p.paths);
    sqlite3_finalize(p.ones);
    sqlite3_finalize(p.times);
    sl_vec_free(&p.one);
    if (!rc)
        rc = sl_binding_end(st, SL_IN, SL_WRITER_RULE, false, err);
    return rc ? rc : sl_store_exec(st, "DROP TABLE temp.sl_writer", err);
}
