/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What states, rate, utilisation and durations share: a question about spans or events over time, in bins, of all runs
 * or one, or about what a query of the user yields.
 */
#ifndef SL_RESULT_OVER_TIME_OVER_TIME_H
#define SL_RESULT_OVER_TIME_OVER_TIME_H

#include "result/table.h"
#include "store/store.h"

struct sl_over_time {
    struct sl_store *st;
    const char *about; /* ?1 of statements: a type of spans, an event; NULL: none */
    double bin_s;      /* ?2; 0: not given */
    int bins;          /* ?2 then: about how many; 0: NULL */
    int64_t within;    /* ?3, a span; 0: all */
    const char *sql;   /* the user's query instead (sl_sql_bare()); NULL: none */
    const char *by;    /* one row, or what there is, for each of these (analyse/groups.h); NULL: all together */
    bool summary;      /* tables for people, too */
};

/* sql with the word of q->by in the place of BY_WORD; to be freed. */
char *sl_over_time_by(const char *sql, const char *by);
/* What such a query yields as a table; one for people, `groups`, is for sl_show_groups() (show/show.h). */
int sl_over_time_grouped(struct sl_result *r, const struct sl_over_time *q, const char *name, const char *sql,
                         struct sl_err *err);

/* A table in memory whose first column is called by the word: one before these (before), or the first of them. */
struct sl_table *sl_over_time_named(struct sl_result *r, const struct sl_over_time *q, const char *name,
                                    const struct sl_column *column, int columns, bool before);

/* The query without what ends it, so that it can stand inside of ours; to be freed.  NULL for NULL. */
char *sl_sql_bare(const char *sql);

/* Sets bin_s where it is not given: about `bins` of them from first_ns to last_ns, which `range` yields.  1: no row. */
int sl_over_time_bin(struct sl_over_time *q, const char *range, int bins, struct sl_err *err);

/* The statement with ?1 to ?3 bound. */
sqlite3_stmt *sl_over_time_prepare(const struct sl_over_time *q, const char *sql, struct sl_err *err);

/* All rows of the user's query, or of `sql`, whose columns these are, as a table of r.  0, or negative. */
int sl_over_time_rows(struct sl_result *r, const struct sl_over_time *q, const char *name, const char *sql,
                      const struct sl_column *column, int columns, struct sl_err *err);

/*
 * The user's query: columns by these names, NULL-ended, in this order; those that begin with ? may be missing, and are
 * NULL then.  order: by which to sort, or NULL.  All but `state` are numbers: what is none is an error.
 */
sqlite3_stmt *sl_over_time_user(const struct sl_over_time *q, const char *const *columns, const char *order,
                                struct sl_err *err);
/* In SQL from now on, sl_number(x, name): x where it is a number or NULL; else an error that names the column. */
void sl_over_time_number(sqlite3 *db);
/* Has the user's query a column?  NULL: can it be run at all? */
bool sl_over_time_has(const struct sl_over_time *q, const char *column);

#endif
