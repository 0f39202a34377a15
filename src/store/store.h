/* SPDX-License-Identifier: Apache-2.0 */
/* The store: one SQLite file.  Its tables are described in schema/001-core.sql, its views in schema/views.sql. */
#ifndef SL_STORE_STORE_H
#define SL_STORE_STORE_H

#include "base/err.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sqlite_words.h" /* behind SQLite */

/* Files of SQL have these names too (tools/embed_sql.py); the numbers are in every store. */
enum sl_link_kind { SL_IN = 1, SL_FACET = 2, SL_AFTER = 3, SL_FLOW = 4 };

/* Types are handled, and their tables named, to this length; longer ones are refused where users name them. */
enum { SL_TYPE_BYTES = 1024 };

struct sl_store {
    sqlite3 *db;
    char *path;
    bool fresh; /* the schema was made by this open, nothing is in it */
};

enum sl_store_mode {
    SL_STORE_READ,   /* must exist and be a store; queries cannot change it */
    SL_STORE_WRITE,  /* must exist */
    SL_STORE_CREATE, /* made if need be; not visible to others until sl_store_commit() */
    SL_STORE_SCRATCH /* a new one that is gone when it is closed; path is what errors call it */
};

/* To be called before anything of SQLite: its memory, too, is had or ends the process (base/mem.h). */
void sl_store_memory(void);
/* The same: no statement of this process that the system, or damage, has ended passes for one that came to its end. */
void sl_store_watch(void);

/* Opens path.  On success *out is the caller's, to be closed by sl_store_close(). */
int sl_store_open(struct sl_store **out, const char *path, enum sl_store_mode mode, struct sl_err *err);
void sl_store_close(struct sl_store *st);

/* One import is one transaction: all of it or nothing, also after kill -9. */
int sl_store_begin(struct sl_store *st, struct sl_err *err);
int sl_store_index(struct sl_store *st, struct sl_err *err); /* builds the indexes; a commit does, too */
int sl_store_commit(struct sl_store *st, struct sl_err *err);
void sl_store_rollback(struct sl_store *st);

int sl_store_exec(struct sl_store *st, const char *sql, struct sl_err *err);
/* Statements that make temporary tables, which a store opened for reading forbids like all writing. */
int sl_store_temporary(struct sl_store *st, const char *sql, struct sl_err *err);
/* Prepares sql; NULL with err filled when that fails.  The caller finalizes. */
sqlite3_stmt *sl_store_prepare(struct sl_store *st, const char *sql, struct sl_err *err);
/* Steps; 1: a row, 0: done, negative: failed. */
int sl_store_step(struct sl_store *st, sqlite3_stmt *s, struct sl_err *err);
/* Runs a statement that writes, and resets it for the next row. */
int sl_store_write(struct sl_store *st, sqlite3_stmt *s, struct sl_err *err);
/*
 * With arguments bound to ?1, ?2, ... by a letter each: i an int64_t, t a const char * (NULL is NULL).  What is left is
 * NULL.  sl_store_run() runs one statement; sl_store_each() gives each row of a query to fn, until that is not 0.
 */
typedef int sl_row_fn(void *of, sqlite3_stmt *row, struct sl_err *err);
int sl_store_run(struct sl_store *st, const char *sql, struct sl_err *err, const char *types, ...);
int sl_store_each(struct sl_store *st, const char *sql, sl_row_fn *fn, void *of, struct sl_err *err, const char *types,
                  ...);
/* First column of the first row as an integer, or `otherwise` where there is no row or it is NULL. */
int64_t sl_store_int(struct sl_store *st, const char *sql, int64_t otherwise);

/* A column as a text, "" where it is NULL; valid until the next step. */
const char *sl_store_text(sqlite3_stmt *s, int column);

/* For users' queries: from now on nothing but reading, whatever SQL asks for (VACUUM INTO and ATTACH make files). */
void sl_store_only_read(struct sl_store *st);

/*
 * Rows on their way into a table.  column() gives column col of row `row` by one sqlite3_result_*() call, or none for
 * NULL; what it points to must stay until the insert returns.
 */
struct sl_row_source {
    size_t n;
    const void *of;
    void (*column)(const void *of, size_t row, int col, sqlite3_context *out);
};
/*
 * Runs `sql`, an INSERT ... SELECT c0, c1, ... FROM sl_rows (up to c8), over rows.  A virtual table feeds SQLite 2.5
 * times as fast as binding and stepping row by row.
 */
int sl_store_insert(struct sl_store *st, const char *sql, const struct sl_row_source *rows, struct sl_err *err);

/* Fills err: `what` of a row of a table is something that no import writes. */
int sl_store_damaged(struct sl_store *st, const char *table, const char *row, const char *what, struct sl_err *err);

/* Was a statement of this thread ended by a failure?  From then on nothing that may follow from it ends well. */
int sl_store_failed(const char *path, struct sl_err *err);
void sl_store_forgive(void); /* it was of another database, or another question begins */
/* errno behind this error of SQLite's, as it was seen when the system said so; 0: it was not. */
int sl_store_errno(int primary);

/* Fills err from the connection's last error: what the store was doing, and what to do about it. */
int sl_store_err(struct sl_store *st, const char *doing, struct sl_err *err);

#endif
