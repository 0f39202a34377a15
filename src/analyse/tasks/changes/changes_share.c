/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that each wait for all of several others, once each waits for one of these: stages without a barrier. */
#include "analyse/tasks/changes/changes_internal.h"

#include <stdlib.h>

/* Of tasks that wait for several of those that share: what they have in common, and who it is. */
struct waiter {
    uint32_t app, first, n, task;
};

static int by_what_it_waits_for(const void *a, const void *b)
{
    const struct waiter *x = a, *y = b;

    if (x->app != y->app)
        return x->app < y->app ? -1 : 1;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    if (x->n != y->n)
        return x->n < y->n ? -1 : 1;
    return (x->task > y->task) - (x->task < y->task);
}

/* Of those that share the nth that a task waits for; in *n how many it does. */
static uint32_t shared_by(const struct sl_changes *c, uint32_t task, uint32_t nth, uint32_t *n)
{
    const struct sl_task *t = &c->w->task[task];
    uint32_t at = SL_NO_INDEX;

    *n = 0;
    for (uint32_t k = t->pred; k < t->pred + t->npred; k++)
        if (c->needless[c->w->pred[k]] & SHARED && (*n)++ == nth)
            at = c->w->pred[k];
    return at;
}

int sl_changes_share(struct sl_changes *c, struct sl_err *err)
{
    SL_VEC(struct waiter) v = {0};
    int rc = sl_apps_load(c->apps, c->w, err);
    uint32_t n;

    if (!c->share)
        c->share = sl_alloc((size_t)c->w->n * sizeof *c->share);
    memset(c->share, 0xFF, (size_t)c->w->n * sizeof *c->share);
    for (uint32_t i = 0; i < c->w->n && !rc; i++) {
        uint32_t first = shared_by(c, i, 0, &n);
        if (n > 1)
            *sl_vec_add(&v) = (struct waiter){c->apps->of[i], first, n, i};
    }
    if (v.n)
        qsort(v.v, v.n, sizeof *v.v, by_what_it_waits_for);
    for (size_t from = 0, to; from < v.n; from = to) {
        const struct waiter *x = &v.v[from];
        for (to = from; to < v.n && v.v[to].app == x->app && v.v[to].first == x->first && v.v[to].n == x->n;)
            to++;
        for (size_t k = from; k < to && to - from > 1; k++)
            c->share[v.v[k].task] = shared_by(c, v.v[k].task, (uint32_t)((k - from) * x->n / (to - from)), &n);
    }
    sl_vec_free(&v);
    return rc;
}
