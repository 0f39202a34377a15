/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_times([within]): the calls of traced programs, or of those spans (an id, or a JSON list of such), one row each,
 * callers before what they call:
 *
 *   span, caller      spans; caller is NULL where nothing called it.  What a process that a call started calls first,
 * that call has called thread, process   spans name              of the function begin_ns, end_ns unfinished        1:
 * it has no end, or no begin; end_ns is until when it counts own_s             seconds in which it was the innermost:
 * analyse/calls/innermost.h share_s           of these, each divided by how many calls were then alone_s           of
 * these, those in which no other call was
 *
 * and, hidden, at_once, how many calls of all were the innermost at once, at most.
 */
#include "analyse/calls/innermost.h"
#include "analyse/ext.h"
#include "analyse/load/rows.h"
#include "analyse/sqlfn/sqlfn.h"
#include "analyse/sqlfn/table.h"

#include <stdlib.h>

enum {
    SPAN,
    CALLER,
    THREAD,
    PROCESS,
    NAME,
    BEGIN_NS,
    END_NS,
    UNFINISHED,
    OWN_S,
    SHARE_S,
    ALONE_S,
    COLUMNS,
    AT_ONCE = COLUMNS
};

typedef SL_VEC(int64_t) ids;

struct state {
    struct sl_table_rows rows; /* the first, as table.h wants it */
    struct sl_calls calls;
    struct sl_innermost innermost;
};

static void end(void *state)
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

static int start(void *state, const struct sl_call *call, struct sl_err *err)
{
    struct state *s = state;
    struct sl_calls_want want = {0};
    ids within = {0};
    int rc;

    end(s);
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

static void put_span(const struct sl_calls *c, sqlite3_context *out, uint32_t index)
{
    if (index != SL_NO_INDEX)
        sqlite3_result_int64(out, c->g.id.v[index]);
}

static void column(const void *state, sqlite3_context *out, int col)
{
    const struct state *s = state;
    const struct sl_calls *c = &s->calls;
    size_t i = s->rows.at;
    uint32_t thread = c->g.parent[c->span[i]];

    switch (col) {
    case SPAN: put_span(c, out, c->span[i]); break;
    case CALLER: put_span(c, out, c->caller[i] == SL_NO_INDEX ? SL_NO_INDEX : c->span[c->caller[i]]); break;
    case THREAD: put_span(c, out, thread); break;
    case PROCESS: put_span(c, out, thread == SL_NO_INDEX ? thread : c->g.parent[thread]); break;
    case NAME: sqlite3_result_text(out, sl_intern_text(&c->names, c->name[i]), -1, SQLITE_TRANSIENT); break;
    case BEGIN_NS: sqlite3_result_int64(out, c->begin_ns[i]); break;
    case END_NS: sqlite3_result_int64(out, c->end_ns[i]); break;
    case UNFINISHED: sqlite3_result_int(out, (c->flags[i] & SL_CALL_UNFINISHED) != 0); break;
    case OWN_S: sqlite3_result_double(out, (double)s->innermost.own_ns[i] / 1e9); break;
    case SHARE_S: sqlite3_result_double(out, s->innermost.share_ns[i] / 1e9); break;
    case ALONE_S: sqlite3_result_double(out, (double)s->innermost.alone_ns[i] / 1e9); break;
    default: sqlite3_result_int64(out, s->innermost.most);
    }
}

const struct sl_table_fn sl_fn_call_times = {
    .name = "call_times",
    .schema =
        "CREATE TABLE x(span INTEGER, caller INTEGER, thread INTEGER, process INTEGER, name TEXT, begin_ns INTEGER, "
        "end_ns INTEGER, unfinished INTEGER, own_s REAL, share_s REAL, alone_s REAL, within HIDDEN, at_once INTEGER "
        "HIDDEN)",
    .columns = COLUMNS,
    .args = 1,
    .usage = "call_times() or call_times(12)",
    .rows = 100000,
    .state_bytes = sizeof(struct state),
    .start = start,
    .column = column,
    .end = end,
};
