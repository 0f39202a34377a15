/* SPDX-License-Identifier: Apache-2.0 */
/*
 * task_tries(workflow): one row a try of a task (analyse/tasks/told.h), by the id of the task, then by number.
 *
 *   task             id of the task, as of task_times()
 *   number           of the try
 *   span             a span of the try, the first that has events
 *   from_ns, to_ns   its first and its last event
 *   failed           1: an event says that it failed
 *   executor, host, exception   as attributes tell; NULL: none does
 */
#include "analyse/ext.h"
#include "analyse/sqlfn/sqlfn.h"
#include "analyse/sqlfn/table.h"
#include "analyse/tasks/told.h"

enum { TASK, NUMBER, SPAN, FROM_NS, TO_NS, FAILED, EXECUTOR, HOST, EXCEPTION, COLUMNS };

struct state {
    struct sl_table_rows rows;
    struct sl_workflow own;
    const struct sl_workflow *w; /* own, or what the program has loaded */
    const struct sl_told *told;
};

static void end(void *state)
{
    sl_workflow_free(&((struct state *)state)->own);
}

static int start(void *state, const struct sl_call *call, struct sl_err *err)
{
    struct state *s = state;
    int rc = sl_workflow_find(&s->w, &s->own, call->db, call->arg[0], err);

    if (!rc)
        rc = sl_told_load(&s->told, s->w, err);
    s->rows = (struct sl_table_rows){.n = rc ? 0 : s->told->tries.n};
    return rc;
}

static void column(const void *state, sqlite3_context *out, int col)
{
    const struct state *s = state;
    const struct sl_try *y = &s->told->tries.v[s->rows.at];
    const int64_t *id = s->w->s.g.id.v;

    switch (col) {
    case TASK: sqlite3_result_int64(out, id[s->w->task[y->task].span]); break;
    case NUMBER: sqlite3_result_int64(out, y->number); break;
    case SPAN: sqlite3_result_int64(out, id[y->span]); break;
    case FROM_NS: sqlite3_result_int64(out, y->from_ns); break;
    case TO_NS: sqlite3_result_int64(out, y->to_ns); break;
    case FAILED: sqlite3_result_int(out, y->failed); break;
    case EXECUTOR: sl_told_result(s->told, y->executor, out); break;
    case HOST: sl_told_result(s->told, y->host, out); break;
    default: sl_told_result(s->told, y->exception, out);
    }
}

static const struct sl_table_fn fn = {
    .name = "task_tries",
    .schema = "CREATE TABLE x(task INTEGER, number INTEGER, span INTEGER, from_ns INTEGER, to_ns INTEGER, failed "
              "INTEGER, executor, host, exception, workflow INTEGER HIDDEN)",
    .columns = COLUMNS,
    .args = 1,
    .needed = 1,
    .usage = "task_tries(1), with the id of a workflow's span",
    .rows = 1000,
    .state_bytes = sizeof(struct state),
    .start = start,
    .column = column,
    .end = end,
};

int sl_fn_task_tries(sqlite3 *db)
{
    return sl_table_register(db, &fn);
}
