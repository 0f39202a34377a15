/* SPDX-License-Identifier: Apache-2.0 */
/* What tasks are called: their keys, and what attributes say of them, such as which app each is. */
#ifndef SL_ANALYSE_TASKS_APPS_H
#define SL_ANALYSE_TASKS_APPS_H

#include "analyse/tasks/tasks.h"
#include "base/intern.h"

/* Calls value for each attribute of these names ("'app', 'category'", SQL) of a task or of a facet of it. */
typedef void sl_task_value_fn(void *to, uint32_t task, const char *value);
int sl_task_values(const struct sl_workflow *w, const char *names, sl_task_value_fn *value, void *to,
                   struct sl_err *err);

/* Tasks by key.  Zero-initialise. */
struct sl_task_keys {
    struct sl_intern name;
    uint32_t *first, *next; /* by number of a key, by task; SL_NO_INDEX: no more; NULL: not loaded */
};
/* The first time; then it is there. */
int sl_task_keys_load(struct sl_task_keys *k, const struct sl_workflow *w, struct sl_err *err);
void sl_task_keys_free(struct sl_task_keys *k);
/* The first task of that key, of n bytes; SL_NO_INDEX: there is none.  k->next[task] is the next one. */
uint32_t sl_task_of_key(const struct sl_task_keys *k, const char *key, size_t n);

/* Zero-initialise. */
struct sl_apps {
    struct sl_task_keys keys;
    uint32_t *of;          /* by task: the number of its app; SL_NO_INDEX; NULL: not loaded */
    struct sl_intern name; /* of number i: sl_intern_text(&name, i + 1) */
    uint32_t n;
};
/* The first time; then it is there. */
int sl_apps_load(struct sl_apps *a, const struct sl_workflow *w, struct sl_err *err);
void sl_apps_free(struct sl_apps *a);
static inline const char *sl_apps_name(const struct sl_apps *a, uint32_t app)
{
    return sl_intern_text(&a->name, app + 1);
}

#endif
