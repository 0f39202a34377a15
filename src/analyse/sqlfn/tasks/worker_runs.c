/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each worker ran, and when; analyse/workers.h says what a run is.  The workers one after another, each before
 * its runs, and these by their begin.
 */
#include "analyse/ext.h"
#include "analyse/sqlfn/sqlfn.h"
#include "analyse/workers.h"

#include <math.h>

/* clang-format off */
#define WORKER_RUNS(COLUMN, row) \
    COLUMN(row, INTEGER, worker, NULL, "id of the worker's span") \
    COLUMN(row, INTEGER, from_ns, "ns", "when it began") \
    COLUMN(row, INTEGER, to_ns, "ns", "when it ended") \
    COLUMN(row, INTEGER, span, NULL, "the subspan that it ran; NULL: the worker itself, from when it came until it left") \
    COLUMN(row, INTEGER, task, NULL, "the task to which that subspan belongs: where within is a workflow, one of those of task_times(), else the innermost of role task") \
    COLUMN(row, REAL, busy_s, "s", "of the worker itself: in which it ran anything") \
    COLUMN(row, INTEGER, runs, "runs", "of the worker itself") \
    COLUMN(row, INTEGER, places, NULL, "of the worker itself: how many it ran at once, at most")
/* clang-format on */
SL_ROW(worker_runs, WORKER_RUNS);

static const struct sl_column args[] = {
    {"worker_type", SL_COLUMN_TEXT, NULL, "the type of workers' spans", 0},
    {"within", SL_COLUMN_INTEGER, NULL, "the id of a span to which workers belong", 0},
};

struct state {
    struct sl_table_rows rows;
    struct sl_worker_runs w;
    struct worker_runs row;
};

static void end_runs(void *state)
{
    sl_worker_runs_free(&((struct state *)state)->w);
}

static int start_runs(void *state, const struct sl_call *call, struct sl_err *err)
{
    struct state *s = state;
    int rc;

    end_runs(s);
    *s = (struct state){0};
    rc = sl_worker_runs_make(&s->w, call->db, (const char *)sqlite3_value_text(call->arg[0]), call->arg[1], err);
    s->rows.n = rc ? 0 : s->w.n;
    return rc;
}

static const void *get_run(void *state)
{
    struct state *s = state;
    const struct sl_worker_run *r = &s->w.v[s->rows.at];

    s->row = (struct worker_runs){.worker = r->worker,
                                  .from_ns = r->from_ns,
                                  .to_ns = r->to_ns,
                                  .span = r->is_run ? r->span : SL_NULL_INTEGER,
                                  .task = r->has_task ? r->task : SL_NULL_INTEGER,
                                  .busy_s = r->is_run ? NAN : r->busy_s,
                                  .runs = r->is_run ? SL_NULL_INTEGER : r->runs,
                                  .places = r->is_run ? SL_NULL_INTEGER : r->places};
    return &s->row;
}

const struct sl_table_fn sl_fn_worker_runs = {
    .name = "worker_runs",
    .about = "what each worker ran, and when",
    .row = &worker_runs_columns,
    .arg = args,
    .args = 2,
    .needed = 1,
    .usage = "worker_runs('parsl.executor.htex.worker')",
    .hidden = 3,
    .rows = 10000,
    .state_bytes = sizeof(struct state),
    .start = start_runs,
    .get = get_run,
    .end = end_runs,
};
