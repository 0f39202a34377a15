/* SPDX-License-Identifier: Apache-2.0 */
/* Traced processes whose environment names the worker, the sandbox of a task, or the batch job that they ran in. */
#include "import/started.h"

#include <stdio.h>
#include <stdlib.h>

struct task {
    int64_t id, from, to;
};

typedef SL_VEC(struct task) task_list;

static int load_tasks(struct started *s, task_list *out, sqlite3_stmt *q)
{
    int rc;

    sl_vec_clear(out);
    while ((rc = sl_store_step(s->st, q, s->err)) > 0)
        if (sqlite3_column_type(q, 1) != SQLITE_NULL)
            *sl_vec_add(out) =
                (struct task){sqlite3_column_int64(q, 0), sqlite3_column_int64(q, 1),
                              sqlite3_column_type(q, 2) == SQLITE_NULL ? INT64_MAX : sqlite3_column_int64(q, 2)};
    sqlite3_reset(q);
    return rc;
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

enum { MS = 1000000 };

/* Logs whose times are whole milliseconds say the last one before: what ends in it may end in the task. */
static int64_t latest_end(const struct task *t)
{
    return t->to != INT64_MAX && t->from % MS == 0 && t->to % MS == 0 ? t->to + MS - 1 : t->to;
}

/* The task that the call lies in; *several: in more than one, by times as coarse as that. */
static const struct task *task_around(const task_list *l, int64_t begin, int64_t end, bool *several)
{
    const struct task *found = NULL;

    *several = false;
    for (size_t i = 0; i < l->n; i++)
        if (l->v[i].from <= begin && end <= latest_end(&l->v[i])) {
            *several |= found != NULL;
            found = &l->v[i];
        }
    return found ? found : running_at(l, begin, several);
}

/* Into the one that was running, else into doubt. */
static int link_running(struct started *s, const task_list *l, const struct process *p, enum rule rule)
{
    bool several;
    const struct task *t = running_at(l, p->start, &several);
    int rc = 0;

    if (t && !several)
        return sl_started_link(s, t->id, p->id, rule, 0.9);
    for (size_t i = 0; i < l->n && t && !rc; i++)
        if (l->v[i].from <= p->start && p->start <= l->v[i].to)
            rc = sl_started_doubt(s, l->v[i].id, p->id, rule);
    return rc;
}

/* The worker itself, which runs Python apps: its outermost calls, each in the task of its time. */
static int link_worker_calls(struct started *s, const task_list *l, const struct process *p)
{
    static const char outermost[] =
        "SELECT c.id, c.b, coalesce(c.e, c.b) FROM (%s) c WHERE NOT EXISTS (SELECT 1 FROM sl_link k JOIN sl_span o ON "
        "o.id = k.left_span "
        "WHERE k.right_span = c.id AND k.kind = 1 AND o.type = (SELECT id FROM sl_name WHERE name = 'trace.call'))";
    char *sql = sqlite3_mprintf(outermost, sl_started_calls_sql);
    sqlite3_stmt *q = sl_store_prepare(s->st, sql, s->err);
    int rc = q ? 0 : SL_ESTORE;

    sqlite3_free(sql);
    if (q)
        sqlite3_bind_int64(q, 1, p->id);
    while (!rc && (rc = sl_store_step(s->st, q, s->err)) > 0) {
        bool several;
        const struct task *t = task_around(l, sqlite3_column_int64(q, 1), sqlite3_column_int64(q, 2), &several);
        rc = t && !several ? sl_started_link(s, t->id, sqlite3_column_int64(q, 0), BY_WORKER, 0.9) : 0;
    }
    sqlite3_finalize(q);
    return rc;
}

/* told: whether the worker's log has this number of a process; -1: it has none. */
static bool is_worker(const task_list *l, const struct process *p, int told)
{
    if (told >= 0)
        return told;
    for (size_t i = 0; i < l->n; i++) /* who was there before a task and stayed is no child of one */
        if (l->v[i].from > p->start && p->end != INT64_MAX && l->v[i].from < p->end)
            return true;
    return l->n && p->start < l->v[0].from;
}

static const char worker_tasks_sql[] =
    "SELECT t.id, (SELECT min(time_ns) FROM events WHERE span = t.id AND type = 'worker_received_task') AS b, "
    "(SELECT max(time_ns) FROM events WHERE span = t.id AND type IN ('worker_completed_task', "
    "'worker_all_finished_task')) FROM sl_span m JOIN sl_name mn ON mn.id = m.type AND mn.name = "
    "'parsl.executor.htex.manager' JOIN sl_span w ON w.parent = m.id AND w.key = ?2 JOIN sl_name wn ON wn.id = w.type "
    "AND wn.name = 'parsl.executor.htex.worker' JOIN sl_span t ON t.parent = w.id JOIN sl_name tn ON tn.id = t.type "
    "AND tn.name = 'parsl.executor.htex.worker.task' WHERE m.key = ?1 ORDER BY b";

static const char worker_pid_sql[] =
    "SELECT max(CAST(a.value AS TEXT) = ?3) FROM sl_span m JOIN sl_name mn ON mn.id = m.type AND mn.name = "
    "'parsl.executor.htex.manager' JOIN "
    "sl_span w ON w.parent = m.id AND w.key = ?2 JOIN sl_name wn ON wn.id = w.type AND wn.name = "
    "'parsl.executor.htex.worker' JOIN attributes a ON a.span = w.id AND a.name = 'pid' WHERE m.key = ?1";

/* It lies in a process that is no worker: then it is in a task as far as that is. */
static bool settled_elsewhere(const struct started *s, const struct process *p)
{
    if (p->in_span)
        return true;
    for (size_t i = 0; i < s->v.n && p->in_process; i++)
        if (s->v.v[i].id == p->in_process)
            return !s->v.v[i].worker;
    return false;
}

static int tasks_of_worker(struct started *s, const struct process *p, task_list *l, sqlite3_stmt *q)
{
    sqlite3_bind_text(q, 1, sl_started_fact(s, p, POOL), -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 2, sl_started_fact(s, p, RANK), -1, SQLITE_STATIC);
    return load_tasks(s, l, q);
}

static int told_pid(struct started *s, const struct process *p, sqlite3_stmt *q)
{
    int told = -1;

    sqlite3_bind_text(q, 1, sl_started_fact(s, p, POOL), -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 2, sl_started_fact(s, p, RANK), -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 3, sl_started_fact(s, p, PID), -1, SQLITE_STATIC);
    if (p->fact[PID] && sqlite3_step(q) == SQLITE_ROW && sqlite3_column_type(q, 0) != SQLITE_NULL)
        told = sqlite3_column_int(q, 0);
    sqlite3_reset(q);
    return told;
}

static int by_worker(struct started *s)
{
    sqlite3_stmt *tasks, *pid;
    task_list l = {0};
    int rc = 0;

    if (!s->rule[BY_WORKER] || !sl_started_any(s, POOL) ||
        !sl_store_int(s->st, "SELECT EXISTS (SELECT 1 FROM sl_name WHERE name = 'parsl.executor.htex.worker.task')", 0))
        return 0;
    tasks = sl_store_prepare(s->st, worker_tasks_sql, s->err);
    pid = sl_store_prepare(s->st, worker_pid_sql, s->err);
    rc = tasks && pid ? 0 : SL_ESTORE;
    for (int children = 0; children < 2; children++) /* first the workers, then what these started */
        for (size_t i = 0; i < s->v.n && !rc; i++) {
            struct process *p = &s->v.v[i];
            if (!p->fact[POOL] || !p->fact[RANK] || (children && (p->worker || settled_elsewhere(s, p))))
                continue;
            rc = tasks_of_worker(s, p, &l, tasks);
            if (!rc && children)
                rc = link_running(s, &l, p, BY_WORKER);
            else if (!rc && (p->worker = is_worker(&l, p, told_pid(s, p, pid))))
                rc = link_worker_calls(s, &l, p);
        }
    sqlite3_finalize(tasks);
    sqlite3_finalize(pid);
    sl_vec_free(&l);
    return rc;
}

/* .../t.17 is the sandbox of task 17, of some manager. */
static int by_sandbox(struct started *s, enum fact f, const char *type, const char *ends)
{
    char sql[800];
    sqlite3_stmt *q;
    task_list l = {0};
    int rc = 0;

    if (!s->rule[BY_SANDBOX] || !sl_started_any(s, f))
        return 0;
    snprintf(sql, sizeof sql,
             "SELECT t.id, (SELECT min(time_ns) FROM events WHERE span = t.id AND type = 'RUNNING'), (SELECT "
             "max(time_ns) FROM events WHERE span = t.id AND type IN (%s)) FROM sl_span t JOIN sl_name n ON n.id = "
             "t.type WHERE n.name = '%s' AND t.key = ?1",
             ends, type);
    if (!(q = sl_store_prepare(s->st, sql, s->err)))
        return SL_ESTORE;
    for (size_t i = 0; i < s->v.n && !rc; i++) {
        const struct process *p = &s->v.v[i];
        const char *box = sl_started_fact(s, p, f), *name = box ? strrchr(box, '/') : NULL;
        name = name ? name + 1 : box;
        if (sl_started_settled(p) || !name || strncmp(name, "t.", 2) != 0 || !name[2])
            continue;
        sqlite3_bind_text(q, 1, name + 2, -1, SQLITE_STATIC);
        rc = load_tasks(s, &l, q);
        if (!rc)
            rc = link_running(s, &l, p, BY_SANDBOX);
    }
    sqlite3_finalize(q);
    sl_vec_free(&l);
    return rc;
}

static int by_job(struct started *s)
{
    sqlite3_stmt *q;
    int rc = 0;

    if (!s->rule[BY_JOB] || !sl_started_any(s, SLURM))
        return 0;
    q = sl_store_prepare(s->st,
                         "SELECT j.id FROM sl_span j JOIN sl_name n ON n.id = j.type JOIN sl_span c ON c.id = j.parent "
                         "WHERE n.name = 'slurm.job' AND j.key = ?1 AND (?2 IS NULL OR c.key IN (?2, 'slurm'))",
                         s->err);
    rc = q ? 0 : SL_ESTORE;
    for (size_t i = 0; i < s->v.n && !rc; i++) {
        const struct process *p = &s->v.v[i];
        int64_t first = 0;
        int n = 0, got;
        if (sl_started_settled(p) || !p->fact[SLURM])
            continue;
        sqlite3_reset(q);
        sqlite3_bind_text(q, 1, sl_started_fact(s, p, SLURM), -1, SQLITE_STATIC);
        sqlite3_bind_text(q, 2, sl_started_fact(s, p, CLUSTER), -1, SQLITE_STATIC);
        while ((got = sl_store_step(s->st, q, s->err)) > 0 && !rc) {
            if (n++)
                rc = sl_started_doubt(s, sqlite3_column_int64(q, 0), p->id, BY_JOB);
            else
                first = sqlite3_column_int64(q, 0);
        }
        if (n && !rc)
            rc = n == 1 ? sl_started_link(s, first, p->id, BY_JOB, 0.9) : sl_started_doubt(s, first, p->id, BY_JOB);
        rc = got < 0 ? got : rc;
    }
    sqlite3_finalize(q);
    return rc;
}

int sl_environment_bind(struct started *s)
{
    int rc = by_worker(s);

    if (!rc)
        rc = by_sandbox(s, WQ, "workqueue.task", "'WAITING_RETRIEVAL', 'RETRIEVED', 'DONE'");
    if (!rc)
        rc = by_sandbox(s, VINE, "taskvine.task", "'WAITING_RETRIEVAL', 'RETRIEVED', 'DONE'");
    return rc ? rc : by_job(s);
}
