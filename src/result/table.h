/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands between a question and its printing: tables, whose columns have a name, a type and a unit.  A question
 * (states.h, durations.h, ...) fills in a result, a renderer (show/, and what comes beside it) goes through its tables
 * row by row.  A table lies in memory, or comes from a query as it is read, so that results of any size pass through.
 *
 * Columns are listed once (SL_ROW() of base/rows.h); whoever fills a table or reads it has rows as structures:
 *
 *     struct bin *x = sl_table_add(sl_result_rows(r, "bins", &bin_columns));
 *     x->events = 7;
 *     for (const struct bin *b; (b = sl_table_row(t, &err));)
 *         printf("%g\n", b->events);
 */
#ifndef SL_RESULT_TABLE_H
#define SL_RESULT_TABLE_H

#include "base/err.h"
#include "base/rows.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

struct sl_store;

/* How many an array of them has. */
#define SL_COLUMNS(a) ((int)(sizeof(a) / sizeof *(a)))

struct sl_table {
    const char *name; /* "states": borrowed, as are the columns */
    const struct sl_column *column;
    int columns;
    sqlite3_stmt *query;   /* whose rows they are; NULL: they are in memory */
    sqlite3 *db;           /* of query, for errors */
    const char *origin;    /* what these begin with, such as the store's path; NULL: the name */
    struct sl_rows memory; /* the rows; of a query the one at hand, where it is read as a structure */
    size_t rows;           /* in memory */
    size_t at;             /* rows read so far: the row at hand is the one before */
    bool ended;
    struct sl_column *own;    /* columns that are not of a list: of a query that nobody describes, or of other names */
    struct sl_columns layout; /* of rows of such columns */
};

struct sl_result {
    SL_VEC(struct sl_table *) table; /* the first is what csv, tsv and json have */
    bool whole;                      /* json has all of them, in an object by their names */
};

/* A table in memory, empty; the result's.  name and columns are borrowed. */
struct sl_table *sl_result_rows(struct sl_result *r, const char *name, const struct sl_columns *columns);
/* The same of what q yields, whose columns are these in this order.  Takes q, and finalizes it. */
struct sl_table *sl_result_query_rows(struct sl_result *r, const char *name, const struct sl_columns *columns,
                                      sqlite3_stmt *q);
/* A table whose columns are not of a list: its rows have cells, by number.  column[0..columns) are borrowed. */
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

void *sl_table_add(struct sl_table *t); /* the structure; good until the next */
/* A copy of s that the table owns, for a member; NULL for NULL. */
const char *sl_table_keep(struct sl_table *t, const char *s);
void sl_table_put_null(struct sl_table *t, int column);
void sl_table_put_int(struct sl_table *t, int column, int64_t i);
void sl_table_put_real(struct sl_table *t, int column, double d); /* NaN: NULL */
/* Copies s; NULL: NULL. */
void sl_table_put_text(struct sl_table *t, int column, const char *s);

/* ---- reading: next() until it gives no row; then cells of the row at hand ---- */

/* 1: a row; 0: no more; negative: failed, err filled. */
int sl_table_next(struct sl_table *t, struct sl_err *err);
/* The next row as a structure; NULL: no more, or failed (err->code is negative).  Texts of queries: until the next. */
const void *sl_table_row(struct sl_table *t, struct sl_err *err);
/* The row at hand, which sl_table_next() or sl_table_row() has read; in memory also any other, from 0. */
const void *sl_table_here(struct sl_table *t);
const void *sl_table_at(const struct sl_table *t, size_t i);
/* The number of the column of this name; negative: there is none. */
int sl_table_column(const struct sl_table *t, const char *name);
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
