/* SPDX-License-Identifier: Apache-2.0 */
/*
 * task_states(workflow, bins [, by]): how many tasks of a workflow were in which state over time, until they were done:
 * the states that the critical path has (analyse/tasks/tasks.h), whatever order the logs of components have.
 *
 *   time_ns            where a bin begins, a multiple of its width since the epoch
 *   component, state   as of critical_path()
 *   kind               of the state: depend, wait, run, work (on its way), done; as sl_state has them
 *   tasks              how many, a mean over the bin
 *
 * and, hidden (they come when named): width_s, of the bins; name, of the group, (none) where nothing tells.  bins:
 * seconds, or a text such as '36 bins'.  by: 'app' or 'executor', as of task_times().  Rows come by time, then by name,
 * then by state; where there are no tasks, there are none.
 */
#include "analyse/bins.h"
#include "analyse/ext.h"
#include "analyse/groups.h"
#include "analyse/sqlfn/sqlfn.h"
#include "analyse/sqlfn/table.h"
#include "analyse/tasks/told.h"

#include <stdlib.h>
#include <string.h>

enum { TIME_NS, COMPONENT, STATE, KIND, TASKS, COLUMNS, WIDTH_S = COLUMNS, NAME };
enum { WORKFLOW, BINS, BY };

enum { CELLS_MOST = 1 << 26 };

/* The time of tasks in a state within a bin. */
struct cell {
    double part_ns; /* of those that entered or left it in the bin */
    int64_t whole;  /* how many more than in the bin before were in it all the time */
};

struct row {
    int64_t bin;
    uint32_t group, state;
    double tasks;
};

struct state {
    struct sl_table_rows rows;
    struct sl_workflow own;
    const struct sl_workflow *w; /* own, or what the program has loaded */
    const struct sl_told *told;
    struct sl_bins bins;
    uint32_t *group; /* by task: a value of told; NULL: there is one group */
    SL_VEC(struct row) row;
};

static void end(void *state)
{
    struct state *s = state;

    sl_workflow_free(&s->own);
    free(s->group);
    sl_vec_free(&s->row);
}

static int find_groups(struct state *s, sqlite3_value *arg, struct sl_err *err)
{
    const char *by = arg ? (const char *)sqlite3_value_text(arg) : NULL;
    bool app = by && !strcmp(by, "app");
    int rc;

    if (!by)
        return 0;
    if (!app && strcmp(by, "executor") != 0)
        return sl_err(err, SL_EUSAGE, "task_states(): by is 'app' or 'executor', not '%s'", by);
    if ((rc = sl_told_load(&s->told, s->w, err)))
        return rc;
    s->group = sl_alloc((s->w->n + 1) * sizeof *s->group);
    for (uint32_t i = 0; i < s->w->n; i++)
        s->group[i] = app                               ? s->told->app[i]
                      : s->told->last[i] == SL_NO_INDEX ? 0
                                                        : s->told->tries.v[s->told->last[i]].executor;
    return 0;
}

/* A stretch of time in one state; `cells`: its row of bins, the first of which is s->bins.first. */
static void add(const struct state *s, struct cell *cells, int64_t from_ns, int64_t to_ns)
{
    int64_t a = sl_bins_of(&s->bins, from_ns), b = sl_bins_of(&s->bins, to_ns);

    if (to_ns <= from_ns)
        return;
    if (a == b) {
        cells[a - s->bins.first].part_ns += (double)(to_ns - from_ns);
        return;
    }
    cells[a - s->bins.first].part_ns += (double)(sl_bins_edge(&s->bins, a + 1) - from_ns);
    cells[a + 1 - s->bins.first].whole++;
    cells[b - s->bins.first].whole--;
    cells[b - s->bins.first].part_ns += (double)(to_ns - sl_bins_edge(&s->bins, b));
}

static int count(struct state *s, struct sl_err *err)
{
    const struct sl_workflow *w = s->w;
    size_t bins = (size_t)(s->bins.last - s->bins.first + 1), states = w->states.n, groups = 1;
    uint32_t *number = NULL; /* by value: which group it is, from 1 on */
    SL_VEC(uint32_t) value = {0};
    struct cell *cell;

    if (s->group) {
        uint32_t most = 0;
        for (uint32_t i = 0; i < w->n; i++)
            most = s->group[i] > most ? s->group[i] : most;
        number = sl_alloc(((size_t)most + 1) * sizeof *number);
        for (uint32_t i = 0; i < w->n; i++)
            if (!number[s->group[i]]) {
                *sl_vec_add(&value) = s->group[i];
                number[s->group[i]] = (uint32_t)value.n;
            }
        groups = value.n;
    }
    if (groups > CELLS_MOST / (bins * states)) {
        free(number);
        sl_vec_free(&value);
        return sl_err(err, SL_EUSAGE, "task_states(): %zu bins for each of %zu states of %zu groups are too many", bins,
                      states, groups);
    }
    cell = sl_alloc(groups * states * bins * sizeof *cell);
    for (uint32_t i = 0; i < w->n; i++) {
        const struct sl_task *t = &w->task[i];
        size_t group = number ? number[s->group[i]] - 1 : 0;
        for (uint32_t k = 0; k < t->nseg; k++) {
            const struct sl_segment *x = &w->seg.v[t->seg + k];
            add(s, &cell[(group * states + x->state) * bins], x->from_ns, sl_segment_end(w, t, k));
        }
    }
    for (size_t r = 0; r < groups * states; r++) {
        int64_t now = 0;
        for (size_t b = 0; b < bins; b++) {
            const struct cell *c = &cell[r * bins + b];
            double ns = c->part_ns + (double)(now += c->whole) * (double)s->bins.width_ns;
            if (ns > 0)
                *sl_vec_add(&s->row) = (struct row){s->bins.first + (int64_t)b, number ? value.v[r / states] : 0,
                                                    (uint32_t)(r % states), ns / (double)s->bins.width_ns};
        }
    }
    free(cell);
    free(number);
    sl_vec_free(&value);
    return 0;
}

static const char *name_of(const struct state *s, uint32_t group)
{
    return group ? sl_intern_text(&s->told->value, group) : SL_GROUP_NONE;
}

static int by_time(const void *a, const void *b, void *state)
{
    const struct row *x = a, *y = b;
    int by_name;

    if (x->bin != y->bin)
        return x->bin < y->bin ? -1 : 1;
    if (x->group != y->group && (by_name = strcmp(name_of(state, x->group), name_of(state, y->group))))
        return by_name;
    return (x->state > y->state) - (x->state < y->state);
}

static int start(void *state, const struct sl_call *call, struct sl_err *err)
{
    struct state *s = state;
    int rc;

    end(s);
    *s = (struct state){0};
    rc = sl_bins_width(&s->bins, call->arg[BINS], err);
    if (!rc)
        rc = sl_workflow_find(&s->w, &s->own, call->db, call->arg[WORKFLOW], err);
    if (!rc)
        rc = find_groups(s, call->arg[BY], err);
    if (rc || !s->w->n)
        return rc;
    sl_bins_fit(&s->bins, s->w->first_ns, s->w->last_ns);
    rc = sl_bins_over(&s->bins, s->w->first_ns, s->w->last_ns, INT64_MIN, INT64_MAX, err);
    if (!rc)
        rc = count(s, err);
    if (!rc && s->row.n)
        qsort_r(s->row.v, s->row.n, sizeof *s->row.v, by_time, s);
    s->rows = (struct sl_table_rows){.n = rc ? 0 : s->row.n};
    return rc;
}

static void column(const void *state, sqlite3_context *out, int col)
{
    const struct state *s = state;
    const struct row *r = &s->row.v[s->rows.at];
    const struct sl_phase_state *p = &s->w->states.v[r->state];

    switch (col) {
    case TIME_NS: sqlite3_result_int64(out, sl_bins_begin(&s->bins, r->bin)); break;
    case COMPONENT: sqlite3_result_text(out, p->component, -1, SQLITE_TRANSIENT); break;
    case STATE: sqlite3_result_text(out, p->state, -1, SQLITE_TRANSIENT); break;
    case KIND: sqlite3_result_text(out, sl_phase_kinds[p->kind], -1, SQLITE_STATIC); break;
    case TASKS: sqlite3_result_double(out, r->tasks); break;
    case WIDTH_S: sqlite3_result_double(out, (double)s->bins.width_ns / 1e9); break;
    default:
        if (s->group && r->group)
            sl_told_result(s->told, r->group, out);
        else if (s->group)
            sqlite3_result_text(out, SL_GROUP_NONE, -1, SQLITE_STATIC);
    }
}

const struct sl_table_fn sl_fn_task_states = {
    .name = "task_states",
    .schema = "CREATE TABLE x(time_ns INTEGER, component TEXT, state TEXT, kind TEXT, tasks REAL, workflow INTEGER "
              "HIDDEN, bins "
              "HIDDEN, by TEXT HIDDEN, width_s REAL HIDDEN, name HIDDEN)",
    .columns = COLUMNS,
    .args = 3,
    .needed = 2,
    .usage = "task_states(1, '36 bins'), with the id of a workflow's span",
    .rows = 1000,
    .state_bytes = sizeof(struct state),
    .start = start,
    .column = column,
    .end = end,
};
