/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traced processes whose environment names a span, such as the sandbox of a task or the batch job that they ran in.
 * Which variables name what, recipes say (`processes`).
 */
#include "bind/process_internal.h"

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
                  int64_t rule)
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
        return sl_process_link(s, SL_IN, only->id, p->id, rule, 0.9);
    for (size_t i = 0; i < l->n && n && !rc; i++)
        if (l->v[i].from <= to && from <= sl_task_latest_end(&l->v[i]))
            rc = sl_process_doubt(s, SL_IN, l->v[i].id, p->id, rule);
    return rc;
}

void sl_environment_ask(const struct process_binding *s, const struct process *p, size_t declared, sqlite3_stmt *q)
{
    const uint32_t *env = p->env[declared];

    sqlite3_reset(q);
    for (size_t i = 0; i < s->set->processes.v[declared].n; i++)
        sqlite3_bind_text(q, (int)i + 1, env[i] ? sl_intern_text(&s->texts, env[i]) : NULL, -1, SQLITE_STATIC);
}

static int by_environment(struct process_binding *s, size_t declared)
{
    sqlite3_stmt *q = sl_store_prepare(s->st, s->set->processes.v[declared].spans, s->err);
    task_list l = {0};
    int rc = q ? 0 : SL_ESTORE;

    for (size_t i = 0; i < s->v.n && !rc; i++) {
        const struct process *p = &s->v.v[i];
        if (!p->anew || sl_process_is_bound(p) || !p->env[declared][0])
            continue;
        sl_environment_ask(s, p, declared, q);
        rc = sl_tasks_load(s, &l, q);
        if (!rc)
            rc = sl_tasks_link(s, &l, p, p->start, p->latest, s->declared[declared]);
    }
    sqlite3_finalize(q);
    sl_vec_free(&l);
    return rc;
}

int sl_bind_environment(struct process_binding *s)
{
    int rc = 0;

    for (size_t k = 0; k < s->set->processes.n && !rc; k++)
        if (!s->set->processes.v[k].pids && s->declared[k] && (rc = by_environment(s, k)))
            rc = sl_err_wrap(s->err, "binding %s", s->set->processes.v[k].bind);
    return rc;
}
