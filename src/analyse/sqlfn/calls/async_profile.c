/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asynchronous spans of traced programs (type trace.async: coroutines, what is queued in an executor, requests), one
 * row a name, what waited longest first.
 */
#include "analyse/ext.h"
#include "analyse/sqlfn/sqlfn.h"
#include "base/buf.h"
#include "calls_async_profile.sql.h"

/* clang-format off */
#define ASYNC_PROFILE(COLUMN, row) \
    COLUMN(row, TEXT, name, NULL, "of the spans") \
    COLUMN(row, INTEGER, spans, "spans", NULL) \
    COLUMN(row, INTEGER, unfinished, "spans", "that have no end, or no begin, of these") \
    COLUMN(row, REAL, total_s, "s", "from begin to end, of finished ones") \
    COLUMN(row, REAL, ran_s, "s", "in calls that have its id as argument id, of this; NULL where none has such a call") \
    COLUMN(row, REAL, waited_s, "s", "the rest") \
    COLUMN(row, REAL, mean_s, "s", "of finished ones") \
    COLUMN(row, REAL, max_s, "s", "of finished ones")
/* clang-format on */
SL_ROW(async_profile, ASYNC_PROFILE);

static const struct sl_column args[] = {
    {"within", SL_COLUMN_ANY, NULL, "the id of a span, or a JSON list of such, to which they belong; NULL: all", 0},
};

static int fill_async(struct sl_rows *out, const struct sl_call *call, struct sl_err *err)
{
    int kind = call->arg[0] ? sqlite3_value_type(call->arg[0]) : SQLITE_NULL, rc;
    struct sl_buf sql = {0};
    sqlite3_stmt *q;

    if (kind != SQLITE_NULL && kind != SQLITE_INTEGER && kind != SQLITE_TEXT)
        return sl_err(err, SL_EUSAGE, "the argument is the id of a span, a JSON list of such, or NULL for all");
    sl_buf_addf(&sql, "%s%s", kind == SQLITE_NULL ? sql_of_all : sql_of_these, sql_rows);
    rc = sqlite3_prepare_v2(call->db, sql.s, (int)sql.n, &q, NULL);
    sl_buf_free(&sql);
    if (!rc && kind != SQLITE_NULL)
        sqlite3_bind_text(q, 1, (const char *)sqlite3_value_text(call->arg[0]), -1, SQLITE_TRANSIENT);
    while (!rc && (rc = sqlite3_step(q)) == SQLITE_ROW) {
        struct async_profile *x = sl_rows_add(out);
        sl_row_of_query(out->columns, x, q);
        x->name = sl_rows_text(out, x->name);
        rc = SQLITE_OK;
    }
    sqlite3_finalize(q);
    return rc == SQLITE_DONE ? 0 : sl_err(err, SL_ESTORE, "%s", sl_sqlite_words(call->db));
}

const struct sl_table_fn sl_fn_async_profile = {
    .name = "async_profile",
    .about = "what waited, and what ran, of asynchronous spans",
    .row = &async_profile_columns,
    .arg = args,
    .args = 1,
    .usage = "async_profile() or async_profile(SPAN)",
    .rows = 100,
    .fill = fill_async,
};
