/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of traced programs, or of some spans, one row each, callers before what they call. */
#include "analyse/calls/innermost.h"
#include "analyse/ext.h"
#include "analyse/load/fast_rows.h"
#include "analyse/sqlfn/sqlfn.h"

#include <stdlib.h>

/* clang-format off */
#define CALL_TIMES(COLUMN, row) \
    COLUMN(row, INTEGER, span, NULL, NULL) \
    COLUMN(row, INTEGER, caller, NULL, "NULL: nothing called it. What a process that a call started calls first, that call has called") \
    COLUMN(row, INTEGER, thread, NULL, "the span of the thread") \
    COLUMN(row, INTEGER, process, NULL, "the span of the process") \
    COLUMN(row, TEXT, name, NULL, "of the function") \
    COLUMN(row, INTEGER, begin_ns, "ns", "when it began") \
    COLUMN(row, INTEGER, end_ns, "ns", "when it ended; where nothing says, until when it counts") \
    COLUMN(row, INTEGER, unfinished, NULL, "1: it has no end, or no begin") \
    COLUMN(row, REAL, own_s, "s", "in which it was the innermost: what it called was not running, on any thread and in any process, nor a thread that lies in it as a whole") \
    COLUMN(row, REAL, share_s, "s", "the same, each divided by how many calls were so then: over all calls, the time in which any ran") \
    COLUMN(row, REAL, alone_s, "s", "of these, in which no other call was") \
    COLUMN(row, INTEGER, at_once, "calls", "of all that were the innermost at once, at most")
/* clang-format on */
SL_ROW(call_times, CALL_TIMES);

static const struct sl_column args[] = {
    {"within", SL_COLUMN_ANY, NULL, "the id of a span, or a JSON list of such; NULL: all", 0},
};

typedef SL_VEC(int64_t) ids;

struct state {
    struct sl_table_rows rows;
    struct sl_calls calls;
    struct sl_innermost innermost;
    struct call_times row;
};

static void end_calls(void *state)
{
    struct state *s = state;

    sl_innermost_free(&s->innermost);
    sl_calls_free(&s->calls);
}

static int find_within(ids *out, const struct sl_call *call, struct sl_err *err)
{
    int kind = call->arg[0] ? sqlite3_value_type(call->arg[0]) : SQLITE_NULL, rc;
    sqlite3_stmt *q;

    if (kind == SQLITE_NULL)
        return 0;
    if (kind != SQLITE_INTEGER && kind != SQLITE_TEXT)
        return sl_err(err, SL_EUSAGE, "the argument is the id of a span, a JSON list of such, or NULL for all");
    if (sqlite3_prepare_v2(call->db, "SELECT value FROM json_each(?1) WHERE typeof(value) = 'integer'", -1, &q, NULL))
        return sl_query_err(call->db, err);
    sqlite3_bind_text(q, 1, (const char *)sqlite3_value_text(call->arg[0]), -1, SQLITE_TRANSIENT);
    while ((rc = sqlite3_step(q)) == SQLITE_ROW)
        *sl_vec_add(out) = sqlite3_column_int64(q, 0);
    sqlite3_finalize(q);
    if (rc == SQLITE_DONE)
        return 0;
    sl_vec_free(out);
    return sl_err(err, SL_EUSAGE, "the argument is the id of a span, a JSON list of such, or NULL for all");
}

static int start_calls(void *state, const struct sl_call *call, struct sl_err *err)
{
    struct state *s = state;
    struct sl_calls_want want = {0};
    ids within = {0};
    int rc;

    end_calls(s);
    s->rows = (struct sl_table_rows){0};
    if ((rc = find_within(&within, call, err)))
        return rc;
    want.within = within.v;
    want.nwithin = within.n;
    if (!call->arg[0] || sqlite3_value_type(call->arg[0]) == SQLITE_NULL || within.n)
        rc = sl_calls_load(&s->calls, call->db, &want, err);
    if (!rc) {
        sl_innermost_find(&s->innermost, &s->calls);
        s->rows.n = s->calls.n;
    }
    sl_vec_free(&within);
    return rc;
}

static int64_t id_of(const struct sl_calls *c, uint32_t index)
{
    return index != SL_NO_INDEX ? c->g.id.v[index] : SL_NULL_INTEGER;
}

static const void *get_call(void *state)
{
    struct state *s = state;
    const struct sl_calls *c = &s->calls;
    size_t i = s->rows.at;
    uint32_t thread = c->g.parent[c->span[i]];

    s->row = (struct call_times){
        .span = id_of(c, c->span[i]),
        .caller = id_of(c, c->caller[i] == SL_NO_INDEX ? SL_NO_INDEX : c->span[c->caller[i]]),
        .thread = id_of(c, thread),
        .process = id_of(c, thread == SL_NO_INDEX ? thread : c->g.parent[thread]),
        .name = sl_intern_text(&c->names, c->name[i]),
        .begin_ns = c->begin_ns[i],
        .end_ns = c->end_ns[i],
        .unfinished = (c->flags[i] & SL_CALL_UNFINISHED) != 0,
        .own_s = (double)s->innermost.own_ns[i] / 1e9,
        .share_s = s->innermost.share_ns[i] / 1e9,
        .alone_s = (double)s->innermost.alone_ns[i] / 1e9,
        .at_once = s->innermost.most,
    };
    return &s->row;
}

const struct sl_table_fn sl_fn_call_times = {
    .name = "call_times",
    .about = "the calls of traced programs, and when each was the innermost",
    .row = &call_times_columns,
    .arg = args,
    .args = 1,
    .usage = "call_times() or call_times(12)",
    .hidden = 1,
    .rows = 100000,
    .state_bytes = sizeof(struct state),
    .start = start_calls,
    .get = get_call,
    .end = end_calls,
};
