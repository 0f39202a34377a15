/* SPDX-License-Identifier: Apache-2.0 */
/* Traced processes whose environment names the sandbox of a task, or the batch job that they ran in. */
#include "bind/process_internal.h"
#include "bind_environment.sql.h"

#include <stdio.h>
#include <stdlib.h>

int sl_tasks_load(struct process_binding *s, task_list *out, sqlite3_stmt *q)
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

enum { MS = 1000000 };

int64_t sl_task_latest_end(const struct task *t)
{
    return t->to != INT64_MAX && t->from % MS == 0 && t->to % MS == 0 ? t->to + MS - 1 : t->to;
}

int sl_tasks_link(struct process_binding *s, const task_list *l, const struct process *p, int64_t from, int64_t to,
                  enum rule rule)
{
    const struct task *only = NULL;
    size_t n = 0;
    int rc = 0;

    for (size_t i = 0; i < l->n; i++)
        if (l->v[i].from <= to && from <= sl_task_latest_end(&l->v[i])) {
            only = &l->v[i];
            n++;
        }
    if (n == 1)
        return sl_process_link(s, only->id, p->id, rule, 0.9);
    for (size_t i = 0; i < l->n && n && !rc; i++)
        if (l->v[i].from <= to && from <= sl_task_latest_end(&l->v[i]))
            rc = sl_process_doubt(s, l->v[i].id, p->id, rule);
    return rc;
}

/* .../t.17 is the sandbox of task 17, of some manager. */
static int by_sandbox(struct process_binding *s, enum fact f, const char *type, const char *ends)
{
    char sql[800];
    sqlite3_stmt *q;
    task_list l = {0};
    int rc = 0;

    if (!s->rule[BY_SANDBOX] || !sl_process_any(s, f))
        return 0;
    snprintf(sql, sizeof sql, sql_by_sandbox, ends, type);
    if (!(q = sl_store_prepare(s->st, sql, s->err)))
        return SL_ESTORE;
    for (size_t i = 0; i < s->v.n && !rc; i++) {
        const struct process *p = &s->v.v[i];
        const char *box = sl_process_fact(s, p, f), *name = box ? strrchr(box, '/') : NULL;
        name = name ? name + 1 : box;
        if (sl_process_is_bound(p) || !name || strncmp(name, "t.", 2) != 0 || !name[2])
            continue;
        sqlite3_bind_text(q, 1, name + 2, -1, SQLITE_STATIC);
        rc = sl_tasks_load(s, &l, q);
        if (!rc)
            rc = sl_tasks_link(s, &l, p, p->start, p->latest, BY_SANDBOX);
    }
    sqlite3_finalize(q);
    sl_vec_free(&l);
    return rc;
}

static int by_job(struct process_binding *s)
{
    sqlite3_stmt *q;
    int rc = 0;

    if (!s->rule[BY_JOB] || !sl_process_any(s, SLURM))
        return 0;
    q = sl_store_prepare(s->st, sql_by_job, s->err);
    rc = q ? 0 : SL_ESTORE;
    for (size_t i = 0; i < s->v.n && !rc; i++) {
        const struct process *p = &s->v.v[i];
        int64_t first = 0;
        int n = 0, got;
        if (sl_process_is_bound(p) || !p->fact[SLURM])
            continue;
        sqlite3_reset(q);
        sqlite3_bind_text(q, 1, sl_process_fact(s, p, SLURM), -1, SQLITE_STATIC);
        sqlite3_bind_text(q, 2, sl_process_fact(s, p, CLUSTER), -1, SQLITE_STATIC);
        while ((got = sl_store_step(s->st, q, s->err)) > 0 && !rc) {
            if (n++)
                rc = sl_process_doubt(s, sqlite3_column_int64(q, 0), p->id, BY_JOB);
            else
                first = sqlite3_column_int64(q, 0);
        }
        if (n && !rc)
            rc = n == 1 ? sl_process_link(s, first, p->id, BY_JOB, 0.9) : sl_process_doubt(s, first, p->id, BY_JOB);
        rc = got < 0 ? got : rc;
    }
    sqlite3_finalize(q);
    return rc;
}

int sl_bind_environment(struct process_binding *s)
{
    int rc = by_sandbox(s, WQ, "workqueue.task", "'WAITING_RETRIEVAL', 'RETRIEVED', 'DONE'");

    if (!rc)
        rc = by_sandbox(s, VINE, "taskvine.task", "'WAITING_RETRIEVAL', 'RETRIEVED', 'DONE'");
    return rc ? rc : by_job(s);
}
