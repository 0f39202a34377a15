/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/tasks/tasks_internal.h"
#include "base/mem.h"

#include <stdlib.h>

static bool is(const struct working *k, uint32_t span, enum sl_role role)
{
    return sl_closure_is(&k->r, span, role);
}

/* ---- which spans are tasks ---- */

/* A task and its facets; one of them that stands in the workflow's own span speaks for all. */
static void add_task(struct working *k, uint32_t span)
{
    const struct sl_graph *g = &k->w->s.g;
    uint32_t best = span, number = (uint32_t)k->tasks.n;

    if (k->member[span] != SL_NO_INDEX)
        return;
    sl_walk_begin(&k->r.walk, span);
    for (size_t i = 0; i < k->r.walk.n; i++) {
        uint32_t x = k->r.walk.span[i];
        bool own = g->parent[x] == k->w->root, best_own = g->parent[best] == k->w->root;
        if (own > best_own || (own == best_own && x < best))
            best = x;
        k->member[x] = k->unit[x] = number;
        sl_walk_spread(&k->r.walk, &g->facet, x);
    }
    sl_vec_add(&k->tasks)->span = best;
}

/* The workflow and its facets, in k->r.walk. */
static void workflow_group(struct working *k)
{
    sl_walk_begin(&k->r.walk, k->w->root);
    for (size_t i = 0; i < k->r.walk.n; i++)
        sl_walk_spread(&k->r.walk, &k->w->s.g.facet, k->r.walk.span[i]);
}

/* Spans of the role that are named in the workflow; or all its subspans that are no workers. */
static void add_children(struct working *k, bool any)
{
    const struct sl_graph *g = &k->w->s.g;
    SL_VEC(uint32_t) found = {0};
    size_t i, end;

    workflow_group(k);
    for (i = 0; i < k->r.walk.n; i++) {
        uint32_t x = k->r.walk.span[i];
        for (size_t c = g->sub.start[x]; c < g->sub.start[x + 1]; c++) {
            uint32_t child = g->sub.to[c];
            if (any ? !is(k, child, SL_ROLE_WORKER) && !sl_walk_has(&k->r.walk, child)
                    : is(k, child, SL_ROLE_TASK) && g->parent[child] == x)
                *sl_vec_add(&found) = child;
        }
    }
    for (i = 0, end = found.n; i < end; i++)
        add_task(k, found.v[i]);
    sl_vec_free(&found);
}

/* Are phases declared of its type? */
static bool has_phases(const struct working *k, uint32_t span)
{
    uint32_t type = k->w->s.g.type[span];

    return type != SL_NO_INDEX && k->phased[type];
}

/* Takes out those that lie in another one of them, in whose history they are. */
static void leave_outermost(const struct sl_graph *g, uint32_t *found, size_t *n)
{
    bool *is_found = sl_must(calloc(g->n + 1, sizeof *is_found)), *within = sl_must(calloc(g->n + 1, sizeof *within));
    size_t kept = 0;

    for (size_t i = 0; i < *n; i++)
        is_found[found[i]] = true;
    for (size_t i = 0; i < *n; i++)
        for (size_t c = g->sub.start[found[i]]; c < g->sub.start[found[i] + 1]; c++)
            within[g->sub.to[c]] = is_found[g->sub.to[c]];
    for (size_t i = 0; i < *n; i++)
        if (!within[found[i]])
            found[kept++] = found[i];
    *n = kept;
    free(is_found);
    free(within);
}

/* Spans of the role anywhere below, or of whose type phases are declared, but not those within another one. */
static void add_nested(struct working *k, bool phases)
{
    const struct sl_graph *g = &k->w->s.g;
    SL_VEC(uint32_t) found = {0};

    sl_walk_begin(&k->r.walk, k->w->root);
    for (size_t i = 0; i < k->r.walk.n; i++) {
        uint32_t x = k->r.walk.span[i];
        if (i && (phases ? has_phases(k, x) : is(k, x, SL_ROLE_TASK))) {
            *sl_vec_add(&found) = x;
            continue;
        }
        sl_walk_spread(&k->r.walk, &g->sub, x);
        sl_walk_spread(&k->r.walk, &g->facet, x);
    }
    leave_outermost(g, found.v, &found.n);
    for (size_t i = 0; i < found.n; i++)
        add_task(k, found.v[i]);
    sl_vec_free(&found);
}

/* Jobs of a batch system; of an array its elements. */
static void add_jobs(struct working *k)
{
    const struct sl_graph *g = &k->w->s.g;
    const struct sl_events *e = &k->w->s.e;
    SL_VEC(uint32_t) found = {0};

    sl_walk_begin(&k->r.walk, k->w->root);
    for (size_t i = 0; i < k->r.walk.n; i++) {
        uint32_t x = k->r.walk.span[i];
        bool parts = false;
        for (size_t c = g->sub.start[x]; c < g->sub.start[x + 1]; c++)
            parts |= is(k, g->sub.to[c], SL_ROLE_JOB) && g->parent[g->sub.to[c]] == x;
        if (is(k, x, SL_ROLE_JOB) && !parts && e->start[x + 1] > e->start[x])
            *sl_vec_add(&found) = x;
        sl_walk_spread(&k->r.walk, &g->sub, x);
    }
    for (size_t i = 0; i < found.n; i++)
        add_task(k, found.v[i]);
    sl_vec_free(&found);
}

/* ---- one task ---- */

/* The history of a task, and which attempt each of its spans belongs to. */
static void gather(struct working *k, uint32_t task)
{
    const struct sl_root_events *s = &k->w->s;

    sl_vec_clear(&k->history);
    sl_closure_task(&k->r, k->tasks.v[task].span);
    for (size_t i = 0; i < k->r.walk.n; i++) {
        uint32_t x = k->r.walk.span[i];
        if (k->unit[x] == SL_NO_INDEX)
            k->unit[x] = task;
        for (size_t e = s->e.start[x]; e < s->e.start[x + 1]; e++)
            *sl_vec_add(&k->history) = (struct sl_timed_event){
                s->e.time_ns[e], s->span_code[s->g.type[x]] + s->event_code[sl_number_at(&s->e.type, e)], x};
    }
    if (k->history.n)
        sl_timed_events_sort(k->history.v, k->history.n);
}

/* Segments of all tasks; those without events are taken out (their numbers stay, as tasks of nobody). */
static int make_tasks(struct working *k, struct sl_err *err)
{
    for (uint32_t i = 0; i < k->tasks.n; i++) {
        struct sl_task *t = &k->tasks.v[i];
        gather(k, i);
        if (k->history.n > UINT32_MAX / 2 || k->w->seg.n > UINT32_MAX / 2)
            return sl_err(err, SL_ESTORE, "the workflow has more events than this analysis can hold");
        if (k->history.n)
            sl_working_segments(k, i, t);
        t->done |= !is(k, t->span, SL_ROLE_TASK) && !is(k, t->span, SL_ROLE_JOB); /* who is no task need not say so */
        if (i % 4096 == 0 && sl_root_events_interrupted(&k->w->s))
            return sl_err(err, SL_EIO, "interrupted");
    }
    return 0;
}

static size_t with_events(const struct working *k)
{
    size_t n = 0;

    for (size_t i = 0; i < k->tasks.n; i++)
        n += k->tasks.v[i].nseg > 0;
    return n;
}

void sl_working_forget_tasks(struct working *k)
{
    const struct sl_walk *walk = &k->w->s.walk;

    sl_vec_clear(&k->tasks);
    sl_vec_clear(&k->w->seg);
    sl_vec_clear(&k->w->under);
    for (size_t i = 0; i < walk->n; i++)
        k->unit[walk->span[i]] = k->member[walk->span[i]] = SL_NO_INDEX;
}

int sl_working_tasks(struct working *k, struct sl_err *err)
{
    enum { JOBS, NAMED, NESTED, PARTS, CHILDREN, ALONE };
    uint32_t root = k->w->root;
    bool own = has_phases(k, root) || is(k, root, SL_ROLE_TASK) || is(k, root, SL_ROLE_ATTEMPT);
    int rc = 0, first = is(k, root, SL_ROLE_BATCH) ? JOBS : NAMED;

    for (int way = own ? ALONE : first; way <= ALONE && !rc && !with_events(k); way++) {
        sl_working_forget_tasks(k);
        switch (way) {
        case JOBS: add_jobs(k); break;
        case NAMED: add_children(k, false); break;
        case NESTED: add_nested(k, false); break;
        case PARTS: add_nested(k, true); break;
        case CHILDREN: add_children(k, true); break;
        default: add_task(k, root);
        }
        k->w->alone = way == ALONE;
        rc = make_tasks(k, err);
    }
    return rc;
}
