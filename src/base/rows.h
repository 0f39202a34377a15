/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows, whose columns are listed once: a list is a macro, of which SL_ROW() makes a C structure, whose members have the
 * columns' names, and the table that describes them.  SQL functions, results and printing go by that table; code that
 * makes or shows rows goes by the members.
 *
 *     #define SLACK(COLUMN, row) \
 *         COLUMN(row, INTEGER, span, NULL, "the task's id") \
 *         COLUMN(row, REAL, slack_s, "s", "how much later it could have been done")
 *     SL_ROW(slack, SLACK);
 *
 *     struct slack *x = sl_rows_add(&rows);
 *     x->span = 7;
 *
 * INTEGER is int64_t, REAL double, TEXT const char *, ANY struct sl_cell.
 */
#ifndef SL_BASE_ROWS_H
#define SL_BASE_ROWS_H

#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sl_column_type { SL_COLUMN_ANY, SL_COLUMN_TEXT, SL_COLUMN_INTEGER, SL_COLUMN_REAL };

/* NULL of an INTEGER, a number that nobody uses (damaged logs do have INT64_MIN); of a REAL it is NaN, of a TEXT NULL,
 * of ANY all zero. */
#define SL_NULL_INTEGER (INT64_MIN + 0x6e756c6c)

struct sl_column {
    const char *name;
    enum sl_column_type type;
    const char *unit;    /* "ns" (since the epoch, where the name ends in _ns), "s", "spans", ...; NULL: none */
    const char *meaning; /* for the reference; NULL: the name says it */
    size_t offset;       /* of the member, in bytes */
};

struct sl_columns {
    const struct sl_column *v;
    int n;
    size_t bytes; /* of the structure */
};

/* A value whose type is its own. */
enum { SL_CELL_INTEGER = 1, SL_CELL_REAL = 2, SL_CELL_TEXT = 3 }; /* as SQLITE_INTEGER and so on */
struct sl_cell {
    int type;   /* 0: NULL */
    uint32_t n; /* bytes of a text */
    union {
        int64_t i;
        double d;
        const char *s; /* NUL-terminated */
    };
};

#define SL_MEMBER_ANY struct sl_cell
#define SL_MEMBER_TEXT const char *
#define SL_MEMBER_INTEGER int64_t
#define SL_MEMBER_REAL double
#define SL_ROW_MEMBER(row, type, name, unit, meaning) SL_MEMBER_##type name;
#define SL_ROW_COLUMN(row, type, name, unit, meaning)                                                                  \
    {#name, SL_COLUMN_##type, unit, meaning, offsetof(struct row, name)},
/* struct ROW, and its columns as ROW_columns (struct sl_columns); in a header, too. */
#define SL_ROW(row, LIST)                                                                                              \
    struct row {                                                                                                       \
        LIST(SL_ROW_MEMBER, row)                                                                                       \
    };                                                                                                                 \
    static const struct sl_column row##_column[] __attribute__((unused)) = {LIST(SL_ROW_COLUMN, row)};                 \
    static const struct sl_columns row##_columns                                                                       \
        __attribute__((unused)) = {row##_column, sizeof row##_column / sizeof *row##_column, sizeof(struct row)}

/* Rows one behind the other, and the texts that they own.  Zero but for `columns` at first. */
struct sl_rows {
    const struct sl_columns *columns;
    char *v;
    size_t n, cap;
    struct sl_arena text;
};

/* A row of NULLs at the end; good until the next. */
void *sl_rows_add(struct sl_rows *r);
void *sl_rows_at(const struct sl_rows *r, size_t i);
/* A copy of s that lives as long as the rows; NULL for NULL. */
const char *sl_rows_text(struct sl_rows *r, const char *s);
/* The same of a value. */
struct sl_cell sl_rows_own(struct sl_rows *r, struct sl_cell value);
/* The rows of r, whose columns are the same, and their texts, behind those of out. */
void sl_rows_copy(struct sl_rows *out, const struct sl_rows *r);
/* By key(row), ascending or descending; where it is NaN last, where it is the same as they were. */
void sl_rows_sort(struct sl_rows *r, double (*key)(const void *row), bool descending);
/* No rows; memory is kept. */
void sl_rows_clear(struct sl_rows *r);
void sl_rows_free(struct sl_rows *r);
/* All of a row NULL. */
void sl_row_clear(const struct sl_columns *columns, void *row);

#endif
