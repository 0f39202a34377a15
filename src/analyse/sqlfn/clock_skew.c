/* SPDX-License-Identifier: Apache-2.0 */
/* One row for each source that takes part in handovers (analyse/clock_offsets.h). */
#include "analyse/clock_offsets.h"
#include "analyse/ext.h"
#include "analyse/sqlfn/sqlfn.h"

#include <math.h>
#include <stdlib.h>

/* clang-format off */
#define CLOCK_SKEW(COLUMN, row) \
    COLUMN(row, INTEGER, source, NULL, "of the log") \
    COLUMN(row, TEXT, path, NULL, "of the log") \
    COLUMN(row, INTEGER, reference, NULL, "the source whose clock is taken for right") \
    COLUMN(row, INTEGER, pairs, "handovers", "to and from it") \
    COLUMN(row, INTEGER, backwards, "handovers", "that end before they begin") \
    COLUMN(row, REAL, lower_s, "s", "what is to be added to its times, at least; NULL: no handover says") \
    COLUMN(row, REAL, upper_s, "s", "the same, at most") \
    COLUMN(row, REAL, offset_s, "s", "the estimate: what is nearest to 0 within these bounds") \
    COLUMN(row, INTEGER, offset_ns, "ns", "the same") \
    COLUMN(row, REAL, relaxed_s, "s", "by how much handovers contradict each other (clocks that drift or were set); 0: they do not")
/* clang-format on */
SL_ROW(clock_skew, CLOCK_SKEW);

static int fill_skew(struct sl_rows *out, const struct sl_call *call, struct sl_err *err)
{
    struct sl_clock *v = NULL;
    sqlite3_stmt *path;
    size_t n = 0;
    int rc;

    if (sqlite3_prepare_v2(call->db, "SELECT path FROM sl_source WHERE id = ?1", -1, &path, NULL) != SQLITE_OK)
        return sl_err(err, SL_ENOTFOUND, "this database is not a Spanloom store (%s)", sl_sqlite_words(call->db));
    rc = sl_skew_estimate(&v, &n, call->db, err);
    for (size_t i = 0; i < n && !rc; i++) {
        struct clock_skew *x = sl_rows_add(out);
        const struct sl_clock *c = &v[i];
        x->source = c->source;
        sqlite3_bind_int64(path, 1, c->source);
        if (sqlite3_step(path) == SQLITE_ROW)
            x->path = sl_rows_text(out, (const char *)sqlite3_column_text(path, 0));
        sqlite3_reset(path);
        x->reference = c->reference;
        x->pairs = (int64_t)c->pairs;
        x->backwards = (int64_t)c->backwards;
        x->lower_s = c->has_lower ? (double)c->lower_ns / 1e9 : NAN;
        x->upper_s = c->has_upper ? (double)c->upper_ns / 1e9 : NAN;
        x->offset_s = (double)c->offset_ns / 1e9;
        x->offset_ns = c->offset_ns;
        x->relaxed_s = (double)c->relaxed_ns / 1e9;
    }
    free(v);
    sqlite3_finalize(path);
    return rc;
}

const struct sl_table_fn sl_fn_clock_skew = {
    .name = "clock_skew",
    .about = "how far the clocks are off by which logs were written",
    .row = &clock_skew_columns,
    .usage = "clock_skew()",
    .rows = 100,
    .fill = fill_skew,
};
