/* SPDX-License-Identifier: Apache-2.0 */
/* How sure a plan is, and what no plan gets below. */
#include "analyse/kernels/random.h"
#include "findings/plan/planning_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWS = 40, LEAST_DRAWS = 6, DRAWN_TASKS = 400000 };

/* ---- how sure it is ---- */

/* By task the run that its result came from; SL_NO_INDEX: none. */
static uint32_t *last_runs(const struct search *s)
{
    const struct sl_places *p = sl_replay_places(s->replay);
    uint32_t *run = sl_alloc(((size_t)s->w->n + 1) * sizeof *run);

    memset(run, 0xFF, ((size_t)s->w->n + 1) * sizeof *run);
    for (size_t i = 0; i < p->run.n; i++)
        if (!p->run.v[i].lost)
            run[p->run.v[i].task] = (uint32_t)i;
    return run;
}

static double length_of(const struct search *s, uint32_t run)
{
    const struct sl_run *x = &sl_replay_places(s->replay)->run.v[run];

    return (double)(sl_run_until(s->w, x) - x->from_ns);
}

struct length {
    double ns;
    uint32_t app, task;
};

static int by_app_and_length(const void *a, const void *b)
{
    const struct length *x = a, *y = b;

    if (x->app != y->app)
        return x->app < y->app ? -1 : 1;
    if (x->ns != y->ns)
        return x->ns < y->ns ? -1 : 1;
    return (x->task > y->task) - (x->task < y->task);
}

/*
 * What durations are drawn from: tasks that ran, by app, without those that took more than three times the median of
 * their app, which stay as long as they are.  *n of them.
 */
static struct length *find_lengths(const struct search *s, const struct sl_apps *apps, const uint32_t *run, size_t *n)
{
    struct length *v = sl_alloc(((size_t)s->w->n + 1) * sizeof *v);
    size_t all = 0, end;

    *n = 0;
    for (uint32_t i = 0; i < s->w->n; i++)
        if (run[i] != SL_NO_INDEX)
            v[all++] = (struct length){length_of(s, run[i]), apps->of[i], i};
    if (all)
        qsort(v, all, sizeof *v, by_app_and_length);
    for (size_t i = 0; i < all; i = end) {
        double median;
        for (end = i; end < all && v[end].app == v[i].app; end++)
            ;
        median = v[i + (end - i) / 2].ns;
        for (size_t k = i; k < end && v[k].ns <= 3 * median; k++)
            v[(*n)++] = v[k];
    }
    return v;
}

/* By segment: how much longer it is when each task takes as long as one of its app that is drawn. */
static void draw_factors(const struct search *s, const uint32_t *run, const struct length *v, size_t n, uint64_t *seed,
                         double *factor)
{
    const struct sl_places *p = sl_replay_places(s->replay);
    size_t end;

    for (size_t k = 0; k < s->w->seg.n; k++)
        factor[k] = 1;
    for (size_t i = 0; i < n; i = end) {
        for (end = i; end < n && v[end].app == v[i].app; end++)
            ;
        for (size_t k = i; k < end; k++) {
            const struct sl_run *x = &p->run.v[run[v[k].task]];
            double drawn = v[i + sl_random_below(seed, end - i)].ns;
            for (uint32_t g = x->first; g <= x->last && v[k].ns > 0; g++)
                factor[g] = drawn / v[k].ns;
        }
    }
}

int sl_plan_draw(struct draws *d, struct search *s, struct sl_err *err)
{
    const struct sl_apps *apps;
    struct length *v;
    uint32_t *run;
    double *factor;
    uint64_t seed = 1;
    size_t length, all = s->steps;
    int rc = sl_replay_apps(&apps, s->replay, err), n = (int)(DRAWN_TASKS / ((size_t)s->w->n + 1));

    if (rc)
        return rc;
    d->n = n > DRAWS ? DRAWS : n < LEAST_DRAWS ? LEAST_DRAWS : n;
    for (size_t k = 0; k <= all; k++)
        d->share[k] = sl_alloc((size_t)d->n * sizeof **d->share);
    run = last_runs(s);
    v = find_lengths(s, apps, run, &length);
    factor = sl_alloc((s->w->seg.n + 1) * sizeof *factor);
    for (int i = 0; i < d->n && !rc; i++) {
        draw_factors(s, run, v, length, &seed, factor);
        for (size_t k = 0; k <= all && !rc; k++) {
            struct sl_simulation r = {0};
            struct sl_buf b = {0};
            sl_plan_changes(&b, s, k);
            rc = sl_replay_play_scaled(&r, s->replay, b.n ? b.s : "* x1", factor, err);
            d->share[k][i] = (double)(r.last_ns - s->w->first_ns) / 1e9;
            s->replays++;
            sl_simulation_free(&r);
            sl_buf_free(&b);
        }
        for (size_t k = all + 1; k-- > 0 && !rc;)
            d->share[k][i] /= d->share[0][i];
    }
    free(factor);
    free(v);
    free(run);
    return rc;
}

void sl_plan_draws_free(struct draws *d)
{
    for (size_t k = 0; k <= MOST_STEPS; k++)
        free(d->share[k]);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

void sl_plan_interval(double *v, int n, double value, double *low, double *high)
{
    qsort(v, (size_t)n, sizeof *v, by_size);
    *low = fmin(value, v[(int)(0.05 * (n - 1))]);
    *high = fmax(value, v[(int)ceil(0.95 * (n - 1))]);
}

/* ---- the bound ---- */

void sl_plan_bounds(const struct search *s, struct plan_run *x)
{
    const struct sl_places *p = sl_replay_places(s->replay);
    uint32_t *run = last_runs(s);
    double *path = sl_alloc(((size_t)s->w->n + 1) * sizeof *path), work = 0, places = 0, longest = 0;

    for (uint32_t i = 0; i < s->w->n; i++) {
        uint32_t at = s->w->by_done[i];
        const struct sl_task *t = &s->w->task[at];
        double own = run[at] == SL_NO_INDEX ? 0 : length_of(s, run[at]);
        for (uint32_t k = t->pred; k < t->pred + t->npred; k++)
            path[at] = fmax(path[at], path[s->w->pred[k]]);
        path[at] += own;
        work += own;
        longest = fmax(longest, path[at]);
    }
    for (size_t i = 0; i < p->worker.n; i++)
        places += p->worker.v[i].places;
    x->path_s = longest / 1e9;
    x->work_s = places > 0 ? work / places / 1e9 : NAN;
    free(path);
    free(run);
}
