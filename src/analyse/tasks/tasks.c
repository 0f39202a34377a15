/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/tasks/tasks.h"
#include "analyse/calls/unfinished.h"
#include "analyse/ext.h"
#include "analyse/load/fast_rows.h"
#include "analyse/load/shared.h"
#include "analyse/tasks/path.h"
#include "analyse/tasks/task_attrs.h"
#include "analyse/tasks/tasks_internal.h"
#include "store/store.h" /* the kinds of links alone */
#include "tasks_tasks.sql.h"

#include <stdlib.h>

static void mark(uint32_t **array, uint32_t n)
{
    *array = sl_alloc((size_t)n * sizeof **array);
    memset(*array, 0xFF, (size_t)n * sizeof **array); /* SL_NO_INDEX */
}

/*
 * Whose subspans a span is, where that is a worker; a try of which a subspan is one, and its facets, are that worker's,
 * too: monitoring.db tells that a try of a thread runs.
 */
static void find_workers(struct working *k)
{
    const struct sl_graph *g = &k->w->s.g;
    uint32_t *worker = k->w->worker;

    for (uint32_t i = 0; i < g->n; i++)
        if (sl_closure_is(&k->r, i, SL_ROLE_WORKER))
            for (size_t c = g->sub.start[i]; c < g->sub.start[i + 1]; c++)
                worker[g->sub.to[c]] = i;
    for (uint32_t i = 0; i < g->n; i++)
        for (size_t c = g->sub.start[i]; c < g->sub.start[i + 1] && sl_closure_is(&k->r, i, SL_ROLE_ATTEMPT); c++) {
            if (worker[g->sub.to[c]] == SL_NO_INDEX)
                continue;
            worker[i] = worker[g->sub.to[c]];
            for (size_t f = g->facet.start[i]; f < g->facet.start[i + 1]; f++)
                worker[g->facet.to[f]] = worker[i];
        }
}

/* ---- what tasks waited for ---- */

enum { AFTER, FLOW };

struct waits {
    const struct sl_graph *g;
    const struct working *k;
    SL_VEC(struct { uint32_t span, on; }) v[2];
};

static void add_wait(struct waits *all, int kind, uint32_t left, uint32_t right)
{
    sl_vec_add(&all->v[kind]); /* after: left waited; flow: left handed over */
    all->v[kind].v[all->v[kind].n - 1].span = kind == AFTER ? left : right;
    all->v[kind].v[all->v[kind].n - 1].on = kind == AFTER ? right : left;
}

static int wait_row(void *to, sqlite3_value **v)
{
    struct waits *all = to;
    int kind = sqlite3_value_int(v[1]) == SL_AFTER ? AFTER : FLOW;
    uint32_t left = sl_graph_find(all->g, sqlite3_value_int64(v[0])), right;

    right = sl_graph_find(all->g, sqlite3_value_int64(v[2]));
    if (left == SL_NO_INDEX || right == SL_NO_INDEX || left == right || sqlite3_value_type(v[0]) != SQLITE_INTEGER ||
        sqlite3_value_type(v[2]) != SQLITE_INTEGER)
        return 0;
    add_wait(all, kind, left, right);
    for (size_t c = all->g->sub.start[right]; kind == AFTER && c < all->g->sub.start[right + 1]; c++)
        if (sl_closure_is(&all->k->r, all->g->sub.to[c], SL_ROLE_JOB) &&
            sl_closure_is(&all->k->r, right, SL_ROLE_JOB)) /* of an array, each element */
            add_wait(all, kind, left, all->g->sub.to[c]);
    return 0;
}

/* Side by side for each span, by counting. */
static void pack_waits(struct sl_csr *c, const struct waits *all, int kind)
{
    uint32_t n = all->g->n;

    c->start = sl_alloc(((size_t)n + 2) * sizeof *c->start);
    c->to = sl_alloc(all->v[kind].n * sizeof *c->to);
    for (size_t i = 0; i < all->v[kind].n; i++)
        c->start[all->v[kind].v[i].span + 2]++;
    for (size_t i = 2; i < (size_t)n + 2; i++)
        c->start[i] += c->start[i - 1];
    for (size_t i = 0; i < all->v[kind].n; i++)
        c->to[c->start[all->v[kind].v[i].span + 1]++] = all->v[kind].v[i].on;
}

static int load_waits(struct working *k, struct sl_err *err)
{
    struct waits all = {.g = &k->w->s.g, .k = k};
    const char *part = k->w->s.g.part;
    int rc = sl_query_each_of(k->w->s.db, part ? sql_these_waits : sql_waits, part, wait_row, &all, err);

    if (!rc && (all.v[AFTER].n > UINT32_MAX || all.v[FLOW].n > UINT32_MAX))
        rc = sl_err(err, SL_ESTORE, "the store has more dependencies than this analysis can hold");
    for (int kind = 0; kind < 2; kind++) {
        if (!rc)
            pack_waits(&k->wait[kind], &all, kind);
        sl_vec_free(&all.v[kind]);
    }
    return rc;
}

struct wait {
    uint32_t task, kind, on;
};

static int by_task(const void *a, const void *b)
{
    const struct wait *x = a, *y = b;

    if (x->task != y->task)
        return x->task < y->task ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return (x->on > y->on) - (x->on < y->on);
}

/* ---- in order ---- */

struct order {
    int64_t ns;
    uint32_t span, i;
};

static int by_time(const void *a, const void *b)
{
    const struct order *x = a, *y = b;

    if (x->ns != y->ns)
        return x->ns < y->ns ? -1 : 1;
    return (x->span > y->span) - (x->span < y->span);
}

/* Tasks that have events by their first one; number[] says where each has gone. */
static void sort_tasks(struct working *k, uint32_t *number)
{
    struct sl_workflow *w = k->w;
    struct order *o = sl_alloc(k->tasks.n * sizeof *o);
    size_t n = 0;

    for (uint32_t i = 0; i < k->tasks.n; i++)
        if (k->tasks.v[i].nseg)
            o[n++] = (struct order){k->tasks.v[i].first_ns, k->tasks.v[i].span, i};
    if (n)
        qsort(o, n, sizeof *o, by_time);
    w->task = sl_alloc(n * sizeof *w->task);
    w->n = (uint32_t)n;
    for (uint32_t i = 0; i < n; i++) {
        w->task[i] = k->tasks.v[o[i].i];
        w->undone += !w->task[i].done;
        number[o[i].i] = i;
    }
    for (uint32_t i = 0; i < n; i++)
        o[i] = (struct order){w->task[i].done_ns, i, i};
    if (n)
        qsort(o, n, sizeof *o, by_time);
    w->by_done = sl_alloc(n * sizeof *w->by_done);
    for (uint32_t i = 0; i < n; i++)
        w->by_done[i] = o[i].i;
    free(o);
}

static void find_waits(struct working *k)
{
    struct sl_workflow *w = k->w;
    SL_VEC(struct wait) all = {0};
    uint32_t *number = sl_alloc(k->tasks.n * sizeof *number), n = 0;

    sort_tasks(k, number);
    for (size_t i = 0; i < w->s.walk.n; i++)
        for (uint32_t kind = 0, x = w->s.walk.span[i]; kind < 2; kind++)
            for (size_t c = k->wait[kind].start[x]; c < k->wait[kind].start[x + 1]; c++) {
                uint32_t task = k->unit[x], on = k->unit[k->wait[kind].to[c]];
                if (task != SL_NO_INDEX && on != SL_NO_INDEX && task != on && k->tasks.v[task].nseg &&
                    k->tasks.v[on].nseg)
                    *sl_vec_add(&all) = (struct wait){number[task], kind, number[on]};
            }
    if (all.n)
        qsort(all.v, all.n, sizeof *all.v, by_task);
    w->pred = sl_alloc(all.n * sizeof *w->pred);
    for (size_t i = 0; i < all.n; i++) {
        const struct wait *x = &all.v[i];
        struct sl_task *t = &w->task[x->task];
        if (i && !by_task(x, x - 1)) /* several sources say so */
            continue;
        if (x->kind == AFTER && !t->npred++)
            t->pred = n;
        if (x->kind == FLOW && !t->nflow++)
            t->flow = n;
        w->pred[n++] = x->on;
    }
    sl_vec_free(&all);
    free(number);
}

/* ---- all of it ---- */

/* 1: none is meant, there is no such span, or nothing ever happened to it. */
static int find_root(struct sl_workflow *w, sqlite3_value *workflow, struct sl_err *err)
{
    const struct sl_root_events *s = &w->s;
    bool any = false;

    if (workflow && sqlite3_value_type(workflow) == SQLITE_NULL)
        return 1;
    if (!workflow || sqlite3_value_numeric_type(workflow) != SQLITE_INTEGER)
        return sl_err(err, SL_EUSAGE, "a workflow is given by the id of its span, a whole number");
    w->root = sl_graph_find(&s->g, sqlite3_value_int64(workflow));
    if (w->root == SL_NO_INDEX)
        return 1;
    sl_walk_closure(&w->s.walk, w->root);
    sl_vec_clear(&w->workers);
    for (size_t i = 0; i < s->walk.n; i++) {
        uint32_t from = s->e.start[s->walk.span[i]], to = s->e.start[s->walk.span[i] + 1];
        if (sl_closure_is(&w->k->r, s->walk.span[i], SL_ROLE_WORKER))
            *sl_vec_add(&w->workers) = s->walk.span[i];
        if (from == to)
            continue;
        if (!any || s->e.time_ns[from] < w->first_ns)
            w->first_ns = s->e.time_ns[from];
        if (!any || s->e.time_ns[to - 1] > w->last_ns)
            w->last_ns = s->e.time_ns[to - 1];
        any = true;
    }
    if (any && (uint64_t)w->last_ns - (uint64_t)w->first_ns > INT64_MAX / 4)
        return sl_err(err, SL_EFORMAT,
                      "the events of span %lld are more than 73 years apart; find those that have a wrong time with: "
                      "spanloom sql \"SELECT * FROM events ORDER BY time_ns LIMIT 5\"",
                      (long long)sqlite3_value_int64(workflow));
    return !any;
}

static int open_store(struct sl_workflow *w, sqlite3 *db, sqlite3_value *workflow, struct sl_err *err)
{
    struct working *k;
    int rc;

    *w = (struct sl_workflow){.sources = w->sources, .k = sl_alloc(sizeof *w->k), .told = sl_alloc(sizeof *w->told)};
    k = w->k;
    k->w = w;
    rc = sl_root_events_open_raw(&w->s, db, SL_GRAPH_PARENTS, w->sources ? SL_EVENTS_SOURCES : 0, workflow, err);
    if (!rc)
        rc = sl_roles_load(&w->role, &w->s.g, db, err);
    if (!rc)
        rc = sl_working_phases(k, err);
    if (!rc && sqlite3_prepare_v2(db, "SELECT key FROM sl_span WHERE id = ?1", -1, &w->key, NULL) != SQLITE_OK)
        rc = sl_query_err(db, err);
    if (rc)
        return rc;
    k->call_type = sl_names_find(&w->s.g.names, SL_CALL_TYPE);
    mark(&k->unit, w->s.g.n);
    mark(&k->member, w->s.g.n);
    mark(&w->worker, w->s.g.n);
    sl_closure_init(&k->r, &w->s.g, w->role);
    find_workers(k);
    return load_waits(k, err);
}

/* What was made of the workflow before. */
static void forget(struct sl_workflow *w)
{
    sl_working_forget_tasks(w->k);
    sl_task_attrs_free(w->told);
    free(w->task);
    free(w->pred);
    free(w->by_done);
    w->task = NULL;
    w->pred = w->by_done = NULL;
    w->n = w->undone = 0;
    w->first_ns = w->last_ns = w->pause_ns = 0;
}

int sl_workflow_load(struct sl_workflow *w, sqlite3 *db, sqlite3_value *workflow, struct sl_err *err)
{
    bool another = w->k && !sl_graph_covers(&w->s.g, workflow); /* of the same query: then all is worth reading */
    int rc;

    if (another)
        sl_workflow_free(w);
    rc = w->k ? 0 : open_store(w, db, another ? NULL : workflow, err);
    if (rc) {
        sl_workflow_free(w); /* it may be tried again */
        return rc;
    }
    forget(w);
    rc = find_root(w, workflow, err);
    if (!rc)
        rc = sl_working_tasks(w->k, err);
    if (!rc) {
        find_waits(w->k);
        w->pause_ns = sl_driver_pause(w);
    }
    return rc > 0 ? 0 : rc;
}

int sl_workflow_find(const struct sl_workflow **out, struct sl_workflow *own, sqlite3 *db, sqlite3_value *workflow,
                     struct sl_err *err)
{
    const struct sl_shared *shared = sl_shared_of(db);
    const struct sl_workflow *w = shared ? shared->workflow : NULL;

    if (w && w->n && workflow && sqlite3_value_type(workflow) == SQLITE_INTEGER &&
        sqlite3_value_int64(workflow) == w->s.g.id.v[w->root]) {
        *out = w;
        return 0;
    }
    *out = own;
    return sl_workflow_load(own, db, workflow, err);
}

void sl_workflow_share(sqlite3 *db, const struct sl_workflow *w)
{
    struct sl_shared *shared = sl_shared_of(db);

    if (shared)
        *shared = (struct sl_shared){.events = w ? &w->s : NULL, .workflow = w};
}

static void free_working(struct working *k)
{
    for (uint32_t i = 0; k->phase_of && i < k->w->s.span_types; i++)
        free(k->phase_of[i]);
    free(k->phase_of);
    free(k->phased);
    sl_vec_free(&k->phase);
    sl_intern_free(&k->state);
    sl_intern_free(&k->after);
    sl_vec_free(&k->after_state);
    sl_vec_free(&k->tasks);
    sl_vec_free(&k->history);
    sl_vec_free(&k->open);
    sl_vec_free(&k->told);
    free(k->unit);
    free(k->member);
    for (int kind = 0; kind < 2; kind++) {
        free(k->wait[kind].start);
        free(k->wait[kind].to);
    }
    sl_closure_free(&k->r);
    free(k);
}

void sl_workflow_finish(struct sl_workflow *w)
{
    if (w->k)
        free_working(w->k);
    w->k = NULL;
    sl_walk_free(&w->s.walk);
}

void sl_workflow_free(struct sl_workflow *w)
{
    if (w->k)
        free_working(w->k);
    sqlite3_finalize(w->key);
    sl_root_events_free(&w->s);
    free(w->task);
    sl_vec_free(&w->seg);
    sl_vec_free(&w->under);
    free(w->pred);
    sl_vec_free(&w->states);
    free(w->by_done);
    sl_arena_free(&w->arena);
    free(w->role);
    sl_vec_free(&w->workers);
    free(w->worker);
    if (w->told)
        sl_task_attrs_free(w->told);
    free(w->told);
    *w = (struct sl_workflow){0};
}

static bool has_role(const struct sl_workflow *w, uint32_t span, enum sl_role role)
{
    uint32_t type = w->s.g.type[span];

    return type != SL_NO_INDEX && w->role && w->role[type] == role;
}

const char *sl_workflow_key(const struct sl_workflow *w, uint32_t span, struct sl_arena *text)
{
    struct sl_buf array = {0};
    const char *key = NULL;

    if (sl_workflow_array(w, span, &array)) {
        key = sl_arena_copy(text, array.s, array.n);
    } else {
        sqlite3_bind_int64(w->key, 1, w->s.g.id.v[span]);
        if (sqlite3_step(w->key) == SQLITE_ROW && sqlite3_column_text(w->key, 0))
            key = sl_arena_copy(text, sqlite3_column_text(w->key, 0), (size_t)sqlite3_column_bytes(w->key, 0));
        sqlite3_reset(w->key);
    }
    sl_buf_free(&array);
    return key;
}

bool sl_workflow_array(const struct sl_workflow *w, uint32_t span, struct sl_buf *out)
{
    uint32_t job = w->s.g.parent[span];
    bool is_part = job != SL_NO_INDEX && has_role(w, span, SL_ROLE_JOB) && has_role(w, job, SL_ROLE_JOB);

    for (int part = 0; part < 2 && is_part; part++) {
        sqlite3_bind_int64(w->key, 1, w->s.g.id.v[part ? span : job]);
        if (sqlite3_step(w->key) == SQLITE_ROW && sqlite3_column_text(w->key, 0))
            sl_buf_addf(out, "%s%s", part ? "_" : "", (const char *)sqlite3_column_text(w->key, 0));
        sqlite3_reset(w->key);
    }
    return is_part;
}

const struct sl_under *sl_segment_under(const struct sl_workflow *w, uint32_t seg)
{
    size_t lo = 0, hi = w->seg.v[seg].over ? w->under.n : 0;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (w->under.v[mid].seg == seg)
            return &w->under.v[mid];
        if (w->under.v[mid].seg < seg)
            lo = mid + 1;
        else
            hi = mid;
    }
    return NULL;
}

uint32_t sl_workflow_done_by(const struct sl_workflow *w, int64_t time_ns)
{
    uint32_t lo = 0, hi = w->n;

    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (w->task[w->by_done[mid]].done_ns <= time_ns)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}
