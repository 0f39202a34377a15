/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls of traced programs, one row a path of functions from the outermost down, callers before what they call,
 * among these the longest first.  A process that a call started goes on with the path of that call.
 */
#include "analyse/sqlfn/calls/call_rows.h"
#include "analyse/sqlfn/sqlfn.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"

#include <stdlib.h>

/* clang-format off */
#define CALL_TREE(COLUMN, row) \
    COLUMN(row, INTEGER, node, NULL, "number of the row, from 1") \
    COLUMN(row, INTEGER, parent, NULL, "number of the row of the caller; NULL at roots") \
    COLUMN(row, INTEGER, depth, NULL, "0 at roots") \
    COLUMN(row, TEXT, path, NULL, "names, with ; between them, as for flame graphs; of those above the 100th ... is left") \
    CALL_ROW(COLUMN, row) \
    COLUMN(row, REAL, total_s, "s", "exclusive time of the row and of all below it") \
    COLUMN(row, REAL, from_s, "s", "where the row begins in a flame graph")
/* clang-format on */
SL_ROW(call_tree, CALL_TREE);

enum { LONGEST = 100 }; /* names in a path: all paths of a deep recursion would not fit anywhere */

struct state {
    struct sl_table_rows rows;
    struct call_rows c;
    int64_t *total_ns, *from_ns;
    bool paths; /* are asked for */
    struct sl_buf path;
    struct call_tree row;
};

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

static void end_tree(void *state)
{
    struct state *s = state;

    free(s->total_ns);
    free(s->from_ns);
    sl_buf_free(&s->path);
    call_rows_free(&s->c);
}

static int start_tree(void *state, const struct sl_call *call, struct sl_err *err)
{
    struct state *s = state;
    int rc;

    end_tree(s);
    *s = (struct state){.paths = sl_call_uses(call, call_tree, path)};
    if ((rc = call_rows_load(&s->c, call, sl_profile_tree, err)))
        return rc;
    find_places(s);
    s->rows.n = s->c.profile.n;
    return 0;
}

static const char *path_of(struct state *s, uint32_t at)
{
    const struct sl_profile_row *v = s->c.profile.v;
    uint32_t above[LONGEST], n = 0;

    sl_buf_clear(&s->path);
    for (; at != SL_NO_INDEX && n < LONGEST; at = v[at].parent)
        above[n++] = at;
    if (at != SL_NO_INDEX)
        sl_buf_adds(&s->path, "...;");
    while (n--)
        sl_buf_addf(&s->path, "%s%s", sl_intern_text(&s->c.calls.names, v[above[n]].name), n ? ";" : "");
    return s->path.s;
}

static const void *get_path(void *state)
{
    struct state *s = state;
    size_t at = s->rows.at;
    const struct sl_profile_row *r = &s->c.profile.v[at];
    struct call_row common = call_rows_row(&s->c, r);

    s->row = (struct call_tree){.node = (int64_t)at + 1,
                                .parent = r->parent != SL_NO_INDEX ? (int64_t)r->parent + 1 : SL_NULL_INTEGER,
                                .depth = r->depth,
                                .path = s->paths ? path_of(s, (uint32_t)at) : NULL,
                                .total_s = (double)s->total_ns[at] / 1e9,
                                .from_s = (double)s->from_ns[at] / 1e9};
    memcpy((char *)&s->row + offsetof(struct call_tree, part), &common, sizeof common); /* the same members */
    return &s->row;
}

const struct sl_table_fn sl_fn_call_tree = {
    .name = "call_tree",
    .about = "the calls of traced programs, by who called whom",
    .row = &call_tree_columns,
    .hidden = 2,
    .arg = call_rows_args,
    .args = CALL_ROWS_ARGS,
    .pointer = SL_CALLS_SUMS,
    .usage = "call_tree() or call_tree(NULL, 'rank')",
    .state_bytes = sizeof(struct state),
    .start = start_tree,
    .get = get_path,
    .end = end_tree,
};
