/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/tasks/suspects.h"
#include "analyse/ext.h"
#include "analyse/tasks/path.h"
#include "base/buf.h"

#include <stdlib.h>

enum { APPS = 8, STATES = 8 };

struct sum {
    double ns;
    uint32_t i;
};

static int by_ns(const void *a, const void *b)
{
    const struct sum *x = a, *y = b;

    if (x->ns != y->ns)
        return x->ns > y->ns ? -1 : 1;
    return (x->i > y->i) - (x->i < y->i);
}

/* The longest of n sums, those above 0, first; how many. */
static size_t longest(struct sum *v, size_t n, size_t most)
{
    size_t k = 0;

    if (n)
        qsort(v, n, sizeof *v, by_ns);
    while (k < n && k < most && v[k].ns > 0)
        k++;
    return k;
}

static void add(struct sl_suspects *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add(struct sl_suspects *s, const char *fmt, ...)
{
    va_list args;
    char *text;

    va_start(args, fmt);
    text = sqlite3_vmprintf(fmt, args);
    va_end(args);
    *sl_vec_add(&s->v) = sl_strdup(sl_must(text));
    sqlite3_free(text);
}

/* Could a name be taken for more than itself? */
static bool is_plain(const char *name)
{
    return *name && !strpbrk(name, ",=*");
}

static void add_workers(struct sl_suspects *s, const struct sl_places *p)
{
    uint32_t queues = 0;

    for (size_t i = 0; i < p->pool.n; i++)
        queues += p->pool.v[i].waited > 0;
    for (size_t i = 0; i < p->pool.n; i++)
        for (int x = 2; x <= 8; x *= 2) {
            if (p->pool.v[i].waited && queues == 1)
                add(s, "workers x%d", x);
            else if (p->pool.v[i].waited && is_plain(p->pool.v[i].name))
                add(s, "workers.%s x%d", p->pool.v[i].name, x);
        }
    for (int x = 2; queues > 1 && x <= 8; x *= 2) /* of all who wait */
        add(s, "workers x%d", x);
    for (size_t i = 0; i < p->worker.n; i++)
        if (p->worker.v[i].first_ns != INT64_MAX && p->worker.v[i].first_ns > 0 &&
            p->pool.v[p->worker.v[i].pool].runs) {
            add(s, "workers, start-up x0");
            break;
        }
    for (size_t i = 0; i < p->run.n; i++)
        if (p->run.v[i].lost) {
            add(s, "failed tries x0");
            break;
        }
}

/* By task: how long it was on workers. */
static double *running(const struct sl_places *p, const struct sl_workflow *w)
{
    double *ns = sl_alloc((size_t)w->n * sizeof *ns);

    for (size_t i = 0; i < p->run.n; i++)
        if (!p->run.v[i].lost)
            ns[p->run.v[i].task] += (double)(sl_run_until(w, &p->run.v[i]) - p->run.v[i].from_ns);
    return ns;
}

struct ran {
    uint32_t app, task;
    double ns;
};

static int by_app(const void *a, const void *b)
{
    const struct ran *x = a, *y = b;

    if (x->app != y->app)
        return x->app < y->app ? -1 : 1;
    if (x->ns != y->ns)
        return x->ns < y->ns ? -1 : 1;
    return (x->task > y->task) - (x->task < y->task);
}

static void add_straggler(struct sl_suspects *s, const struct sl_workflow *w, const struct sl_apps *apps,
                          const double *ns)
{
    struct ran *v = sl_alloc((size_t)w->n * sizeof *v), worst = {0};
    double median_ns = 0, beyond = 0;
    size_t n = 0;

    for (uint32_t i = 0; i < w->n; i++)
        if (ns[i] > 0)
            v[n++] = (struct ran){apps->of[i], i, ns[i]};
    if (n)
        qsort(v, n, sizeof *v, by_app);
    for (size_t i = 0, end; i < n; i = end) {
        double median;
        for (end = i; end < n && v[end].app == v[i].app; end++)
            ;
        median = v[i + (end - i) / 2].ns;
        if (v[end - 1].ns > 2 * median && v[end - 1].ns - median > beyond) {
            worst = v[end - 1];
            median_ns = median;
            beyond = worst.ns - median;
        }
    }
    if (beyond > 0) {
        const char *key, *app = worst.app == SL_NO_INDEX ? NULL : sl_apps_name(apps, worst.app);
        sqlite3_bind_int64(w->key, 1, w->s.g.id.v[w->task[worst.task].span]);
        key = sqlite3_step(w->key) == SQLITE_ROW ? (const char *)sqlite3_column_text(w->key, 0) : NULL;
        if (key && is_plain(key) && (!app || is_plain(app)))
            add(s, "task %s%s%s%s x%.3g", key, app ? " (" : "", app ? app : "", app ? ")" : "", median_ns / worst.ns);
        sqlite3_reset(w->key);
    }
    free(v);
}

static void add_apps(struct sl_suspects *s, const struct sl_workflow *w, const struct sl_apps *apps, const double *ns)
{
    struct sum *v = sl_alloc(((size_t)apps->n + 1) * sizeof *v);
    size_t n;

    for (uint32_t i = 0; i < apps->n; i++)
        v[i].i = i;
    for (uint32_t i = 0; i < w->n; i++)
        if (apps->of[i] != SL_NO_INDEX)
            v[apps->of[i]].ns += ns[i];
    n = longest(v, apps->n, APPS);
    for (size_t i = 0; i < n; i++)
        if (is_plain(sl_apps_name(apps, v[i].i)))
            add(s, "app %s x0.5", sl_apps_name(apps, v[i].i));
    if (!n)
        add(s, "running on a worker x0.5");
    free(v);
}

static void add_states(struct sl_suspects *s, const struct sl_workflow *w)
{
    struct sum *v = sl_alloc((w->states.n + 1) * sizeof *v);
    size_t n;

    for (uint32_t i = 0; i < w->states.n; i++)
        v[i].i = i;
    for (uint32_t i = 0; i < w->n; i++)
        for (uint32_t k = 0; k < w->task[i].nseg; k++) {
            const struct sl_segment *g = &w->seg.v[w->task[i].seg + k];
            if (w->states.v[g->state].kind != SL_PHASE_RUN)
                v[g->state].ns += (double)(sl_segment_end(w, &w->task[i], k) - g->from_ns);
        }
    n = longest(v, w->states.n, STATES);
    for (size_t i = 0; i < n; i++) {
        const struct sl_phase_state *state = &w->states.v[v[i].i];
        if (is_plain(state->component) && is_plain(state->state))
            add(s, "%s, %s x0", state->component, state->state);
    }
    for (int why = 0; why <= SL_DRIVER_AFTER; why++)
        if (why != SL_DRIVER_REACTED) /* called as SL_DRIVER_BUSY */
            add(s, "driver, %s x0", sl_driver_states[why]);
    free(v);
}

int sl_suspects_find(struct sl_suspects *out, struct sl_replay *r, struct sl_err *err)
{
    const struct sl_workflow *w = sl_replay_workflow(r);
    const struct sl_places *p = sl_replay_places(r);
    const struct sl_apps *apps;
    double *ns;
    int rc = sl_replay_apps(&apps, r, err);

    *out = (struct sl_suspects){0};
    if (rc || !w->n)
        return rc;
    ns = running(p, w);
    add_workers(out, p);
    if (p->run.n)
        add_apps(out, w, apps, ns);
    add_straggler(out, w, apps, ns);
    add_states(out, w);
    free(ns);
    return 0;
}

void sl_suspects_free(struct sl_suspects *s)
{
    for (size_t i = 0; i < s->v.n; i++)
        free(s->v.v[i]);
    sl_vec_free(&s->v);
}
