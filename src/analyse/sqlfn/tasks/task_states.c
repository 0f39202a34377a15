/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many tasks of a workflow were in which state over time, until they were done: the states that the critical path
 * has (analyse/tasks/tasks.h), whatever order the logs of components have.  Rows come by time, then by name, then by
 * state; where there are no tasks, there are none.
 */
#include "analyse/bins.h"
#include "analyse/ext.h"
#include "analyse/groups.h"
#include "analyse/sqlfn/sqlfn.h"
#include "analyse/tasks/task_attrs.h"

#include <stdlib.h>
#include <string.h>

/* clang-format off */
#define TASK_STATES(COLUMN, row) \
    COLUMN(row, INTEGER, time_ns, "ns", "where the bin begins, a multiple of its width since the epoch") \
    COLUMN(row, TEXT, component, NULL, "as of critical_path()") \
    COLUMN(row, TEXT, state, NULL, "as of critical_path()") \
    COLUMN(row, TEXT, kind, NULL, "of the state: depend, wait, run, work (on its way), done; as sl_state has them") \
    COLUMN(row, REAL, tasks, "tasks", "that were in it, a mean over the bin") \
    COLUMN(row, REAL, width_s, "s", "of the bins") \
    COLUMN(row, ANY, name, NULL, "of the group, (none) where nothing tells")
/* clang-format on */
SL_ROW(task_states, TASK_STATES);

static const struct sl_column args[] = {
    {"workflow", SL_COLUMN_INTEGER, NULL, "the id of a workflow's span", 0},
    {"bins", SL_COLUMN_ANY, NULL, "seconds, or a text such as '36 bins'", 0},
    {"by", SL_COLUMN_TEXT, NULL, "'app' or 'executor', as of task_times()", 0},
};
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

struct asked {
    struct sl_workflow own;
    const struct sl_workflow *w; /* own, or what the program has loaded */
    const struct sl_task_attrs *told;
    struct sl_bins bins;
    uint32_t *group; /* by task: a value of told; NULL: there is one group */
    SL_VEC(struct row) row;
};

static int find_groups(struct asked *s, sqlite3_value *arg, struct sl_err *err)
{
    const char *by = arg ? (const char *)sqlite3_value_text(arg) : NULL;
    bool app = by && !strcmp(by, "app");
    int rc;

    if (!by)
        return 0;
    if (!app && strcmp(by, "executor") != 0)
        return sl_err(err, SL_EUSAGE, "task_states(): by is 'app' or 'executor', not '%s'", by);
    if ((rc = sl_task_attrs_load(&s->told, s->w, err)))
        return rc;
    s->group = sl_alloc((s->w->n + 1) * sizeof *s->group);
    for (uint32_t i = 0; i < s->w->n; i++)
        s->group[i] = app                               ? s->told->app[i]
                      : s->told->last[i] == SL_NO_INDEX ? 0
                                                        : s->told->tries.v[s->told->last[i]].executor;
    return 0;
}

/* A stretch of time in one state; `cells`: its row of bins, the first of which is s->bins.first. */
static void add(const struct asked *s, struct cell *cells, int64_t from_ns, int64_t to_ns)
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

static int count(struct asked *s, struct sl_err *err)
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

static const char *name_of(const struct asked *s, uint32_t group)
{
    return group ? sl_intern_text(&s->told->value, group) : SL_GROUP_NONE;
}

static int by_time(const void *a, const void *b, void *asked)
{
    const struct row *x = a, *y = b;
    int by_name;

    if (x->bin != y->bin)
        return x->bin < y->bin ? -1 : 1;
    if (x->group != y->group && (by_name = strcmp(name_of(asked, x->group), name_of(asked, y->group))))
        return by_name;
    return (x->state > y->state) - (x->state < y->state);
}

static int load(struct asked *s, const struct sl_call *call, struct sl_err *err)
{
    int rc = sl_bins_width(&s->bins, call->arg[BINS], err);

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
    return rc;
}

static struct sl_cell group_cell(const struct asked *s, uint32_t group)
{
    if (s->group && !group)
        return (struct sl_cell){SL_CELL_TEXT, strlen(SL_GROUP_NONE), {.s = SL_GROUP_NONE}};
    return s->group ? sl_task_attrs_cell(s->told, group) : (struct sl_cell){0};
}

static int fill_states(struct sl_rows *out, const struct sl_call *call, struct sl_err *err)
{
    struct asked s = {0};
    int rc = load(&s, call, err);

    for (size_t i = 0; i < s.row.n && !rc; i++) {
        const struct row *r = &s.row.v[i];
        const struct sl_phase_state *p = &s.w->states.v[r->state];
        struct task_states *x = sl_rows_add(out);
        x->time_ns = sl_bins_begin(&s.bins, r->bin);
        x->component = sl_rows_text(out, p->component);
        x->state = sl_rows_text(out, p->state);
        x->kind = sl_phase_kinds[p->kind];
        x->tasks = r->tasks;
        x->width_s = (double)s.bins.width_ns / 1e9;
        x->name = sl_rows_own(out, group_cell(&s, r->group));
    }
    sl_workflow_free(&s.own);
    free(s.group);
    sl_vec_free(&s.row);
    return rc;
}

const struct sl_table_fn sl_fn_task_states = {
    .name = "task_states",
    .about = "how many tasks were in which state over time",
    .row = &task_states_columns,
    .arg = args,
    .args = 3,
    .needed = 2,
    .usage = "task_states(1, '36 bins'), with the id of a workflow's span",
    .hidden = 2,
    .fill = fill_states,
};
