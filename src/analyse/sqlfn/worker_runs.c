/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker_runs(worker_type [, within]): what each worker ran, and when; analyse/utilisation.h says what a run is.
 *
 *   worker            id of the worker's span
 *   from_ns, to_ns    nanoseconds since the epoch
 *   span              the subspan that it ran; NULL: the worker itself, from when it came until it left
 *   task              the task to which that subspan belongs: where within is a workflow, one of those that
 * task_times() has; else of the role `task`, of facets the first, of tasks that lie in one another the innermost; NULL:
 * there is none
 *
 * Hidden, of the worker itself: busy_s, the seconds in which it ran anything; runs, how many; places, how many at once,
 * at most.
 *
 * The workers one after another, each before its runs, and these by their begin.  within is the id of a span to which
 * workers belong.  utilisation() counts the same.
 */
#include "analyse/ext.h"
#include "analyse/sqlfn/sqlfn.h"
#include "analyse/sqlfn/table.h"
#include "analyse/utilisation.h"

enum { WORKER, FROM_NS, TO_NS, SPAN, TASK, COLUMNS, BUSY_S = COLUMNS, RUNS, PLACES };

struct state {
    struct sl_table_rows rows;
    struct sl_worker_runs w;
};

static void end(void *state)
{
    sl_worker_runs_free(&((struct state *)state)->w);
}

static int start(void *state, const struct sl_call *call, struct sl_err *err)
{
    struct state *s = state;
    int rc;

    end(s);
    *s = (struct state){0};
    rc = sl_worker_runs_make(&s->w, call->db, (const char *)sqlite3_value_text(call->arg[0]), call->arg[1], err);
    s->rows.n = rc ? 0 : s->w.n;
    return rc;
}

static void column(const void *state, sqlite3_context *out, int col)
{
    const struct state *s = state;
    const struct sl_worker_run *r = &s->w.v[s->rows.at];

    switch (col) {
    case WORKER: sqlite3_result_int64(out, r->worker); break;
    case FROM_NS: sqlite3_result_int64(out, r->from_ns); break;
    case TO_NS: sqlite3_result_int64(out, r->to_ns); break;
    case SPAN:
        if (r->is_run)
            sqlite3_result_int64(out, r->span);
        break;
    case BUSY_S:
        if (!r->is_run)
            sqlite3_result_double(out, r->busy_s);
        break;
    case RUNS:
        if (!r->is_run)
            sqlite3_result_int64(out, r->runs);
        break;
    case PLACES:
        if (!r->is_run)
            sqlite3_result_int64(out, r->places);
        break;
    default:
        if (r->has_task)
            sqlite3_result_int64(out, r->task);
    }
}

const struct sl_table_fn sl_fn_worker_runs = {
    .name = "worker_runs",
    .schema = "CREATE TABLE x(worker INTEGER, from_ns INTEGER, to_ns INTEGER, span INTEGER, task INTEGER, "
              "worker_type TEXT HIDDEN, within INTEGER HIDDEN, busy_s REAL HIDDEN, "
              "runs INTEGER HIDDEN, places INTEGER HIDDEN)",
    .columns = COLUMNS,
    .args = 2,
    .needed = 1,
    .usage = "worker_runs('parsl.executor.htex.worker')",
    .rows = 10000,
    .state_bytes = sizeof(struct state),
    .start = start,
    .column = column,
    .end = end,
};
