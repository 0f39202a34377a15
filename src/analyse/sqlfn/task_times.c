/* SPDX-License-Identifier: Apache-2.0 */
/*
 * task_times(workflow): one row a task, in the order of submission: where its own time went (analyse/tasks/tasks.h).
 *
 *   span, task          id and key of the task
 *   first_ns            its first event
 *   start_ns, end_ns    when it first began to run on a worker, and when it last ended there; NULL: it never ran
 *   done_ns             when it was done (its last event, where nothing says that it was)
 *   depend_s            seconds that it waited for other tasks, or for its launch
 *   queue_s             seconds in queues
 *   run_s               seconds on workers, all tries together
 *   other_s             seconds on its way between components; the four are done_ns - first_ns
 *   runs                how often it began to run; more than once: it was tried again
 *   lost_s              seconds from its first start to its last, which tries before the last one cost it
 *   retried_s           seconds on workers of tries before the last one
 *   worker              the worker that it ran on last, spans.id; NULL: nothing says
 *   ended               how: "done", "failed", "dependency failed", as recipes call it; NULL: nothing says
 *
 * Hidden, as `SELECT app` alone needs them: app, executor, host and exception, what attributes tell of it and of its
 * last try (told.h).
 */
#include "analyse/ext.h"
#include "analyse/sqlfn/sqlfn.h"
#include "analyse/sqlfn/table.h"
#include "analyse/tasks/told.h"

enum {
    SPAN,
    TASK,
    FIRST_NS,
    START_NS,
    END_NS,
    DONE_NS,
    DEPEND_S,
    QUEUE_S,
    RUN_S,
    OTHER_S,
    RUNS,
    LOST_S,
    RETRIED_S,
    WORKER,
    ENDED,
    COLUMNS,
    APP = COLUMNS,
    EXECUTOR,
    HOST,
    EXCEPTION
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
    const struct sl_workflow *w; /* own, or what the program has loaded */
    struct times of;
    size_t known;                      /* of which task, plus 1 */
    const struct sl_told *keys, *told; /* told: NULL: not asked for so far */
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
        rc = sl_told_keys(&s->keys, s->w, err);
    s->rows = (struct sl_table_rows){.n = rc ? 0 : s->w->n};
    s->known = 0;
    s->told = NULL;
    return rc;
}

static void reckon(struct times *to, const struct sl_workflow *w, const struct sl_task *t)
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

static void seconds(sqlite3_context *out, int64_t ns)
{
    sqlite3_result_double(out, (double)ns / 1e9);
}

static void tell(struct state *s, sqlite3_context *out, int col)
{
    struct sl_err err = {0};
    uint32_t last;

    if (!s->told && sl_told_load(&s->told, s->w, &err)) {
        s->told = NULL;
        sqlite3_result_error(out, err.text, -1);
        return;
    }
    last = s->told->last[s->rows.at];
    if (last != SL_NO_INDEX && col == EXECUTOR)
        sl_told_result(s->told, s->told->tries.v[last].executor, out);
    else if (last != SL_NO_INDEX && col == HOST)
        sl_told_result(s->told, s->told->tries.v[last].host, out);
    else if (last != SL_NO_INDEX && col == EXCEPTION && s->told->tries.v[last].exception)
        sl_told_result(s->told, s->told->tries.v[last].exception, out);
    else if (col == APP || col == EXCEPTION)
        sl_told_result(s->told, col == APP ? s->told->app[s->rows.at] : s->told->exception[s->rows.at], out);
}

static void column(const void *state, sqlite3_context *out, int col)
{
    struct state *s = (struct state *)state; /* what is known of the row is kept for its next column */
    const struct sl_task *t = &s->w->task[s->rows.at];
    const int64_t *id = s->w->s.g.id.v;

    if (col > COLUMNS - 1) {
        tell(s, out, col);
        return;
    }
    if (s->known != s->rows.at + 1)
        reckon(&s->of, s->w, t);
    s->known = s->rows.at + 1;
    switch (col) {
    case SPAN: sqlite3_result_int64(out, id[t->span]); break;
    case TASK: {
        const char *key = s->keys->key_text.s + s->keys->key_at[s->rows.at];
        sqlite3_result_text(out, key, -1, SQLITE_TRANSIENT);
        break;
    }
    case FIRST_NS: sqlite3_result_int64(out, t->first_ns); break;
    case DONE_NS: sqlite3_result_int64(out, t->done_ns); break;
    case DEPEND_S: seconds(out, s->of.kind_ns[SL_PHASE_DEPEND]); break;
    case QUEUE_S: seconds(out, s->of.kind_ns[SL_PHASE_WAIT]); break;
    case RUN_S: seconds(out, s->of.kind_ns[SL_PHASE_RUN]); break;
    case OTHER_S: seconds(out, s->of.kind_ns[SL_PHASE_WORK] + s->of.kind_ns[SL_PHASE_DONE]); break;
    case RUNS: sqlite3_result_int64(out, s->of.runs); break;
    case RETRIED_S: seconds(out, s->of.retried_ns); break;
    case LOST_S: seconds(out, s->of.last_start_ns - s->of.start_ns); break;
    case ENDED: sqlite3_result_text(out, t->ended, -1, SQLITE_TRANSIENT); break;
    case START_NS:
        if (s->of.runs)
            sqlite3_result_int64(out, s->of.start_ns);
        break;
    case END_NS:
        if (s->of.runs)
            sqlite3_result_int64(out, s->of.end_ns);
        break;
    default:
        if (s->of.worker != SL_NO_INDEX)
            sqlite3_result_int64(out, id[s->of.worker]);
    }
}

const struct sl_table_fn sl_fn_task_times = {
    .name = "task_times",
    .schema =
        "CREATE TABLE x(span INTEGER, task TEXT, first_ns INTEGER, start_ns INTEGER, end_ns INTEGER, done_ns INTEGER, "
        "depend_s REAL, queue_s REAL, run_s REAL, other_s REAL, runs INTEGER, lost_s REAL, retried_s REAL, worker "
        "INTEGER, "
        "ended TEXT, workflow INTEGER HIDDEN, app HIDDEN, executor HIDDEN, host HIDDEN, exception HIDDEN)",
    .columns = COLUMNS,
    .args = 1,
    .needed = 1,
    .usage = "task_times(1), with the id of a workflow's span",
    .rows = 1000,
    .state_bytes = sizeof(struct state),
    .start = start,
    .column = column,
    .end = end,
};
