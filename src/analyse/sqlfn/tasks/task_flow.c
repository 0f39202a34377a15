/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The states that tasks go through, between two times, as queues.  What a task waits for others is in none: where it
 * tells of such a wait, it is in that state from when the last of these was done.  Rows come in the order in which
 * tasks go through them.
 */
#include "analyse/ext.h"
#include "analyse/sqlfn/sqlfn.h"
#include "analyse/tasks/path.h"

#include <stdlib.h>

/* clang-format off */
#define TASK_FLOW(COLUMN, row) \
    COLUMN(row, TEXT, component, NULL, "as of task_states()") \
    COLUMN(row, TEXT, state, NULL, "as of task_states()") \
    COLUMN(row, TEXT, kind, NULL, "as of task_states()") \
    COLUMN(row, REAL, tasks, "tasks", "that were in it, a mean") \
    COLUMN(row, REAL, busy, NULL, "the part of the time in which one at least was") \
    COLUMN(row, INTEGER, went, "tasks", "that left it")
/* clang-format on */
SL_ROW(task_flow, TASK_FLOW);

static const struct sl_column args[] = {
    {"workflow", SL_COLUMN_INTEGER, NULL, "the id of a workflow's span", 0},
    {"from_ns", SL_COLUMN_INTEGER, "ns", "when the time begins", 0},
    {"to_ns", SL_COLUMN_INTEGER, "ns", "when it ends", 0},
};
enum { WORKFLOW, FROM_NS, TO_NS };

struct stretch {
    int64_t from_ns, to_ns;
};

struct row {
    uint32_t state;
    int64_t in_ns, any_ns, went, steps, times; /* steps / times: how many states come before it */
};

struct asked {
    const struct sl_workflow *w;
    int64_t from_ns, to_ns;
    SL_VEC(struct row) row;
};

static int by_from(const void *a, const void *b)
{
    const struct stretch *x = a, *y = b;

    return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

static int by_step(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    double p = (double)x->steps / (double)x->times, q = (double)y->steps / (double)y->times;

    return p != q ? (p > q) - (p < q) : (x->state > y->state) - (x->state < y->state);
}

typedef SL_VEC(struct stretch) stretches;

/* Those of one state alone, as of a million tasks all take much memory. */
static void collect(stretches *v, struct row *r, const struct asked *s)
{
    const struct sl_workflow *w = s->w;

    for (uint32_t i = 0; i < w->n; i++) {
        const struct sl_task *t = &w->task[i];
        for (uint32_t k = 0; k < t->nseg; k++) {
            const struct sl_segment *x = &w->seg.v[t->seg + k];
            int64_t from = x->from_ns, to = sl_segment_end(w, t, k), at;
            if (x->state != r->state)
                continue;
            if (w->states.v[x->state].kind == SL_PHASE_DEPEND && sl_awaited(w, t, k, &at) != SL_NO_INDEX && at > from)
                from = at;
            r->times++;
            r->steps += k;
            r->went += to > s->from_ns && to <= s->to_ns;
            from = from > s->from_ns ? from : s->from_ns;
            to = to < s->to_ns ? to : s->to_ns;
            if (to > from)
                *sl_vec_add(v) = (struct stretch){from, to};
        }
    }
}

static void count(struct asked *s)
{
    stretches v = {0};

    for (uint32_t i = 0; i < s->w->states.n; i++) {
        struct row r = {.state = i};
        int64_t until = s->from_ns;
        v.n = 0;
        collect(&v, &r, s);
        if (v.n)
            qsort(v.v, v.n, sizeof *v.v, by_from);
        for (size_t k = 0; k < v.n; k++) {
            const struct stretch *h = &v.v[k];
            until = h->from_ns > until ? h->from_ns : until;
            r.in_ns += h->to_ns - h->from_ns;
            r.any_ns += h->to_ns > until ? h->to_ns - until : 0;
            until = h->to_ns > until ? h->to_ns : until;
        }
        if (v.n || r.went)
            *sl_vec_add(&s->row) = r;
    }
    if (s->row.n)
        qsort(s->row.v, s->row.n, sizeof *s->row.v, by_step);
    sl_vec_free(&v);
}

static int fill_flow(struct sl_rows *out, const struct sl_call *call, struct sl_err *err)
{
    struct asked s = {.from_ns = sqlite3_value_int64(call->arg[FROM_NS]),
                      .to_ns = sqlite3_value_int64(call->arg[TO_NS])};
    double all_ns = (double)(s.to_ns - s.from_ns);
    struct sl_workflow own = {0};
    int rc = sl_workflow_find(&s.w, &own, call->db, call->arg[WORKFLOW], err);

    if (!rc && s.to_ns > s.from_ns)
        count(&s);
    for (size_t i = 0; i < s.row.n; i++) {
        const struct row *r = &s.row.v[i];
        const struct sl_phase_state *p = &s.w->states.v[r->state];
        struct task_flow *x = sl_rows_add(out);
        *x = (struct task_flow){sl_rows_text(out, p->component), sl_rows_text(out, p->state), sl_phase_kinds[p->kind],
                                (double)r->in_ns / all_ns,       (double)r->any_ns / all_ns,  r->went};
    }
    sl_vec_free(&s.row);
    sl_workflow_free(&own);
    return rc;
}

const struct sl_table_fn sl_fn_task_flow = {
    .name = "task_flow",
    .about = "the states of tasks as queues: how many were in each, and how many went through",
    .row = &task_flow_columns,
    .arg = args,
    .args = 3,
    .needed = 3,
    .usage = "task_flow(1, 1795162296000000000, 1795162300000000000), with the id of a workflow's span",
    .rows = 20,
    .fill = fill_flow,
};
