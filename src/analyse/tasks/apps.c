/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/tasks/apps.h"
#include "analyse/ext.h"
#include "analyse/load/fast_rows.h"
#include "analyse/tasks/task_attrs.h"
#include "tasks_apps.sql.h"

#include <stdlib.h>

int sl_task_keys_load(struct sl_task_keys *k, const struct sl_workflow *w, struct sl_err *err)
{
    size_t n = (size_t)w->n + 1;
    const struct sl_task_attrs *told;
    int rc = k->next ? 0 : sl_task_attrs_keys(&told, w, err);

    if (rc || k->next)
        return rc;
    k->next = sl_alloc(n * sizeof *k->next);
    k->first = sl_alloc(n * sizeof *k->first);
    memset(k->next, 0xFF, n * sizeof *k->next); /* SL_NO_INDEX */
    memset(k->first, 0xFF, n * sizeof *k->first);
    for (uint32_t i = w->n; i-- > 0;) {
        const char *key = told->key_text.s + told->key_at[i];
        uint32_t number = sl_intern(&k->name, key, strlen(key)) - 1;
        k->next[i] = k->first[number];
        k->first[number] = i;
    }
    return 0;
}

uint32_t sl_task_of_key(const struct sl_task_keys *k, const char *key, size_t n)
{
    uint32_t id = sl_intern_find(&k->name, key, n);

    return id ? k->first[id - 1] : SL_NO_INDEX;
}

void sl_task_keys_free(struct sl_task_keys *k)
{
    free(k->first);
    free(k->next);
    sl_intern_free(&k->name);
    *k = (struct sl_task_keys){0};
}

struct values {
    const struct sl_workflow *w;
    uint32_t *task; /* by span, facets of tasks among them; SL_NO_INDEX */
    sl_task_value_fn *value;
    void *to;
};

static int value_row(void *to, sqlite3_value **v)
{
    const struct values *a = to;
    uint32_t span = sl_graph_find(&a->w->s.g, sqlite3_value_int64(v[0]));
    const char *text = (const char *)sqlite3_value_text(v[1]);

    if (span != SL_NO_INDEX && a->task[span] != SL_NO_INDEX && text)
        a->value(a->to, a->task[span], text);
    return 0;
}

/* Spans of a task: itself, and what it is a facet of. */
static void mark(struct values *a, uint32_t task)
{
    const struct sl_csr *facet = &a->w->s.g.facet;
    SL_VEC(uint32_t) todo = {0};

    *sl_vec_add(&todo) = a->w->task[task].span;
    a->task[a->w->task[task].span] = task;
    while (todo.n) {
        uint32_t x = todo.v[--todo.n];
        for (uint32_t i = facet->start[x]; i < facet->start[x + 1]; i++)
            if (a->task[facet->to[i]] == SL_NO_INDEX) {
                a->task[facet->to[i]] = task;
                *sl_vec_add(&todo) = facet->to[i];
            }
    }
    sl_vec_free(&todo);
}

int sl_task_values(const struct sl_workflow *w, const char *names, sl_task_value_fn *value, void *to,
                   struct sl_err *err)
{
    struct values a = {w, sl_alloc((size_t)w->s.g.n * sizeof *a.task), value, to};
    char *sql = sqlite3_mprintf(w->s.g.part ? sql_these_values : sql_values, names);
    int rc;

    memset(a.task, 0xFF, (size_t)w->s.g.n * sizeof *a.task);
    for (uint32_t i = 0; i < w->n; i++)
        mark(&a, i);
    rc = sl_query_each_of(w->s.db, sl_must(sql), w->s.g.part, value_row, &a, err);
    sqlite3_free(sql);
    free(a.task);
    return rc;
}

static void app_value(void *to, uint32_t task, const char *value)
{
    struct sl_apps *a = to;

    if (a->of[task] != SL_NO_INDEX || !*value)
        return;
    a->of[task] = sl_intern(&a->name, value, strlen(value)) - 1;
    a->n = a->of[task] + 1 > a->n ? a->of[task] + 1 : a->n;
}

int sl_apps_load(struct sl_apps *a, const struct sl_workflow *w, struct sl_err *err)
{
    if (a->of)
        return 0;
    a->of = sl_alloc(((size_t)w->n + 1) * sizeof *a->of);
    memset(a->of, 0xFF, ((size_t)w->n + 1) * sizeof *a->of);
    return sl_task_values(w, "'app', 'task_func_name', 'category'", app_value, a, err);
}

void sl_apps_free(struct sl_apps *a)
{
    free(a->of);
    sl_intern_free(&a->name);
    sl_task_keys_free(&a->keys);
    *a = (struct sl_apps){0};
}
