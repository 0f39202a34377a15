/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a query into C, faster than by sqlite3_step(). */
#ifndef SL_ANALYSE_LOAD_FAST_ROWS_H
#define SL_ANALYSE_LOAD_FAST_ROWS_H

#include "base/err.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* One row: v[0], v[1], ... are its columns, valid during the call.  0 goes on; all else ends the scan with that. */
typedef int sl_query_row_fn(void *to, sqlite3_value **v);

/*
 * Runs `SELECT sl_query_each(?1, COLUMN, ...) FROM ...` and calls row for each row.  Returns 0, negative (err filled),
 * or what row returned.  db must know sl_query_each: sl_analyse_register().
 */
int sl_query_each(sqlite3 *db, const char *sql, sl_query_row_fn *row, void *to, struct sl_err *err);
/* The same; ids: a JSON list, ?2 of the query. */
int sl_query_each_of(sqlite3 *db, const char *sql, const char *ids, sl_query_row_fn *row, void *to, struct sl_err *err);
/*
 * The same in n parts, from two threads where there is a connection beside db (shared.h): part i with ?3 and ?4 bound
 * to from[i] and from[i + 1] - 1 (of the last INT64_MAX), and to[i] for its rows.  Which thread reads a part is left to
 * chance, so that parts must not touch what others do.
 */
int sl_query_each_part(sqlite3 *db, const char *sql, sl_query_row_fn *row, int n, const int64_t *from, void *const *to,
                       struct sl_err *err);
int sl_query_register(sqlite3 *db); /* an SQLite result code */

/*
 * For long loops outside SQLite, now and then: has sqlite3_interrupt() been called?  *alive is NULL at first, and to be
 * finalized.
 */
bool sl_query_stopped(sqlite3 *db, sqlite3_stmt **alive);

/* Fills err from the connection's last error: SL_ENOTFOUND where db is no store, else SL_ESTORE. */
int sl_query_err(sqlite3 *db, struct sl_err *err);

#endif
