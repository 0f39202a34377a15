/* SPDX-License-Identifier: Apache-2.0 */
/*
 * what_if(workflow, changes): the workflow once more with other durations or workers (analyse/tasks/simulate.h), one
 * row a task.
 *
 *   span, task                   id and key of the task
 *   first_ns, done_ns            when it was submitted and done
 *   new_first_ns, new_done_ns    when it would have been
 *
 * and, hidden, the same in each row: makespan_s, new_makespan_s, and undone: of how many tasks nothing says that they
 * were done; assumed, of workers, in words, NULL where their number is what it was; bias, the part of itself by which
 * the run, as it was, comes out longer, or shorter (less than 0), where no task waits longer than usual while a place
 * is free; and app, of the task.  A workflow without tasks has no rows.
 *
 *     SELECT DISTINCT makespan_s, new_makespan_s FROM what_if(1, 'parsl.executor.htex.* x0.5');
 */
#include "analyse/ext.h"
#include "analyse/sqlfn/sqlfn.h"
#include "analyse/sqlfn/table.h"
#include "analyse/tasks/simulate.h"

enum {
    SPAN,
    TASK,
    FIRST_NS,
    DONE_NS,
    NEW_FIRST_NS,
    NEW_DONE_NS,
    COLUMNS,
    MAKESPAN_S = COLUMNS,
    NEW_MAKESPAN_S,
    UNDONE,
    ASSUMED,
    BIAS,
    APP
};

struct state {
    struct sl_table_rows rows;
    struct sl_workflow w;
    struct sl_replay *replay; /* of this one; NULL: not made */
    int64_t workflow;
    struct sl_simulation r;
};

static void end(void *state)
{
    struct state *s = state;

    sl_simulation_free(&s->r);
    sl_replay_free(s->replay);
    sl_workflow_free(&s->w);
}

static int start(void *state, const struct sl_call *call, struct sl_err *err)
{
    struct state *s = state;
    int rc;

    sl_simulation_free(&s->r);
    s->rows = (struct sl_table_rows){0};
    if (!s->replay || sqlite3_value_type(call->arg[0]) != SQLITE_INTEGER ||
        s->workflow != sqlite3_value_int64(call->arg[0])) {
        sl_replay_free(s->replay);
        s->replay = NULL;
        rc = sl_workflow_load(&s->w, call->db, call->arg[0], err);
        if (!rc)
            rc = sl_replay_make(&s->replay, &s->w, err);
        if (rc) { /* it may be tried again */
            sl_replay_free(s->replay);
            s->replay = NULL;
            return rc;
        }
        s->workflow = sqlite3_value_int64(call->arg[0]);
    }
    rc = sl_replay_play(&s->r, s->replay, (const char *)sqlite3_value_text(call->arg[1]), err);
    s->rows.n = rc ? 0 : s->w.n;
    return rc;
}

static void app(const struct state *s, sqlite3_context *out)
{
    const struct sl_apps *apps;

    if (!sl_replay_apps(&apps, s->replay, NULL) && apps->of[s->rows.at] != SL_NO_INDEX)
        sqlite3_result_text(out, sl_apps_name(apps, apps->of[s->rows.at]), -1, SQLITE_TRANSIENT);
}

static void column(const void *state, sqlite3_context *out, int col)
{
    const struct state *s = state;
    const struct sl_task *t = &s->w.task[s->rows.at];
    const struct sl_graph *g = &s->w.s.g;

    switch (col) {
    case SPAN: sqlite3_result_int64(out, g->id.v[t->span]); break;
    case TASK: sl_workflow_key(&s->w, t->span, out); break;
    case FIRST_NS: sqlite3_result_int64(out, t->first_ns); break;
    case DONE_NS: sqlite3_result_int64(out, t->done_ns); break;
    case NEW_FIRST_NS: sqlite3_result_int64(out, s->r.first_ns[s->rows.at]); break;
    case ASSUMED: sqlite3_result_text(out, s->r.assumed, -1, SQLITE_TRANSIENT); break;
    case BIAS: sqlite3_result_double(out, s->r.bias); break;
    case APP: app(s, out); break;
    case UNDONE: sqlite3_result_int64(out, s->w.undone); break;
    case NEW_DONE_NS: sqlite3_result_int64(out, s->r.done_ns[s->rows.at]); break;
    case MAKESPAN_S: sqlite3_result_double(out, (double)(s->w.last_ns - s->w.first_ns) / 1e9); break;
    default: sqlite3_result_double(out, (double)(s->r.last_ns - s->w.first_ns) / 1e9);
    }
}

const struct sl_table_fn sl_fn_what_if = {
    .name = "what_if",
    .schema = "CREATE TABLE x(span INTEGER, task TEXT, first_ns INTEGER, done_ns INTEGER, new_first_ns INTEGER, "
              "new_done_ns INTEGER, workflow INTEGER HIDDEN, changes TEXT HIDDEN, makespan_s REAL HIDDEN, "
              "new_makespan_s REAL HIDDEN, undone INTEGER HIDDEN, assumed TEXT HIDDEN, bias REAL HIDDEN, app "
              "TEXT HIDDEN)",
    .columns = COLUMNS,
    .args = 2,
    .needed = 2,
    .usage = "what_if(1, 'parsl.executor.htex.* x0.5'), with the id of a workflow's span",
    .rows = 1000,
    .state_bytes = sizeof(struct state),
    .start = start,
    .column = column,
    .end = end,
};
