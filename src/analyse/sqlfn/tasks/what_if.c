/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The workflow once more with other durations or workers (analyse/tasks/simulate.h), one row a task.  A workflow
 * without tasks has no rows.
 */
#include "analyse/ext.h"
#include "analyse/sqlfn/sqlfn.h"
#include "analyse/tasks/simulate.h"

/* clang-format off */
#define WHAT_IF(COLUMN, row) \
    COLUMN(row, INTEGER, span, NULL, "id of the task") \
    COLUMN(row, TEXT, task, NULL, "its key") \
    COLUMN(row, INTEGER, first_ns, "ns", "when it was submitted") \
    COLUMN(row, INTEGER, done_ns, "ns", "when it was done") \
    COLUMN(row, INTEGER, new_first_ns, "ns", "when it would have been submitted") \
    COLUMN(row, INTEGER, new_done_ns, "ns", "when it would have been done") \
    COLUMN(row, REAL, makespan_s, "s", "how long the workflow took, the same in each row") \
    COLUMN(row, REAL, new_makespan_s, "s", "how long it would have taken, the same in each row") \
    COLUMN(row, INTEGER, undone, "tasks", "of which nothing says that they were done, the same in each row") \
    COLUMN(row, TEXT, assumed, NULL, "of workers, in words; NULL: their number is what it was") \
    COLUMN(row, REAL, bias, NULL, "how much longer, or shorter (less than 0), the run comes out as it was: a part of itself") \
    COLUMN(row, TEXT, app, NULL, "of the task")
/* clang-format on */
SL_ROW(what_if, WHAT_IF);

static const struct sl_column args[] = {
    {"workflow", SL_COLUMN_INTEGER, NULL, "the id of a workflow's span", 0},
    {"changes", SL_COLUMN_TEXT, NULL, "what would be otherwise, such as 'workers x2'", 0},
};

struct state {
    struct sl_table_rows rows;
    struct sl_workflow w;
    struct sl_replay *replay; /* of this one; NULL: not made */
    int64_t workflow;
    struct sl_simulation r;
    bool apps; /* are asked for */
    struct sl_arena key;
    struct what_if row;
};

static void end_play(void *state)
{
    struct state *s = state;

    sl_simulation_free(&s->r);
    sl_replay_free(s->replay);
    sl_workflow_free(&s->w);
    sl_arena_free(&s->key);
}

static int start_play(void *state, const struct sl_call *call, struct sl_err *err)
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
    s->apps = sl_call_uses(call, what_if, app);
    rc = sl_replay_play(&s->r, s->replay, (const char *)sqlite3_value_text(call->arg[1]), err);
    s->rows.n = rc ? 0 : s->w.n;
    return rc;
}

static const void *get_task(void *state)
{
    struct state *s = state;
    const struct sl_task *t = &s->w.task[s->rows.at];
    const struct sl_apps *apps;

    sl_arena_reset(&s->key);
    s->row = (struct what_if){.span = s->w.s.g.id.v[t->span],
                              .task = sl_workflow_key(&s->w, t->span, &s->key),
                              .first_ns = t->first_ns,
                              .done_ns = t->done_ns,
                              .new_first_ns = s->r.first_ns[s->rows.at],
                              .new_done_ns = s->r.done_ns[s->rows.at],
                              .makespan_s = (double)(s->w.last_ns - s->w.first_ns) / 1e9,
                              .new_makespan_s = (double)(s->r.last_ns - s->w.first_ns) / 1e9,
                              .undone = s->w.undone,
                              .assumed = s->r.assumed,
                              .bias = s->r.bias};
    if (s->apps && !sl_replay_apps(&apps, s->replay, NULL) && apps->of[s->rows.at] != SL_NO_INDEX)
        s->row.app = sl_apps_name(apps, apps->of[s->rows.at]);
    return &s->row;
}

const struct sl_table_fn sl_fn_what_if = {
    .name = "what_if",
    .about = "the workflow once more, with something changed",
    .row = &what_if_columns,
    .arg = args,
    .args = 2,
    .needed = 2,
    .usage = "what_if(1, 'parsl.executor.htex.* x0.5'), with the id of a workflow's span",
    .hidden = 6,
    .state_bytes = sizeof(struct state),
    .start = start_play,
    .get = get_task,
    .end = end_play,
};
