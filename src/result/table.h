/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands between a question and its printing: tables, whose columns have a name, a type and a unit.  A question
 * (states.h, durations.h, ...) fills in a result, a renderer (show/, and what comes beside it) goes through its tables
 * row by row.  A table lies in memory, or comes from a query as it is read, so that results of any size pass through.
 */
#ifndef SL_RESULT_TABLE_H
#define SL_RESULT_TABLE_H

#include "base/err.h"
#include "base/mem.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

struct sl_store;

enum sl_column_type { SL_COLUMN_ANY, SL_COLUMN_TEXT, SL_COLUMN_INTEGER, SL_COLUMN_REAL };

struct sl_column {
    const char *name;
    enum sl_column_type type;
    const char *unit; /* "ns" (since the epoch, where the name ends in _ns), "s", "spans", ...; NULL: none */
};

/* How many an array of them has. */
#define SL_COLUMNS(a) ((int)(sizeof(a) / sizeof *(a)))

struct sl_cell {
    int type; /* SQLITE_NULL, SQLITE_INTEGER, SQLITE_FLOAT or SQLITE_TEXT */
    uint32_t n;
    union {
        int64_t i;
        double d;
        const char *s; /* NUL-terminated, n bytes */
    };
};

struct sl_table {
    const char *name; /* "states": borrowed, as are the columns */
    const struct sl_column *column;
    int columns;
    sqlite3_stmt *query; /* whose rows they are; NULL: they are in memory */
    sqlite3 *db;         /* of query, for errors */
    const char *origin;  /* what these begin with, such as the store's path; NULL: the name */
    SL_VEC(struct sl_cell) cell;
    struct sl_arena text;
    size_t rows; /* in memory */
    size_t at;   /* rows read so far: the row at hand is the one before */
    bool ended;
    struct sl_column *own; /* of a query that nobody describes: what it says of its columns */
};

struct sl_result {
    SL_VEC(struct sl_table *) table; /* the first is what csv, tsv and json have */
    bool whole;                      /* json has all of them, in an object by their names */
};

/* A table in memory, empty; the result's.  name and column[0..columns) are borrowed. */
struct sl_table *sl_result_table(struct sl_result *r, const char *name, const struct sl_column *column, int columns);
/*
 * A table of what q yields.  Takes q, and finalizes it.  column describes the first columns of q, further ones are not
 * shown; NULL: all of them, by the names that q has.
 */
struct sl_table *sl_result_query(struct sl_result *r, const char *name, const struct sl_column *column, int columns,
                                 sqlite3_stmt *q);
/* The same of what sql yields from st, which stays open meanwhile; errors begin with its path.  NULL: err is filled. */
struct sl_table *sl_result_sql(struct sl_result *r, struct sl_store *st, const char *name,
                               const struct sl_column *column, int columns, const char *sql, struct sl_err *err);
/* The table of this name, NULL: there is none. */
struct sl_table *sl_result_find(const struct sl_result *r, const char *name);
/*
 * For SQL: temporary tables of st with the rows of r's tables, PREFIX_NAME, and the table of the name PREFIX itself.
 */
int sl_result_temporary(const struct sl_result *r, struct sl_store *st, const char *prefix, struct sl_err *err);
void sl_result_free(struct sl_result *r);

/* ---- filling a table in memory: a row, whose cells are NULL, then its cells in any order ---- */

void sl_table_add(struct sl_table *t);
void sl_table_put_int(struct sl_table *t, int column, int64_t i);
void sl_table_put_real(struct sl_table *t, int column, double d); /* NaN: NULL */
/* Copies s; NULL: NULL. */
void sl_table_put_text(struct sl_table *t, int column, const char *s);

/* ---- reading: next() until it gives no row; then cells of the row at hand ---- */

/* 1: a row; 0: no more; negative: failed, err filled. */
int sl_table_next(struct sl_table *t, struct sl_err *err);
/* Begins again at the first row. */
void sl_table_rewind(struct sl_table *t);
/* SQLITE_NULL, SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_TEXT or SQLITE_BLOB. */
int sl_table_type(const struct sl_table *t, int column);
bool sl_table_is_null(const struct sl_table *t, int column);
int64_t sl_table_int(const struct sl_table *t, int column);
double sl_table_real(const struct sl_table *t, int column);
double sl_table_real_or_nan(const struct sl_table *t, int column); /* NaN for NULL */
/* Borrowed until the next row; NULL for NULL.  Numbers of queries are texts, too; those in memory are not.  *n: bytes,
 * may be NULL. */
const char *sl_table_text(const struct sl_table *t, int column, size_t *n);
/* "" for NULL. */
const char *sl_table_text_or_empty(const struct sl_table *t, int column);

#endif
