/* SPDX-License-Identifier: Apache-2.0 */
/*
 * critical_path(workflow): where the time of a workflow went that made it as long as it was
 * (analyse/tasks/critical_path.h).  The argument is the id of a span.  One row a stretch, in order of time; each starts
 * where the last ended, from the first event of the workflow (and all that belongs to it) to the last.
 *
 *   start_ns, end_ns   nanoseconds since the epoch
 *   seconds            end_ns - start_ns
 *   task               key of the task; NULL: the driver's time
 *   component, state   who had it, and what it was doing
 *   span               the span whose event began the state (of several stretches in one row, the first)
 *   task_span          the task; NULL: the driver's time
 *   lost               1: in the queue, on its way or on a worker for a try that failed; else 0
 *
 * and, hidden, the same in each row: tasks, how many the workflow has; undone, of how many nothing says that they were
 * done.  A span that does not exist, or to which nothing happened, has no rows.
 *
 *     SELECT component, state, sum(seconds) FROM critical_path(1) GROUP BY 1, 2 ORDER BY 3 DESC;
 */
#include "analyse/tasks/critical_path.h"
#include "analyse/ext.h"
#include "analyse/sqlfn/sqlfn.h"
#include "analyse/sqlfn/table.h"
#include "analyse/tasks/places.h"

#include <stdlib.h>

enum { START_NS, END_NS, SECONDS, TASK, COMPONENT, STATE, SPAN, TASK_SPAN, LOST, COLUMNS, TASKS = COLUMNS, UNDONE };

struct state {
    struct sl_table_rows rows;
    struct sl_workflow own;
    const struct sl_workflow *w; /* own, or what the program has loaded */
    struct sl_path p;
    bool *lost; /* by part */
};

static void end(void *state)
{
    struct state *s = state;

    sl_path_free(&s->p);
    sl_workflow_free(&s->own);
    free(s->lost);
}

/* Parts that lie in what a failed try took, from its queue on. */
static void find_lost(struct state *s)
{
    s->lost = sl_alloc((s->p.v.n + 1) * sizeof *s->lost);
    for (size_t i = 0; i < s->p.v.n; i++) {
        const struct sl_path_part *p = &s->p.v.v[i];
        struct sl_places of = {0};
        if (p->task == SL_NO_INDEX)
            continue;
        sl_places_runs(&of, s->w, p->task);
        for (size_t k = 0; k < of.run.n; k++)
            s->lost[i] |= of.run.v[k].lost && p->start_ns - s->w->first_ns >= sl_run_ready(s->w, &of.run.v[k]) &&
                          p->end_ns - s->w->first_ns <= sl_run_until(s->w, &of.run.v[k]);
        sl_places_free(&of);
    }
}

static int start(void *state, const struct sl_call *call, struct sl_err *err)
{
    struct state *s = state;
    int rc;

    sl_path_free(&s->p);
    free(s->lost);
    s->lost = NULL;
    s->rows = (struct sl_table_rows){0};
    rc = sl_workflow_find(&s->w, &s->own, call->db, call->arg[0], err);
    if (!rc) {
        sl_path_make(&s->p, s->w);
        find_lost(s);
    }
    s->rows.n = s->p.v.n;
    return rc;
}

static void column(const void *state, sqlite3_context *out, int col)
{
    const struct state *s = state;
    const struct sl_path_part *p = &s->p.v.v[s->rows.at];
    const struct sl_graph *g = &s->w->s.g;
    uint32_t task = p->task == SL_NO_INDEX ? SL_NO_INDEX : s->w->task[p->task].span;

    switch (col) {
    case START_NS: sqlite3_result_int64(out, p->start_ns); break;
    case END_NS: sqlite3_result_int64(out, p->end_ns); break;
    case SECONDS: sqlite3_result_double(out, (double)(p->end_ns - p->start_ns) / 1e9); break;
    case TASK:
        if (task != SL_NO_INDEX)
            sl_workflow_key(s->w, task, out);
        break;
    case COMPONENT: sqlite3_result_text(out, p->component, -1, SQLITE_TRANSIENT); break;
    case STATE: sqlite3_result_text(out, p->state, -1, SQLITE_TRANSIENT); break;
    case SPAN: sqlite3_result_int64(out, g->id.v[p->span]); break;
    case LOST: sqlite3_result_int(out, s->lost[s->rows.at]); break;
    case TASKS: sqlite3_result_int64(out, s->w->n); break;
    case UNDONE: sqlite3_result_int64(out, s->w->undone); break;
    default:
        if (task != SL_NO_INDEX)
            sqlite3_result_int64(out, g->id.v[task]);
    }
}

const struct sl_table_fn sl_fn_critical_path = {
    .name = "critical_path",
    .schema = "CREATE TABLE x(start_ns INTEGER, end_ns INTEGER, seconds REAL, task TEXT, component TEXT, state TEXT, "
              "span INTEGER, task_span INTEGER, lost INTEGER, workflow INTEGER HIDDEN, tasks INTEGER HIDDEN, "
              "undone INTEGER HIDDEN)",
    .columns = COLUMNS,
    .args = 1,
    .needed = 1,
    .usage = "critical_path(1), with the id of a workflow's span",
    .rows = 1000,
    .state_bytes = sizeof(struct state),
    .start = start,
    .column = column,
    .end = end,
};
