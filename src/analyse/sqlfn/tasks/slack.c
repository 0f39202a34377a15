/* SPDX-License-Identifier: Apache-2.0 */
/* One row a task, in the order of submission (analyse/tasks/path.h). */
#include "analyse/ext.h"
#include "analyse/sqlfn/sqlfn.h"
#include "analyse/tasks/path.h"

#include <stdlib.h>

/* clang-format off */
#define SLACK(COLUMN, row) \
    COLUMN(row, INTEGER, span, NULL, "id of the task") \
    COLUMN(row, TEXT, task, NULL, "its key") \
    COLUMN(row, INTEGER, first_ns, "ns", "its first event") \
    COLUMN(row, INTEGER, done_ns, "ns", "when it was done: its last event, where nothing says that it was done") \
    COLUMN(row, REAL, slack_s, "s", "how much later it could have been done before the last task is later; 0: critical") \
    COLUMN(row, REAL, path_s, "s", "seconds of the critical path that are its own")
/* clang-format on */
SL_ROW(slack, SLACK);

static const struct sl_column args[] = {
    {"workflow", SL_COLUMN_INTEGER, NULL, "the id of a workflow's span", 0},
};

static int fill_slack(struct sl_rows *out, const struct sl_call *call, struct sl_err *err)
{
    struct sl_workflow w = {0};
    struct sl_path p = {0};
    int64_t *slack, *path_ns;
    int rc = sl_workflow_load(&w, call->db, call->arg[0], err);

    if (rc)
        return rc;
    sl_path_make(&p, &w);
    slack = sl_slack_make(&w);
    path_ns = sl_alloc((size_t)w.n * sizeof *path_ns + 1);
    for (size_t i = 0; i < p.v.n; i++)
        if (p.v.v[i].task != SL_NO_INDEX)
            path_ns[p.v.v[i].task] += p.v.v[i].end_ns - p.v.v[i].start_ns;
    for (size_t i = 0; i < w.n; i++) {
        const struct sl_task *t = &w.task[i];
        struct slack *x = sl_rows_add(out);
        x->span = w.s.g.id.v[t->span];
        if (sl_call_uses(call, slack, task))
            x->task = sl_workflow_key(&w, t->span, &out->text);
        x->first_ns = t->first_ns;
        x->done_ns = t->done_ns;
        x->slack_s = (double)slack[i] / 1e9;
        x->path_s = (double)path_ns[i] / 1e9;
    }
    free(slack);
    free(path_ns);
    sl_path_free(&p);
    sl_workflow_free(&w);
    return 0;
}

const struct sl_table_fn sl_fn_slack = {
    .name = "slack",
    .about = "how much later each task could have been done before the last task would have been done later",
    .row = &slack_columns,
    .arg = args,
    .args = 1,
    .needed = 1,
    .usage = "slack(1), with the id of a workflow's span",
    .fill = fill_slack,
};
