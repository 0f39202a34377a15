/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tasks of a workflow and what they waited for, as analyse/tasks/tasks.h finds them: one row for each task and each
 * task that it waited for, or one where it waited for none; tasks in the order of submission.
 *
 * Where tasks wait for each other in a circle, as only damaged logs say, the one that came first begins the chain.
 */
#include "analyse/ext.h"
#include "analyse/sqlfn/sqlfn.h"
#include "analyse/tasks/tasks.h"
#include "base/mem.h"

#include <stdlib.h>

/* clang-format off */
#define TASK_GRAPH(COLUMN, row) \
    COLUMN(row, INTEGER, span, NULL, "id of the task") \
    COLUMN(row, TEXT, task, NULL, "its key") \
    COLUMN(row, INTEGER, layer, NULL, "tasks of the longest chain that ends in it, less one: 0 waits for nothing") \
    COLUMN(row, INTEGER, first_ns, "ns", "its first event") \
    COLUMN(row, INTEGER, done_ns, "ns", "when it was done (its last event, where nothing says that it was done)") \
    COLUMN(row, INTEGER, done, NULL, "1: something says that it was done") \
    COLUMN(row, INTEGER, after_span, NULL, "id of the task that it waited for; NULL: none")
/* clang-format on */
SL_ROW(task_graph, TASK_GRAPH);

static const struct sl_column args[] = {
    {"workflow", SL_COLUMN_INTEGER, NULL, "the id of a workflow's span", 0},
};

/* Tasks whose layer is known, and who waits for them. */
struct order {
    uint32_t *waits;        /* by task: for how many whose layer is not known */
    uint32_t *start, *next; /* by task: those that wait for it */
    uint32_t *todo, n, at;
};

static void free_order(struct order *o)
{
    free(o->waits);
    free(o->start);
    free(o->next);
    free(o->todo);
}

static void find_next(struct order *o, const struct sl_workflow *w)
{
    uint32_t edges = 0, *at;

    for (uint32_t i = 0; i < w->n; i++)
        edges += w->task[i].npred;
    o->waits = sl_alloc(((size_t)w->n + 1) * sizeof *o->waits);
    o->start = sl_alloc(((size_t)w->n + 2) * sizeof *o->start);
    o->next = sl_alloc(((size_t)edges + 1) * sizeof *o->next);
    o->todo = sl_alloc(((size_t)w->n + 1) * sizeof *o->todo);
    for (uint32_t i = 0; i < w->n; i++)
        for (uint32_t k = 0; k < w->task[i].npred; k++)
            o->start[w->pred[w->task[i].pred + k] + 2]++;
    for (uint32_t i = 2; i < w->n + 2; i++)
        o->start[i] += o->start[i - 1];
    at = o->start + 1; /* filling moves each up to where it belongs */
    for (uint32_t i = 0; i < w->n; i++) {
        o->waits[i] = w->task[i].npred;
        for (uint32_t k = 0; k < w->task[i].npred; k++)
            o->next[at[w->pred[w->task[i].pred + k]]++] = i;
    }
}

static uint32_t *find_layers(const struct sl_workflow *w)
{
    uint32_t *layer = sl_alloc(((size_t)w->n + 1) * sizeof *layer);
    struct order o = {0};
    uint32_t first = 0;

    find_next(&o, w);
    for (uint32_t i = 0; i < w->n; i++)
        if (!o.waits[i])
            o.todo[o.n++] = i;
    while (o.at < w->n) {
        if (o.at == o.n) { /* a circle */
            while (!o.waits[first])
                first++;
            o.waits[first] = 0;
            o.todo[o.n++] = first;
        }
        uint32_t i = o.todo[o.at++];
        for (uint32_t k = o.start[i]; k < o.start[i + 1]; k++) {
            uint32_t to = o.next[k];
            if (!o.waits[to]) /* it began a circle */
                continue;
            layer[to] = layer[to] > layer[i] + 1 ? layer[to] : layer[i] + 1;
            if (!--o.waits[to])
                o.todo[o.n++] = to;
        }
    }
    free_order(&o);
    return layer;
}

static int fill_graph(struct sl_rows *out, const struct sl_call *call, struct sl_err *err)
{
    struct sl_workflow w = {0};
    uint32_t *layer;
    int rc = sl_workflow_load(&w, call->db, call->arg[0], err);

    if (rc)
        return rc;
    layer = find_layers(&w);
    for (uint32_t i = 0; i < w.n; i++) {
        const struct sl_task *t = &w.task[i];
        const char *key = sl_call_uses(call, task_graph, task) ? sl_workflow_key(&w, t->span, &out->text) : NULL;
        for (uint32_t k = 0; k < t->npred || !k; k++) {
            struct task_graph *x = sl_rows_add(out);
            *x = (struct task_graph){w.s.g.id.v[t->span],
                                     key,
                                     layer[i],
                                     t->first_ns,
                                     t->done_ns,
                                     t->done,
                                     t->npred ? w.s.g.id.v[w.task[w.pred[t->pred + k]].span] : SL_NULL_INTEGER};
        }
    }
    free(layer);
    sl_workflow_free(&w);
    return 0;
}

const struct sl_table_fn sl_fn_task_graph = {
    .name = "task_graph",
    .about = "the tasks of a workflow, and which waited for which",
    .row = &task_graph_columns,
    .arg = args,
    .args = 1,
    .needed = 1,
    .usage = "task_graph(1), with the id of a workflow's span",
    .fill = fill_graph,
};
