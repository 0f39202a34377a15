/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_tree([within [, by]]): the calls of traced programs, one row a path of functions from the outermost down,
 * callers before what they call, among these the longest first.  A process that a call started goes on with the path of
 * that call.  The columns of call_profile(), and before them
 *
 *   node, parent   numbers of rows, 1, 2, ...; parent is NULL at roots
 *   depth          0 at roots
 *   path           names, with ; between them: `SELECT path, exclusive_s` is what flame graphs are made of.  Of the
 *                  names above the 100th, "..." is left
 *
 *     SELECT printf('%*s%s', 2 * depth, '', name), calls, inclusive_s FROM call_tree();
 */
#include "analyse/sqlfn/call_rows.h"
#include "analyse/sqlfn/sqlfn.h"
#include "base/buf.h"

enum { NODE, PARENT, DEPTH, PATH, OWN };
enum { LONGEST = 100 }; /* names in a path: all paths of a deep recursion would not fit anywhere */

static int start(void *state, const struct sl_call *call, struct sl_err *err)
{
    return call_rows_start(state, call, sl_profile_tree, err);
}

static void put_path(const struct call_rows *s, sqlite3_context *out)
{
    const struct sl_profile_row *v = s->profile.v;
    uint32_t above[LONGEST], n = 0, at = (uint32_t)s->rows.at;
    struct sl_buf b = {0};

    for (; at != SL_NO_INDEX && n < LONGEST; at = v[at].parent)
        above[n++] = at;
    if (at != SL_NO_INDEX)
        sl_buf_adds(&b, "...;");
    while (n--)
        sl_buf_addf(&b, "%s%s", sl_intern_text(&s->calls.names, v[above[n]].name), n ? ";" : "");
    sqlite3_result_text(out, b.s, (int)b.n, SQLITE_TRANSIENT);
    sl_buf_free(&b);
}

static void column(const void *state, sqlite3_context *out, int col)
{
    const struct call_rows *s = state;
    const struct sl_profile_row *r = &s->profile.v[s->rows.at];

    switch (col) {
    case NODE: sqlite3_result_int64(out, (sqlite3_int64)s->rows.at + 1); break;
    case PARENT:
        if (r->parent != SL_NO_INDEX)
            sqlite3_result_int64(out, (sqlite3_int64)r->parent + 1);
        break;
    case DEPTH: sqlite3_result_int64(out, r->depth); break;
    case PATH: put_path(s, out); break;
    default: call_rows_column(s, out, col - OWN);
    }
}

static void end(void *state)
{
    call_rows_end(state);
}

static const struct sl_table_fn fn = {
    .name = "call_tree",
    .schema = "CREATE TABLE x(node INTEGER, parent INTEGER, depth INTEGER, path TEXT, " CALL_ROWS_COLUMNS,
    .columns = OWN + CALL_ROWS_COLUMNS_N,
    .args = CALL_ROWS_ARGS,
    .pointer = SL_CALLS_SUMS,
    .usage = "call_tree() or call_tree(NULL, 'rank')",
    .rows = 1000,
    .state_bytes = sizeof(struct call_rows),
    .start = start,
    .column = column,
    .end = end,
};

int sl_fn_call_tree(sqlite3 *db)
{
    return sl_table_register(db, &fn);
}
