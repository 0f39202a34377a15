/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock_skew(): how far the clocks are off by which sources wrote their times (analyse/skew.h).  One row for each
 * source that takes part in handovers.
 *
 *   source, path          of the log
 *   reference             the source whose clock is taken for right
 *   pairs, backwards      handovers to and from it, and how many of them end before they begin
 *   lower_s, upper_s      bounds of what is to be added to its times, seconds; NULL: there is none
 *   offset_s, offset_ns   the estimate: what is nearest to 0 within the bounds
 *   relaxed_s             handovers contradict each other by so much (clocks that drift or were set); 0: they do not
 *
 *     CREATE TEMP TABLE sl_skew AS SELECT source, offset_ns FROM clock_skew();   -- analyses use it from now on
 */
#include "analyse/ext.h"
#include "analyse/skew.h"
#include "analyse/sqlfn/sqlfn.h"
#include "analyse/sqlfn/table.h"

#include <stdlib.h>

enum { SOURCE, PATH, REFERENCE, PAIRS, BACKWARDS, LOWER_S, UPPER_S, OFFSET_S, OFFSET_NS, RELAXED_S, COLUMNS };

struct state {
    struct sl_table_rows rows;
    struct sl_clock *v;
    sqlite3_stmt *path;
};

static void end(void *state)
{
    struct state *s = state;

    free(s->v);
    sqlite3_finalize(s->path);
    *s = (struct state){0};
}

static int start(void *state, const struct sl_call *call, struct sl_err *err)
{
    struct state *s = state;

    end(s);
    if (sqlite3_prepare_v2(call->db, "SELECT path FROM sl_source WHERE id = ?1", -1, &s->path, NULL) != SQLITE_OK)
        return sl_err(err, SL_ENOTFOUND, "this database is not a Spanloom store (%s)", sl_sqlite_words(call->db));
    return sl_skew_estimate(&s->v, &s->rows.n, call->db, err);
}

static void path_of(const struct state *s, sqlite3_context *out, int64_t source)
{
    sqlite3_bind_int64(s->path, 1, source);
    if (sqlite3_step(s->path) == SQLITE_ROW)
        sqlite3_result_value(out, sqlite3_column_value(s->path, 0));
    sqlite3_reset(s->path);
}

static void column(const void *state, sqlite3_context *out, int col)
{
    const struct state *s = state;
    const struct sl_clock *c = &s->v[s->rows.at];

    switch (col) {
    case SOURCE: sqlite3_result_int64(out, c->source); break;
    case PATH: path_of(s, out, c->source); break;
    case REFERENCE: sqlite3_result_int64(out, c->reference); break;
    case PAIRS: sqlite3_result_int64(out, (sqlite3_int64)c->pairs); break;
    case BACKWARDS: sqlite3_result_int64(out, (sqlite3_int64)c->backwards); break;
    case LOWER_S:
        if (c->has_lower)
            sqlite3_result_double(out, (double)c->lower_ns / 1e9);
        break;
    case UPPER_S:
        if (c->has_upper)
            sqlite3_result_double(out, (double)c->upper_ns / 1e9);
        break;
    case OFFSET_S: sqlite3_result_double(out, (double)c->offset_ns / 1e9); break;
    case OFFSET_NS: sqlite3_result_int64(out, c->offset_ns); break;
    default: sqlite3_result_double(out, (double)c->relaxed_ns / 1e9);
    }
}

const struct sl_table_fn sl_fn_clock_skew = {
    .name = "clock_skew",
    .schema = "CREATE TABLE x(source INTEGER, path TEXT, reference INTEGER, pairs INTEGER, backwards INTEGER, "
              "lower_s REAL, upper_s REAL, offset_s REAL, offset_ns INTEGER, relaxed_s REAL)",
    .columns = COLUMNS,
    .usage = "clock_skew()",
    .rows = 100,
    .state_bytes = sizeof(struct state),
    .start = start,
    .column = column,
    .end = end,
};
