/* SPDX-License-Identifier: Apache-2.0 */
#include "result/over_time/sequences_tables.h"
#include "over_time_sequences_tables.sql.h"
#include "result/over_time/over_time.h"

static const struct sl_column columns[] = {
    {"sequence", SL_COLUMN_INTEGER, NULL, NULL, 0}, {"count", SL_COLUMN_INTEGER, "spans", NULL, 0},
    {"position", SL_COLUMN_INTEGER, NULL, NULL, 0}, {"span_type", SL_COLUMN_TEXT, NULL, NULL, 0},
    {"event_type", SL_COLUMN_TEXT, NULL, NULL, 0},  {"mean_s", SL_COLUMN_REAL, "s", NULL, 0},
    {"min_s", SL_COLUMN_REAL, "s", NULL, 0},        {"max_s", SL_COLUMN_REAL, "s", NULL, 0},
    {"cumulative_s", SL_COLUMN_REAL, "s", NULL, 0}, {"orderings", SL_COLUMN_INTEGER, "orderings", NULL, 0},
    {"roots", SL_COLUMN_INTEGER, "spans", NULL, 0}, {"name", SL_COLUMN_TEXT, NULL, NULL, 0}};

static int add(struct sl_result *r, struct sl_store *st, const char *name, int n, const char *sql,
               const char *root_type, int64_t within, struct sl_err *err)
{
    struct sl_table *t = sl_result_sql(r, st, name, columns, n, sql, err);

    if (!t)
        return SL_ESTORE;
    sqlite3_bind_text(t->query, 1, root_type, -1, SQLITE_TRANSIENT);
    if (within)
        sqlite3_bind_int64(t->query, 2, within);
    return 0;
}

int sl_result_sequences(struct sl_result *r, struct sl_store *st, const char *root_type, int64_t within, const char *by,
                        bool all, struct sl_err *err)
{
    struct sl_over_time q = {.st = st, .about = root_type, .by = by};
    int rc =
        by ? sl_over_time_grouped(r, &q, "sequences", sql_grouped, err)
           : add(r, st, "sequences", SL_SEQUENCES_ORDERINGS, all ? sql_all : sql_most_common, root_type, within, err);

    if (!rc && by) {
        if (within)
            sqlite3_bind_int64(sl_result_find(r, "sequences")->query, 2, within);
        sqlite3_bind_int(sl_result_find(r, "sequences")->query, 4, all);
    }
    if (!rc)
        rc = add(r, st, "orderings", SL_SEQUENCES_COLUMNS, sql_orderings, root_type, within, err);
    if (!rc && by)
        sqlite3_bind_text(sl_result_find(r, "orderings")->query, 3, by, -1, SQLITE_TRANSIENT);
    return rc;
}

static int count_row(void *to, sqlite3_stmt *row, struct sl_err *err)
{
    (void)err;
    *(int64_t *)to = sqlite3_column_int64(row, 0);
    return 0;
}

static int64_t count(struct sl_store *st, const char *from, const char *where, const char *type, int64_t within)
{
    char *sql = sqlite3_mprintf(sql_left_out, from, where);
    int64_t n = 0;

    sl_store_each(st, sql, count_row, &n, NULL, within ? "ti" : "t", type, within);
    sqlite3_free(sql);
    return n;
}

/* Of a large run: mostly there are none of all, and then its spans need not be found. */
int64_t sl_result_left_out(struct sl_store *st, const char *type, int64_t within)
{
    char *sql = sqlite3_mprintf(sql_is_large, (long long)within);
    bool large = !within || sl_store_int(st, sql, 0);
    int64_t n = large ? count(st, sql_of_type, "", type, 0) : count(st, sql_of_run, "", type, within);

    sqlite3_free(sql);
    return n && large && within ? count(st, sql_of_type, sql_in_run, type, within) : n;
}
