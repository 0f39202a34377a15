/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the time of a workflow went that made it as long as it was (analyse/tasks/path.h): one row a stretch,
 * in order of time; each starts where the last ended, from the first event of the workflow (and all that belongs to it)
 * to the last.  A span that does not exist, or to which nothing happened, has no rows.
 */
#include "analyse/ext.h"
#include "analyse/sqlfn/sqlfn.h"
#include "analyse/tasks/path.h"
#include "analyse/tasks/places.h"

/* clang-format off */
#define CRITICAL_PATH(COLUMN, row) \
    COLUMN(row, INTEGER, start_ns, "ns", "when the stretch begins") \
    COLUMN(row, INTEGER, end_ns, "ns", "when it ends") \
    COLUMN(row, REAL, seconds, "s", "end_ns - start_ns") \
    COLUMN(row, TEXT, task, NULL, "key of the task; NULL: the driver's time") \
    COLUMN(row, TEXT, component, NULL, "who had it") \
    COLUMN(row, TEXT, state, NULL, "what it was doing") \
    COLUMN(row, INTEGER, span, NULL, "whose event began the state (of several stretches in one row, the first)") \
    COLUMN(row, INTEGER, task_span, NULL, "the task; NULL: the driver's time") \
    COLUMN(row, INTEGER, lost, NULL, "1: in the queue, on its way or on a worker for a try that failed; else 0") \
    COLUMN(row, INTEGER, tasks, "tasks", "of the workflow, the same in each row") \
    COLUMN(row, INTEGER, undone, "tasks", "of which nothing says that they were done, the same in each row")
/* clang-format on */
SL_ROW(critical_path, CRITICAL_PATH);

static const struct sl_column args[] = {
    {"workflow", SL_COLUMN_INTEGER, NULL, "the id of a workflow's span", 0},
};

/* Does a part lie in what a failed try took, from its queue on? */
static bool is_lost(const struct sl_workflow *w, const struct sl_path_part *p)
{
    struct sl_places of = {0};
    bool lost = false;

    if (p->task == SL_NO_INDEX)
        return false;
    sl_places_runs(&of, w, p->task);
    for (size_t k = 0; k < of.run.n; k++)
        lost |= of.run.v[k].lost && p->start_ns - w->first_ns >= sl_run_ready(w, &of.run.v[k]) &&
                p->end_ns - w->first_ns <= sl_run_until(w, &of.run.v[k]);
    sl_places_free(&of);
    return lost;
}

static int fill_path(struct sl_rows *out, const struct sl_call *call, struct sl_err *err)
{
    struct sl_workflow own = {0};
    const struct sl_workflow *w; /* own, or what the program has loaded */
    struct sl_path path = {0};
    int rc = sl_workflow_find(&w, &own, call->db, call->arg[0], err);

    if (!rc)
        sl_path_make(&path, w);
    for (size_t i = 0; i < path.v.n; i++) {
        const struct sl_path_part *p = &path.v.v[i];
        struct critical_path *x = sl_rows_add(out);
        x->start_ns = p->start_ns;
        x->end_ns = p->end_ns;
        x->seconds = (double)(p->end_ns - p->start_ns) / 1e9;
        x->component = sl_rows_text(out, p->component);
        x->state = sl_rows_text(out, p->state);
        x->span = w->s.g.id.v[p->span];
        x->lost = is_lost(w, p);
        x->tasks = w->n;
        x->undone = w->undone;
        if (p->task == SL_NO_INDEX)
            continue;
        x->task_span = w->s.g.id.v[w->task[p->task].span];
        x->task = sl_workflow_key(w, w->task[p->task].span, &out->text);
    }
    sl_path_free(&path);
    sl_workflow_free(&own);
    return rc;
}

const struct sl_table_fn sl_fn_critical_path = {
    .name = "critical_path",
    .about = "what made a workflow as long as it was",
    .row = &critical_path_columns,
    .arg = args,
    .args = 1,
    .needed = 1,
    .usage = "critical_path(1), with the id of a workflow's span",
    .hidden = 2,
    .fill = fill_path,
};
