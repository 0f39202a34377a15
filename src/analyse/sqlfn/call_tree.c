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
 * and, hidden (they come when named), how a flame graph is drawn: total_s, exclusive_s of the row and of all below it,
 * and from_s, where it begins if what a row calls stands in it side by side from the left.
 *
 *     SELECT printf('%*s%s', 2 * depth, '', name), calls, inclusive_s FROM call_tree();
 */
#include "analyse/sqlfn/call_rows.h"
#include "analyse/sqlfn/sqlfn.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"

#include <stdlib.h>

enum { NODE, PARENT, DEPTH, PATH, OWN };
enum { TOTAL_S = OWN + CALL_ROWS_COLUMNS_N, FROM_S };
enum { LONGEST = 100 }; /* names in a path: all paths of a deep recursion would not fit anywhere */

struct state {
    struct call_rows c; /* the first, as table.h wants it */
    int64_t *total_ns, *from_ns;
};

static void free_places(struct state *s)
{
    free(s->total_ns);
    free(s->from_ns);
    s->total_ns = s->from_ns = NULL;
}

/* Rows are in preorder. */
static void find_places(struct state *s)
{
    const struct sl_profile_row *v = s->c.profile.v;
    size_t n = s->c.profile.n;
    int64_t *at = sl_alloc((n + 1) * sizeof *at), roots = 0; /* where the next of what a row calls begins */

    s->total_ns = sl_alloc((n + 1) * sizeof *s->total_ns);
    s->from_ns = sl_alloc((n + 1) * sizeof *s->from_ns);
    for (size_t i = n; i-- > 0;) {
        s->total_ns[i] = sl_time_add(s->total_ns[i], v[i].exclusive_ns);
        if (v[i].parent != SL_NO_INDEX)
            s->total_ns[v[i].parent] = sl_time_add(s->total_ns[v[i].parent], s->total_ns[i]);
    }
    for (size_t i = 0; i < n; i++) {
        int64_t *above = v[i].parent == SL_NO_INDEX ? &roots : &at[v[i].parent];
        s->from_ns[i] = at[i] = *above;
        *above = sl_time_add(*above, s->total_ns[i]);
    }
    free(at);
}

static int start(void *state, const struct sl_call *call, struct sl_err *err)
{
    struct state *s = state;
    int rc = call_rows_start(&s->c, call, sl_profile_tree, err);

    free_places(s);
    if (!rc)
        find_places(s);
    return rc;
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
    const struct state *at = state;
    const struct call_rows *s = &at->c;
    const struct sl_profile_row *r = &s->profile.v[s->rows.at];

    switch (col) {
    case NODE: sqlite3_result_int64(out, (sqlite3_int64)s->rows.at + 1); break;
    case PARENT:
        if (r->parent != SL_NO_INDEX)
            sqlite3_result_int64(out, (sqlite3_int64)r->parent + 1);
        break;
    case DEPTH: sqlite3_result_int64(out, r->depth); break;
    case PATH: put_path(s, out); break;
    case TOTAL_S: sqlite3_result_double(out, (double)at->total_ns[s->rows.at] / 1e9); break;
    case FROM_S: sqlite3_result_double(out, (double)at->from_ns[s->rows.at] / 1e9); break;
    default: call_rows_column(s, out, col - OWN);
    }
}

static void end(void *state)
{
    struct state *s = state;

    free_places(s);
    call_rows_end(&s->c);
}

const struct sl_table_fn sl_fn_call_tree = {
    .name = "call_tree",
    .schema = "CREATE TABLE x(node INTEGER, parent INTEGER, depth INTEGER, path TEXT, " CALL_ROWS_COLUMNS
              ", total_s REAL HIDDEN, from_s REAL HIDDEN)",
    .columns = OWN + CALL_ROWS_COLUMNS_N,
    .args = CALL_ROWS_ARGS,
    .pointer = SL_CALLS_SUMS,
    .usage = "call_tree() or call_tree(NULL, 'rank')",
    .rows = 1000,
    .state_bytes = sizeof(struct state),
    .start = start,
    .column = column,
    .end = end,
};
