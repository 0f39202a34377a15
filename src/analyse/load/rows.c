/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sqlite3_step() returns to its caller once a row, and each sqlite3_column_*() takes the connection's mutex: 140 ns a
 * row of three integers.  An aggregate function is called from inside SQLite's loop with the values at hand: 90 ns.
 * Its first argument is a pointer that only C can bind, so that users' SQL cannot call it with anything.
 */
#include "analyse/load/rows.h"
#include "analyse/ext.h"

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
    const char *text = sqlite3_errmsg(db);

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
