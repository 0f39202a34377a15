/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traced processes in the tasks of a worker that their environment names.  A worker runs one task at a time, and what
 * it started during one lies in it, with all that comes of that, however long it lives: so what counts is the
 * process above that the worker itself started.
 */
#include "bind/process_internal.h"
#include "bind_worker.sql.h"

#include <stdlib.h>

struct worker {
    size_t declared;     /* in set->processes */
    const uint32_t *env; /* what names it */
    task_list tasks;
    SL_VEC(int64_t) pids; /* as its log tells; more than one where it was started again */
    sqlite3_stmt *tasks_of, *pids_of;
};

static int open_worker(struct process_binding *s, struct worker *w)
{
    const struct sl_process_decl *d = &s->set->processes.v[w->declared];

    w->tasks_of = sl_store_prepare(s->st, d->spans, s->err);
    w->pids_of = sl_store_prepare(s->st, d->pids, s->err);
    return w->tasks_of && w->pids_of ? 0 : SL_ESTORE;
}

static void close_worker(struct worker *w)
{
    sqlite3_finalize(w->tasks_of);
    sqlite3_finalize(w->pids_of);
    sl_vec_free(&w->tasks);
    sl_vec_free(&w->pids);
}

static int compare_env(const uint32_t *a, const uint32_t *b)
{
    for (int i = 0; i < SL_PROCESS_VARIABLES; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

/* The worker that p names. */
static int load_worker(struct process_binding *s, struct worker *w, const struct process *p)
{
    int rc;

    if (w->env && compare_env(w->env, p->env[w->declared]) == 0)
        return 0;
    w->env = p->env[w->declared];
    sl_environment_ask(s, p, w->declared, w->tasks_of);
    if ((rc = sl_tasks_load(s, &w->tasks, w->tasks_of)) < 0)
        return rc;
    for (size_t i = 0; i + 1 < w->tasks.n; i++) /* one at a time: without an end, until the next */
        if (w->tasks.v[i].to == INT64_MAX)
            w->tasks.v[i].to = w->tasks.v[i + 1].from;
    sl_environment_ask(s, p, w->declared, w->pids_of);
    sl_vec_clear(&w->pids);
    while ((rc = sl_store_step(s->st, w->pids_of, s->err)) > 0)
        *sl_vec_add(&w->pids) = sqlite3_column_int64(w->pids_of, 0);
    return rc;
}

static bool has_pid(const struct worker *w, int64_t pid)
{
    for (size_t i = 0; i < w->pids.n; i++)
        if (w->pids.v[i] == pid)
            return true;
    return false;
}

static int64_t number(const struct process_binding *s, const struct process *p, enum fact f)
{
    return p->fact[f] ? atoll(sl_process_fact(s, p, f)) : 0;
}

static bool is_worker(const struct process_binding *s, const struct worker *w, const struct process *p)
{
    const task_list *l = &w->tasks;

    if (w->pids.n && p->fact[PID])
        return has_pid(w, number(s, p, PID));
    for (size_t i = 0; i < l->n; i++) /* who was there before a task and stayed is no child of one */
        if (l->v[i].from > p->latest && p->end != INT64_MAX && l->v[i].from < p->end)
            return true;
    return l->n && p->latest < l->v[0].from;
}

static bool is_itself(const struct process_binding *s, const struct worker *w, const struct process *p)
{
    return p->worker == &s->set->processes.v[w->declared];
}

static const struct process *container(const struct process_binding *s, const struct process *p)
{
    for (size_t i = 0; i < s->v.n && p->in_process; i++)
        if (s->v.v[i].id == p->in_process)
            return &s->v.v[i];
    return NULL;
}

/*
 * It lies in a call that is known, or in a process that is itself below the worker: then it is in a task as far as that
 * is.  What is above the worker, such as the program that submits tasks, says nothing of tasks.
 */
static bool settled_elsewhere(const struct process_binding *s, const struct worker *w, const struct process *p)
{
    const struct process *in = container(s, p);

    return in && compare_env(in->env[w->declared], p->env[w->declared]) == 0 && (!is_itself(s, w, in) || p->in_span);
}

/* ---- what a worker started ---- */

/*
 * The child of the worker that p is, or comes from: the one below the worker among those above.  Where the worker is
 * not among them, somebody in between has ended and the rest was orphaned: then the first that began when tasks did.
 */
static void find_child(const struct process_binding *s, const struct worker *w, struct process *p)
{
    const char *at = sl_process_fact(s, p, ANCESTORS);
    int64_t from = p->start, tick = p->fact[TICKS] ? SL_TICK_NS : 0;
    bool bash = false, reached = has_pid(w, number(s, p, PPID));

    while (at && *at) {
        char *end;
        int64_t pid = strtoll(at, &end, 10), start = *end == '@' ? strtoll(end + 1, &end, 10) : 0;
        reached = has_pid(w, pid);
        if (reached || !start || !w->tasks.n || sl_tick_after(start, SL_TICK_NS) < w->tasks.v[0].from)
            break;
        from = start;
        tick = SL_TICK_NS;
        bash = !strncmp(end, ",bash", 5);
        if ((at = strchr(end, ' ')))
            at++;
    }
    p->forked = from;
    p->before = sl_tick_after(from, tick);
    p->before = p->before < p->latest ? p->before : from < p->latest ? p->latest : from;
    p->awaited = reached && bash;
}

/* The task that was running at t; *several: more than one was. */
static const struct task *running_at(const task_list *l, int64_t t, bool *several)
{
    const struct task *found = NULL;

    *several = false;
    for (size_t i = 0; i < l->n; i++)
        if (l->v[i].from <= t && t <= l->v[i].to) {
            *several |= found != NULL;
            found = &l->v[i];
        }
    return found;
}

/* The task that the call lies in; *several: in more than one, by times as coarse as that. */
static const struct task *task_around(const task_list *l, int64_t begin, int64_t end, bool *several)
{
    const struct task *found = NULL;

    *several = false;
    for (size_t i = 0; i < l->n; i++)
        if (l->v[i].from <= begin && end <= sl_task_latest_end(&l->v[i])) {
            *several |= found != NULL;
            found = &l->v[i];
        }
    return found ? found : running_at(l, begin, several);
}

/* The worker itself, which runs Python apps: its outermost calls, each in the task of its time. */
static int link_worker_calls(struct process_binding *s, const struct worker *w, const struct process *p)
{
    char *sql = sqlite3_mprintf(sql_outermost, sl_process_calls_sql);
    sqlite3_stmt *q = sl_store_prepare(s->st, sql, s->err);
    int rc = q ? sl_store_run(s->st, sql_clear_calls, s->err, "ii", p->id, s->declared[w->declared]) : SL_ESTORE;

    sqlite3_free(sql);
    if (q)
        sqlite3_bind_int64(q, 1, p->id);
    while (!rc && (rc = sl_store_step(s->st, q, s->err)) > 0) {
        bool several;
        const struct task *t = task_around(&w->tasks, sqlite3_column_int64(q, 1), sqlite3_column_int64(q, 2), &several);
        rc = t && !several ? sl_process_link(s, SL_IN, t->id, sqlite3_column_int64(q, 0), s->declared[w->declared], 0.9)
                           : 0;
    }
    sqlite3_finalize(q);
    return rc;
}

/* The call of bash that a worker waits for is there as long as its task: what it, or one below, records then is in
 * that. */
static int link_child(struct process_binding *s, const struct worker *w, const struct process *p)
{
    const task_list *l = &w->tasks;
    task_list fit = {0};
    int rc;

    for (size_t i = 0; i < l->n; i++)
        if (l->v[i].from <= p->before && p->forked <= sl_task_latest_end(&l->v[i]))
            *sl_vec_add(&fit) = l->v[i];
    if (fit.n > 1 && p->awaited) {
        size_t n = 0;
        for (size_t i = 0; i < fit.n; i++)
            if (fit.v[i].from <= p->first && p->first <= sl_task_latest_end(&fit.v[i]))
                fit.v[n++] = fit.v[i];
        fit.n = n ? n : fit.n;
    }
    rc = sl_tasks_link(s, &fit, p, INT64_MIN, INT64_MAX, s->declared[w->declared]);
    sl_vec_free(&fit);
    return rc;
}

/* ---- all of them ---- */

struct named { /* a process, and the worker that it names */
    const uint32_t *env;
    struct process *p;
};

static int by_worker_order(const void *x, const void *y)
{
    const struct named *a = x, *b = y;
    int order = compare_env(a->env, b->env);

    return order ? order : (a->p->id > b->p->id) - (a->p->id < b->p->id);
}

static bool names_worker(const struct process_binding *s, size_t declared, const struct process *p)
{
    for (size_t i = 0; i < s->set->processes.v[declared].n; i++)
        if (!p->env[declared][i])
            return false;
    return true;
}

typedef int each_fn(struct process_binding *s, const struct worker *w, struct process *p);

static int each_of(struct process_binding *s, size_t declared, each_fn *fn)
{
    SL_VEC(struct named) l = {0};
    struct worker w = {.declared = declared};
    int rc = 0;

    for (size_t i = 0; i < s->v.n; i++)
        if (names_worker(s, declared, &s->v.v[i]))
            *sl_vec_add(&l) = (struct named){s->v.v[i].env[declared], &s->v.v[i]};
    if (l.n) {
        qsort(l.v, l.n, sizeof *l.v, by_worker_order);
        rc = open_worker(s, &w);
    }
    for (size_t i = 0; i < l.n && !rc; i++)
        if (!(rc = load_worker(s, &w, l.v[i].p)))
            rc = fn(s, &w, l.v[i].p);
    close_worker(&w);
    sl_vec_free(&l);
    return rc;
}

static int each(struct process_binding *s, each_fn *fn)
{
    int rc = 0;

    for (size_t k = 0; k < s->set->processes.n && !rc; k++)
        if (s->set->processes.v[k].pids && s->declared[k] && (rc = each_of(s, k, fn)))
            rc = sl_err_wrap(s->err, "binding %s", s->set->processes.v[k].bind);
    return rc;
}

static int find_worker(struct process_binding *s, const struct worker *w, struct process *p)
{
    const struct process *in = container(s, p);

    if (!is_worker(s, w, p))
        return 0;
    p->worker = &s->set->processes.v[w->declared];
    /* `spanloom span`, where it is all of a command, records in the name of the worker: of all tasks in one trace,
     * which has the TRACEPARENT of the first */
    if (in && in->fact[PID] == p->fact[PID] && in->fact[HOST] == p->fact[HOST])
        p->in_span = p->in_process = 0;
    return 0;
}

static int find_others(struct process_binding *s, const struct worker *w, struct process *p)
{
    if (!is_itself(s, w, p) && !settled_elsewhere(s, w, p))
        find_child(s, w, p);
    return 0;
}

static int link_one(struct process_binding *s, const struct worker *w, struct process *p)
{
    if (!p->anew)
        return 0;
    if (is_itself(s, w, p))
        return link_worker_calls(s, w, p);
    return settled_elsewhere(s, w, p) ? 0 : link_child(s, w, p);
}

int sl_workers_find(struct process_binding *s)
{
    int rc = each(s, find_worker);

    return rc ? rc : each(s, find_others);
}

int sl_workers_bind(struct process_binding *s)
{
    return each(s, link_one);
}
