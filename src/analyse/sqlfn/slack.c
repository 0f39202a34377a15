/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slack(workflow): one row a task, in the order of submission: how much later it could have been done before the last
 * task would have been done later (analyse/tasks/critical_path.h).
 *
 *   span, task          id and key of the task
 *   first_ns, done_ns   its first event, and when it was done (its last event, where nothing says that it was done)
 *   slack_s             seconds; 0: it was critical
 *   path_s              seconds of the critical path that are its own
 */
#include "analyse/ext.h"
#include "analyse/sqlfn/sqlfn.h"
#include "analyse/sqlfn/table.h"
#include "analyse/tasks/critical_path.h"

#include <stdlib.h>

enum { SPAN, TASK, FIRST_NS, DONE_NS, SLACK_S, PATH_S, COLUMNS };

struct state {
    struct sl_table_rows rows;
    struct sl_workflow w;
    int64_t *slack, *path_ns;
};

static void end(void *state)
{
    struct state *s = state;

    free(s->slack);
    free(s->path_ns);
    sl_workflow_free(&s->w);
}

static int start(void *state, const struct sl_call *call, struct sl_err *err)
{
    struct state *s = state;
    struct sl_path p = {0};
    int rc;

    free(s->slack);
    free(s->path_ns);
    s->slack = s->path_ns = NULL;
    s->rows = (struct sl_table_rows){0};
    rc = sl_workflow_load(&s->w, call->db, call->arg[0], err);
    if (rc)
        return rc;
    s->rows.n = s->w.n;
    sl_path_make(&p, &s->w);
    s->slack = sl_slack_make(&s->w);
    s->path_ns = sl_alloc((size_t)s->w.n * sizeof *s->path_ns);
    for (size_t i = 0; i < p.v.n; i++)
        if (p.v.v[i].task != SL_NO_INDEX)
            s->path_ns[p.v.v[i].task] += p.v.v[i].end_ns - p.v.v[i].start_ns;
    sl_path_free(&p);
    return 0;
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
    case SLACK_S: sqlite3_result_double(out, (double)s->slack[s->rows.at] / 1e9); break;
    default: sqlite3_result_double(out, (double)s->path_ns[s->rows.at] / 1e9);
    }
}

static const struct sl_table_fn fn = {
    .name = "slack",
    .schema = "CREATE TABLE x(span INTEGER, task TEXT, first_ns INTEGER, done_ns INTEGER, slack_s REAL, path_s REAL, "
              "workflow INTEGER HIDDEN)",
    .columns = COLUMNS,
    .args = 1,
    .needed = 1,
    .usage = "slack(1), with the id of a workflow's span",
    .rows = 1000,
    .state_bytes = sizeof(struct state),
    .start = start,
    .column = column,
    .end = end,
};

int sl_fn_slack(sqlite3 *db)
{
    return sl_table_register(db, &fn);
}
