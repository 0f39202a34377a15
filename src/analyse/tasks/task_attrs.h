/* SPDX-License-Identifier: Apache-2.0 */
/* What tasks are called, what attributes say of them, and their tries: as arrays, for all tasks at once. */
#ifndef SL_ANALYSE_TASKS_TASK_ATTRS_H
#define SL_ANALYSE_TASKS_TASK_ATTRS_H

#include "analyse/tasks/tasks.h"
#include "base/buf.h"
#include "base/intern.h"
#include "base/rows.h"

/* A try: spans of the role `attempt` of one number below a task, or below a facet of it, of which any has events. */
struct sl_try {
    uint32_t task, span; /* of its spans that have events the first */
    int64_t number, from_ns, to_ns;
    uint32_t executor, host, exception; /* values; 0: nothing says */
    bool failed;
};

struct sl_task_attrs {
    bool loaded;
    uint32_t *app, *exception;   /* by task: values; 0: nothing says */
    uint32_t *last;              /* by task: its last try; SL_NO_INDEX: it has none */
    SL_VEC(struct sl_try) tries; /* by the span of their task, then by number */
    struct sl_intern value;      /* each with its type: sl_task_attrs_cell() */
    struct sl_buf key_text;
    size_t *key_at; /* by task: where its key begins in key_text, which ends with a 0; NULL: not loaded */
};

/* The first time; then it is there.  Belongs to w. */
int sl_task_attrs_load(const struct sl_task_attrs **out, const struct sl_workflow *w, struct sl_err *err);
/* The same of keys alone. */
int sl_task_attrs_keys(const struct sl_task_attrs **out, const struct sl_workflow *w, struct sl_err *err);
void sl_task_attrs_free(struct sl_task_attrs *t);
/* A value; its text is borrowed from t. */
struct sl_cell sl_task_attrs_cell(const struct sl_task_attrs *t, uint32_t value);

#endif
