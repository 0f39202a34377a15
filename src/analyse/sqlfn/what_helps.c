/* SPDX-License-Identifier: Apache-2.0 */
/*
 * what_helps(workflow): the changes that are worth asking what_if() (analyse/tasks/suspects.h), each replayed, one row
 * each.
 *
 *   change                       as what_if() takes it
 *   makespan_s, new_makespan_s   how long the workflow took, and would have taken
 *   assumed                      of workers, in words; NULL: their number is what it was
 *   bias                         as of what_if()
 *
 *     SELECT change, new_makespan_s - makespan_s AS seconds FROM what_helps(1) ORDER BY 2 LIMIT 5;
 */
#include "analyse/ext.h"
#include "analyse/sqlfn/sqlfn.h"
#include "analyse/sqlfn/table.h"
#include "analyse/tasks/suspects.h"

enum { CHANGE, MAKESPAN_S, NEW_MAKESPAN_S, ASSUMED, BIAS, COLUMNS };

struct state {
    struct sl_table_rows rows;
    struct sl_workflow w;
    struct sl_replay *replay;
    struct sl_suspects suspects;
    struct sl_simulation r; /* of the row at hand */
};

static void drop(struct state *s)
{
    sl_simulation_free(&s->r);
    sl_suspects_free(&s->suspects);
    sl_replay_free(s->replay);
    s->replay = NULL;
}

static void end(void *state)
{
    drop(state);
    sl_workflow_free(&((struct state *)state)->w);
}

static int play(struct state *s, struct sl_err *err)
{
    sl_simulation_free(&s->r);
    return s->rows.at < s->rows.n ? sl_replay_play(&s->r, s->replay, s->suspects.v.v[s->rows.at], err) : 0;
}

static int start(void *state, const struct sl_call *call, struct sl_err *err)
{
    struct state *s = state;
    int rc;

    drop(s);
    s->rows = (struct sl_table_rows){0};
    rc = sl_workflow_load(&s->w, call->db, call->arg[0], err);
    if (!rc)
        rc = sl_replay_make(&s->replay, &s->w, err);
    if (!rc)
        rc = sl_suspects_find(&s->suspects, s->replay, err);
    s->rows.n = rc ? 0 : s->suspects.v.n;
    return rc ? rc : play(s, err);
}

static bool at_end(const void *state)
{
    const struct state *s = state;
    return s->rows.at >= s->rows.n;
}

static int next(void *state, struct sl_err *err)
{
    struct state *s = state;

    s->rows.at++;
    return play(s, err);
}

static void column(const void *state, sqlite3_context *out, int col)
{
    const struct state *s = state;

    switch (col) {
    case CHANGE: sqlite3_result_text(out, s->suspects.v.v[s->rows.at], -1, SQLITE_TRANSIENT); break;
    case MAKESPAN_S: sqlite3_result_double(out, (double)(s->w.last_ns - s->w.first_ns) / 1e9); break;
    case NEW_MAKESPAN_S: sqlite3_result_double(out, (double)(s->r.last_ns - s->w.first_ns) / 1e9); break;
    case ASSUMED: sqlite3_result_text(out, s->r.assumed, -1, SQLITE_TRANSIENT); break;
    default: sqlite3_result_double(out, s->r.bias);
    }
}

const struct sl_table_fn sl_fn_what_helps = {
    .name = "what_helps",
    .schema = "CREATE TABLE x(change TEXT, makespan_s REAL, new_makespan_s REAL, assumed TEXT, bias REAL, "
              "workflow INTEGER HIDDEN)",
    .columns = COLUMNS,
    .args = 1,
    .needed = 1,
    .usage = "what_helps(1), with the id of a workflow's span",
    .rows = 20,
    .state_bytes = sizeof(struct state),
    .start = start,
    .at_end = at_end,
    .next = next,
    .column = column,
    .end = end,
};
