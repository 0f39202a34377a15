/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spanloom's library is an SQLite extension: the table functions over a store, the same in any program with SQLite.
 *
 *   descendants(root)            span, depth: everything below a span, through subspans and across facets
 *   event_sequences(root_type)   the orderings of events below the spans of a type, with the times between them
 *
 * Columns and units are in docs/sql.md.  From C, either load the file (sqlite3_load_extension; its place is
 * `pkg-config --variable=extension spanloom`), or, with sqlite3_auto_extension() and the file linked or dlopened, use
 * the entry point below.
 */
#ifndef SPANLOOM_SPANLOOM_H
#define SPANLOOM_SPANLOOM_H

#include <sqlite3.h>

#define SPANLOOM_VERSION "0.1.0"
#define SPANLOOM_SCHEMA 7 /* of the store: value of sl_meta where name = 'schema' */

#ifdef __cplusplus
extern "C" {
#endif

struct sqlite3_api_routines;

/*
 * Makes the functions known to db.  An SQLite result code; on failure *why, if not NULL, is a message to be freed with
 * sqlite3_free().  SQLite calls it with its own routines; it keeps the pointer.
 */
int sqlite3_spanloom_init(sqlite3 *db, char **why, const struct sqlite3_api_routines *routines);

#ifdef __cplusplus
}
#endif

#endif
