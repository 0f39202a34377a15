/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sqlite3_step() returns to its caller once a row, and each sqlite3_column_*() takes the connection's mutex: 140 ns a
 * row of three integers.  An aggregate function is called from inside SQLite's loop with the values at hand: 90 ns.
 * Its first argument is a pointer that only C can bind, so that users' SQL cannot call it with anything.
 */
#include "analyse/load/fast_rows.h"
#include "analyse/ext.h"
#include "analyse/load/shared.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static const char POINTER[] = "spanloom-scan"; /* sqlite3_bind_pointer() wants a static text */

struct scan {
    sl_query_row_fn *row;
    void *to;
    int rc;
};

static void scan_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct scan **s = sqlite3_aggregate_context(ctx, sizeof *s);

    if (s && !*s) /* the first row: comparing the pointer's name once is enough */
        *s = argc ? sqlite3_value_pointer(argv[0], POINTER) : NULL;
    if (!s || !*s)
        sqlite3_result_error(ctx, "sl_query_each() is for Spanloom's own use", -1);
    else if (!(*s)->rc && ((*s)->rc = (*s)->row((*s)->to, argv + 1)))
        sqlite3_result_error(ctx, "ended", -1);
}

static void scan_final(sqlite3_context *ctx)
{
    sqlite3_result_null(ctx);
}

int sl_query_register(sqlite3 *db)
{
    return sqlite3_create_function_v2(db, "sl_query_each", -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, NULL, NULL, scan_step,
                                      scan_final, NULL);
}

int sl_query_err(sqlite3 *db, struct sl_err *err)
{
    const char *text = sl_sqlite_words(db);

    if (!strncmp(text, "no such table: sl_", 18))
        return sl_err(err, SL_ENOTFOUND, "this database is not a Spanloom store (%s)", text);
    return sl_err(err, SL_ESTORE, "%s", text);
}

int sl_query_each_of(sqlite3 *db, const char *sql, const char *ids, sl_query_row_fn *row, void *to, struct sl_err *err)
{
    struct scan s = {row, to, 0};
    sqlite3_stmt *q = NULL;
    int rc = 0;

    if (sqlite3_prepare_v2(db, sql, -1, &q, NULL) != SQLITE_OK ||
        sqlite3_bind_pointer(q, 1, &s, POINTER, NULL) != SQLITE_OK ||
        (ids && sqlite3_bind_text(q, 2, ids, -1, SQLITE_STATIC) != SQLITE_OK))
        rc = sl_query_err(db, err);
    else if (sqlite3_step(q) != SQLITE_ROW)
        rc = s.rc ? s.rc : sl_query_err(db, err);
    sqlite3_finalize(q);
    return rc;
}

int sl_query_each(sqlite3 *db, const char *sql, sl_query_row_fn *row, void *to, struct sl_err *err)
{
    return sl_query_each_of(db, sql, NULL, row, to, err);
}

/* ---- in parts ---- */

struct parts {
    const char *sql;
    sl_query_row_fn *row;
    const int64_t *from;
    void *const *to;
    int n;
    atomic_int next, rc;
};

struct reader {
    struct parts *p;
    sqlite3 *db;
    struct sl_err err;
};

static int read_part(struct reader *r, sqlite3_stmt *q, int i)
{
    const struct parts *p = r->p;
    struct scan s = {p->row, p->to[i], 0};
    int rc = 0;

    if (sqlite3_bind_pointer(q, 1, &s, POINTER, NULL) != SQLITE_OK ||
        sqlite3_bind_int64(q, 3, p->from[i]) != SQLITE_OK ||
        sqlite3_bind_int64(q, 4, i + 1 < p->n ? p->from[i + 1] - 1 : INT64_MAX) != SQLITE_OK)
        rc = sl_query_err(r->db, &r->err);
    else if (sqlite3_step(q) != SQLITE_ROW)
        rc = s.rc ? s.rc : sl_query_err(r->db, &r->err);
    sqlite3_reset(q);
    return rc;
}

/* One part after another, of those that nobody has; when one failed no further one. */
static void *read_parts(void *of)
{
    struct reader *r = of;
    struct parts *p = r->p;
    sqlite3_stmt *q = NULL;
    int rc = sqlite3_prepare_v2(r->db, p->sql, -1, &q, NULL) == SQLITE_OK ? 0 : sl_query_err(r->db, &r->err);

    for (int i; !rc && !atomic_load(&p->rc) && (i = atomic_fetch_add(&p->next, 1)) < p->n;)
        rc = read_part(r, q, i);
    sqlite3_finalize(q);
    if (rc)
        atomic_store(&p->rc, rc);
    return NULL;
}

int sl_query_each_part(sqlite3 *db, const char *sql, sl_query_row_fn *row, int n, const int64_t *from, void *const *to,
                       struct sl_err *err)
{
    const struct sl_shared *shared = sl_shared_of(db);
    struct parts p = {.sql = sql, .row = row, .from = from, .to = to, .n = n};
    struct reader own = {.p = &p, .db = db}, other = {.p = &p, .db = shared ? shared->beside : NULL};
    pthread_t thread;
    bool started = other.db && pthread_create(&thread, NULL, read_parts, &other) == 0;
    int rc;

    read_parts(&own);
    if (started)
        pthread_join(thread, NULL);
    rc = atomic_load(&p.rc);
    return rc < 0 ? sl_err(err, rc, "%s", *own.err.text ? own.err.text : other.err.text) : rc;
}

/* A loop of ours does not see an interrupt; a statement that begins does. */
bool sl_query_stopped(sqlite3 *db, sqlite3_stmt **alive)
{
    bool stop;

    if (!*alive && sqlite3_prepare_v2(db, "SELECT 1", -1, alive, NULL) != SQLITE_OK)
        return true;
    stop = sqlite3_step(*alive) != SQLITE_ROW;
    sqlite3_reset(*alive);
    return stop;
}
