/* SPDX-License-Identifier: Apache-2.0 */
/*
 * task_graph(workflow): the tasks of a workflow and what they waited for, as analyse/tasks/tasks.h finds them.  One row
 * for each task and each task that it waited for, or one where it waited for none; tasks in the order of submission.
 *
 *   span, task          id and key of the task
 *   layer               tasks of the longest chain that ends in it, less one: 0 waits for nothing
 *   first_ns, done_ns   its first event, and when it was done (its last event, where nothing says that it was done)
 *   done                1: something says that it was done
 *   after_span          id of the task that it waited for; NULL: none
 *
 * Where tasks wait for each other in a circle, as only damaged logs say, the one that came first begins the chain.
 */
#include "analyse/ext.h"
#include "analyse/sqlfn/sqlfn.h"
#include "analyse/sqlfn/table.h"
#include "analyse/tasks/tasks.h"
#include "base/mem.h"

#include <stdlib.h>

enum { SPAN, TASK, LAYER, FIRST_NS, DONE_NS, DONE, AFTER_SPAN, COLUMNS };

struct edge {
    uint32_t task, after;
};

struct state {
    struct sl_table_rows rows;
    struct sl_workflow w;
    uint32_t *layer;
    SL_VEC(struct edge) edge;
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

static void find_layers(struct state *s)
{
    struct sl_workflow *w = &s->w;
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
            s->layer[to] = s->layer[to] > s->layer[i] + 1 ? s->layer[to] : s->layer[i] + 1;
            if (!--o.waits[to])
                o.todo[o.n++] = to;
        }
    }
    free_order(&o);
}

static void end(void *state)
{
    struct state *s = state;

    free(s->layer);
    sl_vec_free(&s->edge);
    sl_workflow_free(&s->w);
}

static int start(void *state, const struct sl_call *call, struct sl_err *err)
{
    struct state *s = state;
    int rc;

    free(s->layer);
    s->layer = NULL;
    sl_vec_clear(&s->edge);
    s->rows = (struct sl_table_rows){0};
    rc = sl_workflow_load(&s->w, call->db, call->arg[0], err);
    if (rc)
        return rc;
    s->layer = sl_alloc(((size_t)s->w.n + 1) * sizeof *s->layer);
    find_layers(s);
    for (uint32_t i = 0; i < s->w.n; i++) {
        const struct sl_task *t = &s->w.task[i];
        for (uint32_t k = 0; k < t->npred; k++)
            *sl_vec_add(&s->edge) = (struct edge){i, s->w.pred[t->pred + k]};
        if (!t->npred)
            *sl_vec_add(&s->edge) = (struct edge){i, SL_NO_INDEX};
    }
    s->rows.n = s->edge.n;
    return 0;
}

static void column(const void *state, sqlite3_context *out, int col)
{
    const struct state *s = state;
    const struct edge *e = &s->edge.v[s->rows.at];
    const struct sl_task *t = &s->w.task[e->task];
    const struct sl_graph *g = &s->w.s.g;

    switch (col) {
    case SPAN: sqlite3_result_int64(out, g->id.v[t->span]); break;
    case TASK: sl_workflow_key(&s->w, t->span, out); break;
    case LAYER: sqlite3_result_int64(out, s->layer[e->task]); break;
    case FIRST_NS: sqlite3_result_int64(out, t->first_ns); break;
    case DONE_NS: sqlite3_result_int64(out, t->done_ns); break;
    case DONE: sqlite3_result_int(out, t->done); break;
    default:
        if (e->after != SL_NO_INDEX)
            sqlite3_result_int64(out, g->id.v[s->w.task[e->after].span]);
    }
}

const struct sl_table_fn sl_fn_task_graph = {
    .name = "task_graph",
    .schema = "CREATE TABLE x(span INTEGER, task TEXT, layer INTEGER, first_ns INTEGER, done_ns INTEGER, done INTEGER, "
              "after_span INTEGER, workflow INTEGER HIDDEN)",
    .columns = COLUMNS,
    .args = 1,
    .needed = 1,
    .usage = "task_graph(1), with the id of a workflow's span",
    .rows = 1000,
    .state_bytes = sizeof(struct state),
    .start = start,
    .column = column,
    .end = end,
};
