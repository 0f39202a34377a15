/* SPDX-License-Identifier: Apache-2.0 */
/* One row a task, in the order of submission: where its own time went (analyse/tasks/tasks.h). */
#include "analyse/ext.h"
#include "analyse/sqlfn/sqlfn.h"
#include "analyse/tasks/task_attrs.h"

/* clang-format off */
#define TASK_TIMES(COLUMN, row) \
    COLUMN(row, INTEGER, span, NULL, "id of the task") \
    COLUMN(row, TEXT, task, NULL, "its key") \
    COLUMN(row, INTEGER, first_ns, "ns", "its first event") \
    COLUMN(row, INTEGER, start_ns, "ns", "when it first began to run on a worker; NULL: it never ran") \
    COLUMN(row, INTEGER, end_ns, "ns", "when it last ended there; NULL: it never ran") \
    COLUMN(row, INTEGER, done_ns, "ns", "when it was done (its last event, where nothing says that it was)") \
    COLUMN(row, REAL, depend_s, "s", "that it waited for other tasks, or for its launch") \
    COLUMN(row, REAL, queue_s, "s", "in queues") \
    COLUMN(row, REAL, run_s, "s", "on workers, all tries together") \
    COLUMN(row, REAL, other_s, "s", "on its way between components; the four are done_ns - first_ns") \
    COLUMN(row, INTEGER, runs, NULL, "how often it began to run; more than once: it was tried again") \
    COLUMN(row, REAL, lost_s, "s", "from its first start to its last, which tries before the last one cost it") \
    COLUMN(row, REAL, retried_s, "s", "on workers, of tries before the last one") \
    COLUMN(row, INTEGER, worker, NULL, "the worker that it ran on last; NULL: nothing says") \
    COLUMN(row, TEXT, ended, NULL, "how: done, failed, dependency failed, as recipes call it; NULL: nothing says") \
    COLUMN(row, ANY, app, NULL, "as attributes tell") \
    COLUMN(row, ANY, executor, NULL, "of its last try") \
    COLUMN(row, ANY, host, NULL, "of its last try") \
    COLUMN(row, ANY, exception, NULL, "of its last try")
/* clang-format on */
SL_ROW(task_times, TASK_TIMES);

static const struct sl_column args[] = {
    {"workflow", SL_COLUMN_INTEGER, NULL, "the id of a workflow's span", 0},
};

/* Of the task at hand. */
struct times {
    int64_t kind_ns[SL_PHASE_DONE + 1];
    int64_t start_ns, last_start_ns, end_ns, retried_ns;
    uint32_t runs, worker; /* index into the graph */
};

struct state {
    struct sl_table_rows rows;
    struct sl_workflow own;
    const struct sl_workflow *w;             /* own, or what the program has loaded */
    const struct sl_task_attrs *keys, *told; /* told: NULL: not asked for */
    struct task_times row;
};

static void end_times(void *state)
{
    sl_workflow_free(&((struct state *)state)->own);
}

static int start_times(void *state, const struct sl_call *call, struct sl_err *err)
{
    struct state *s = state;
    int rc = sl_workflow_find(&s->w, &s->own, call->db, call->arg[0], err);

    s->told = NULL;
    if (!rc)
        rc = sl_task_attrs_keys(&s->keys, s->w, err);
    if (!rc && (sl_call_uses(call, task_times, app) || sl_call_uses(call, task_times, executor) ||
                sl_call_uses(call, task_times, host) || sl_call_uses(call, task_times, exception)))
        rc = sl_task_attrs_load(&s->told, s->w, err);
    s->rows = (struct sl_table_rows){.n = rc ? 0 : s->w->n};
    return rc;
}

static void add_up(struct times *to, const struct sl_workflow *w, const struct sl_task *t)
{
    bool running = false;

    *to = (struct times){.worker = SL_NO_INDEX};
    for (uint32_t i = 0; i < t->nseg; i++) {
        const struct sl_segment *seg = &w->seg.v[t->seg + i];
        const struct sl_under *under = sl_segment_under(w, t->seg + i);
        enum sl_phase_kind kind = w->states.v[under ? under->state : seg->state].kind;
        int64_t end_ns = sl_segment_end(w, t, i);
        uint32_t span = under ? under->span : seg->span;
        to->kind_ns[kind] += end_ns - seg->from_ns;
        if (kind == SL_PHASE_RUN) {
            if (!running && !to->runs++)
                to->start_ns = seg->from_ns;
            if (!running) {
                to->last_start_ns = seg->from_ns;
                to->retried_ns = to->kind_ns[kind] - (end_ns - seg->from_ns);
            }
            to->end_ns = end_ns;
            if (w->worker[span] != SL_NO_INDEX)
                to->worker = w->worker[span];
        }
        running = kind == SL_PHASE_RUN;
    }
}

static double seconds(int64_t ns)
{
    return (double)ns / 1e9;
}

static void put_told(struct task_times *x, const struct sl_task_attrs *told, size_t task)
{
    const struct sl_try *last = told->last[task] == SL_NO_INDEX ? NULL : &told->tries.v[told->last[task]];

    x->app = sl_task_attrs_cell(told, told->app[task]);
    x->executor = sl_task_attrs_cell(told, last ? last->executor : 0);
    x->host = sl_task_attrs_cell(told, last ? last->host : 0);
    x->exception = sl_task_attrs_cell(told, last && last->exception ? last->exception : told->exception[task]);
}

static const void *get_task(void *state)
{
    struct state *s = state;
    const struct sl_task *t = &s->w->task[s->rows.at];
    const int64_t *id = s->w->s.g.id.v;
    struct times of;

    add_up(&of, s->w, t);
    s->row = (struct task_times){
        .span = id[t->span],
        .task = s->keys->key_text.s + s->keys->key_at[s->rows.at],
        .first_ns = t->first_ns,
        .start_ns = of.runs ? of.start_ns : SL_NULL_INTEGER,
        .end_ns = of.runs ? of.end_ns : SL_NULL_INTEGER,
        .done_ns = t->done_ns,
        .depend_s = seconds(of.kind_ns[SL_PHASE_DEPEND]),
        .queue_s = seconds(of.kind_ns[SL_PHASE_WAIT]),
        .run_s = seconds(of.kind_ns[SL_PHASE_RUN]),
        .other_s = seconds(of.kind_ns[SL_PHASE_WORK] + of.kind_ns[SL_PHASE_DONE]),
        .runs = of.runs,
        .lost_s = seconds(of.last_start_ns - of.start_ns),
        .retried_s = seconds(of.retried_ns),
        .worker = of.worker != SL_NO_INDEX ? id[of.worker] : SL_NULL_INTEGER,
        .ended = t->ended,
    };
    if (s->told)
        put_told(&s->row, s->told, s->rows.at);
    return &s->row;
}

const struct sl_table_fn sl_fn_task_times = {
    .name = "task_times",
    .about = "where the time of each task went",
    .row = &task_times_columns,
    .arg = args,
    .args = 1,
    .needed = 1,
    .usage = "task_times(1), with the id of a workflow's span",
    .hidden = 4,
    .state_bytes = sizeof(struct state),
    .start = start_times,
    .get = get_task,
    .end = end_times,
};
