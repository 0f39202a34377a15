/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Table functions: what all have in common.  A function is a struct sl_table_fn, sl_fn_NAME, and a line in the list of
 * sqlfn.h.  Most have their columns, their arguments, and fill(), which makes all rows of a call:
 *
 *     #define SLACK(COLUMN, row) COLUMN(row, INTEGER, span, NULL, "the task's id") ...
 *     SL_ROW(slack, SLACK);
 *
 *     static int fill_slack(struct sl_rows *out, const struct sl_call *call, struct sl_err *err) { ... }
 *
 *     const struct sl_table_fn sl_fn_slack = {.name = "slack", .row = &slack_columns, .fill = fill_slack, ...};
 *
 * One whose rows are what a statement yields has .sql instead; one that has too many rows to hold, start(), at_end(),
 * next() and get().
 */
#ifndef SL_ANALYSE_SQLFN_TABLE_FUNCTION_H
#define SL_ANALYSE_SQLFN_TABLE_FUNCTION_H

#include "base/err.h"
#include "base/rows.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SL_TABLE_ARGS = 8, SL_TABLE_BOUNDS = 4 };

/* One call of a table function. */
struct sl_call {
    sqlite3 *db;
    sqlite3_value **arg; /* arg[i] is NULL where it is not given */
    int64_t min, max;    /* what the query wants of the column `bounded`, ends included; a row beyond them is wasted */
    uint64_t used;       /* columns that the query reads: sl_call_uses() */
    const void *pointer; /* what the program itself bound to the last argument; NULL: nothing */
    const void *what;    /* as of the function */
};

/* Does the query read this member of struct ROW?  One that is dear is left NULL where it does not. */
#define sl_call_uses(call, row, member) sl_call_uses_at(call, &row##_columns, offsetof(struct row, member))
bool sl_call_uses_at(const struct sl_call *call, const struct sl_columns *columns, size_t offset);

/* Functions that make all rows in start() put this first into their state, and need neither at_end() nor next(). */
struct sl_table_rows {
    size_t at, n; /* the row at hand, of how many; start() sets both */
};

struct sl_table_fn {
    const char *name;
    const char *about;            /* what it tells, in a line, for the reference */
    const struct sl_columns *row; /* its columns; the last `hidden` of them come only when they are named */
    int hidden;
    const struct sl_column *arg; /* its arguments */
    int args, needed;            /* how many; so many of them must be given */
    const char *pointer; /* the last argument is a pointer of this type, for the program itself; NULL: it is none */
    const void *what;    /* for fill(): which of several functions that share it is called */
    const char *usage;   /* "event_sequences('parsl.monitoring.task')": shown when they are not */
    double rows;         /* a guess, for SQLite's planner; 0: 1000 */
    int bounded;         /* a visible column of integers, plus 1, whose =, <, <=, > and >= reach start(); 0: none */

    /* Where SQL says it all: what yields these columns; ?1, ?2, ... are the arguments. */
    const char *sql;

    /* Else all rows of a call, into out, which has none. */
    int (*fill)(struct sl_rows *out, const struct sl_call *call, struct sl_err *err);

    /* ---- without both: */
    size_t state_bytes;

    /*
     * Begins a call at its first row.  state is zero at first; a join calls again and again with what the last call
     * left, and the store does not change in between.  call->arg stays until the next.
     */
    int (*start)(void *state, const struct sl_call *call, struct sl_err *err);
    bool (*at_end)(const void *state);            /* NULL: as struct sl_table_rows says */
    int (*next)(void *state, struct sl_err *err); /* NULL: so */
    /* The row at hand, of the structure that `row` describes; asked for once, good until the next row. */
    const void *(*get)(void *state);
    /*
     * A number of the row that is the same whatever the query wants of `bounded`, and of no other row: outer joins know
     * rows again by it.  NULL: rows are counted, which is right where nothing is bounded.
     */
    int64_t (*rowid)(const void *state);
    /*
     * Asked when a query has ended: whether its state goes to the next one, which must see for itself whether the store
     * is the same still.  NULL: it never does.
     */
    bool (*keep)(void *state);
    void (*end)(void *state); /* frees what all calls made, also when they failed */
};

/* How many arguments a query may give: not the pointer. */
int sl_table_args(const struct sl_table_fn *fn);

/* What a column yields, for a cursor of one's own. */
void sl_column_result(const struct sl_column *c, const void *row, sqlite3_context *out);

/* The values of a query into a row; texts are borrowed until its next step. */
void sl_row_of_query(const struct sl_columns *columns, void *row, sqlite3_stmt *q);

/* fn must stay.  An SQLite result code. */
int sl_table_register(sqlite3 *db, const struct sl_table_fn *fn);

#endif
