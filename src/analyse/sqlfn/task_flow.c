/* SPDX-License-Identifier: Apache-2.0 */
/*
 * task_flow(workflow, from_ns, to_ns): the states that tasks go through, between two times, as queues.
 *
 *   component, state, kind  as of task_states()
 *   tasks                   how many were in it, a mean
 *   busy                    the part of the time in which one at least was
 *   went                    how many left it
 *
 * What a task waits for others is in none: where it tells of such a wait, it is in that state from when the last of
 * these was done.  Rows come in the order in which tasks go through them.
 */
#include "analyse/ext.h"
#include "analyse/sqlfn/sqlfn.h"
#include "analyse/sqlfn/table.h"
#include "analyse/tasks/critical_path.h"

#include <stdlib.h>

enum { COMPONENT, STATE, KIND, TASKS, BUSY, WENT, COLUMNS };
enum { WORKFLOW, FROM_NS, TO_NS };

struct stretch {
    int64_t from_ns, to_ns;
};

struct row {
    uint32_t state;
    int64_t in_ns, any_ns, went, steps, times; /* steps / times: how many states come before it */
};

struct state {
    struct sl_table_rows rows;
    struct sl_workflow own;
    const struct sl_workflow *w; /* own, or what the program has loaded */
    int64_t from_ns, to_ns;
    SL_VEC(struct row) row;
};

static void end(void *state)
{
    struct state *s = state;

    sl_workflow_free(&s->own);
    sl_vec_free(&s->row);
}

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
static void collect(stretches *v, struct row *r, const struct state *s)
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

static void count(struct state *s)
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

static int start(void *state, const struct sl_call *call, struct sl_err *err)
{
    struct state *s = state;
    int rc;

    end(s);
    *s = (struct state){.from_ns = sqlite3_value_int64(call->arg[FROM_NS]),
                        .to_ns = sqlite3_value_int64(call->arg[TO_NS])};
    rc = sl_workflow_find(&s->w, &s->own, call->db, call->arg[WORKFLOW], err);
    if (!rc && s->to_ns > s->from_ns)
        count(s);
    s->rows = (struct sl_table_rows){.n = rc ? 0 : s->row.n};
    return rc;
}

static void column(const void *state, sqlite3_context *out, int col)
{
    const struct state *s = state;
    const struct row *r = &s->row.v[s->rows.at];
    const struct sl_phase_state *p = &s->w->states.v[r->state];

    switch (col) {
    case COMPONENT: sqlite3_result_text(out, p->component, -1, SQLITE_TRANSIENT); break;
    case STATE: sqlite3_result_text(out, p->state, -1, SQLITE_TRANSIENT); break;
    case KIND: sqlite3_result_text(out, sl_phase_kinds[p->kind], -1, SQLITE_STATIC); break;
    case TASKS: sqlite3_result_double(out, (double)r->in_ns / (double)(s->to_ns - s->from_ns)); break;
    case BUSY: sqlite3_result_double(out, (double)r->any_ns / (double)(s->to_ns - s->from_ns)); break;
    default: sqlite3_result_int64(out, r->went);
    }
}

const struct sl_table_fn sl_fn_task_flow = {
    .name = "task_flow",
    .schema = "CREATE TABLE x(component TEXT, state TEXT, kind TEXT, tasks REAL, busy REAL, went INTEGER, workflow "
              "INTEGER HIDDEN, from_ns INTEGER HIDDEN, to_ns INTEGER HIDDEN)",
    .columns = COLUMNS,
    .args = 3,
    .needed = 3,
    .usage = "task_flow(1, 1795162296000000000, 1795162300000000000), with the id of a workflow's span",
    .rows = 20,
    .state_bytes = sizeof(struct state),
    .start = start,
    .column = column,
    .end = end,
};
