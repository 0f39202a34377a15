/* SPDX-License-Identifier: Apache-2.0 */
/* One row a try of a task (analyse/tasks/task_attrs.h), by the id of the task, then by number. */
#include "analyse/ext.h"
#include "analyse/sqlfn/sqlfn.h"
#include "analyse/tasks/task_attrs.h"

/* clang-format off */
#define TASK_TRIES(COLUMN, row) \
    COLUMN(row, INTEGER, task, NULL, "id of the task, as of task_times()") \
    COLUMN(row, INTEGER, number, NULL, "of the try") \
    COLUMN(row, INTEGER, span, NULL, "a span of the try, the first that has events") \
    COLUMN(row, INTEGER, from_ns, "ns", "its first event") \
    COLUMN(row, INTEGER, to_ns, "ns", "its last event") \
    COLUMN(row, INTEGER, failed, NULL, "1: an event says that it failed") \
    COLUMN(row, ANY, executor, NULL, "as an attribute says; NULL: none does") \
    COLUMN(row, ANY, host, NULL, "likewise") \
    COLUMN(row, ANY, exception, NULL, "likewise")
/* clang-format on */
SL_ROW(task_tries, TASK_TRIES);

static const struct sl_column args[] = {
    {"workflow", SL_COLUMN_INTEGER, NULL, "the id of a workflow's span", 0},
};

static int fill_tries(struct sl_rows *out, const struct sl_call *call, struct sl_err *err)
{
    struct sl_workflow own = {0};
    const struct sl_workflow *w; /* own, or what the program has loaded */
    const struct sl_task_attrs *told;
    int rc = sl_workflow_find(&w, &own, call->db, call->arg[0], err);

    if (!rc)
        rc = sl_task_attrs_load(&told, w, err);
    for (size_t i = 0; !rc && i < told->tries.n; i++) {
        const struct sl_try *y = &told->tries.v[i];
        struct task_tries *x = sl_rows_add(out);
        *x = (struct task_tries){.task = w->s.g.id.v[w->task[y->task].span],
                                 .number = y->number,
                                 .span = w->s.g.id.v[y->span],
                                 .from_ns = y->from_ns,
                                 .to_ns = y->to_ns,
                                 .failed = y->failed,
                                 .executor = sl_rows_own(out, sl_task_attrs_cell(told, y->executor)),
                                 .host = sl_rows_own(out, sl_task_attrs_cell(told, y->host)),
                                 .exception = sl_rows_own(out, sl_task_attrs_cell(told, y->exception))};
    }
    sl_workflow_free(&own);
    return rc;
}

const struct sl_table_fn sl_fn_task_tries = {
    .name = "task_tries",
    .about = "the tries of each task",
    .row = &task_tries_columns,
    .arg = args,
    .args = 1,
    .needed = 1,
    .usage = "task_tries(1), with the id of a workflow's span",
    .fill = fill_tries,
};
