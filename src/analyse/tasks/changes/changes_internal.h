/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of changes.c and what begins with its name. */
#ifndef SL_ANALYSE_TASKS_CHANGES_CHANGES_INTERNAL_H
#define SL_ANALYSE_TASKS_CHANGES_CHANGES_INTERNAL_H

#include "analyse/tasks/changes/changes.h"

struct change {
    char *what;
    double factor;
    int64_t count; /* -1: by the factor */
    bool used;
};

enum { NEEDLESS = 1, SHARED = 2 }; /* none waits for the task; those that wait for several such for one of them */

struct sl_changes {
    SL_VEC(struct change) v;
    const struct sl_workflow *w;
    const struct sl_places *p;
    struct sl_apps *apps;
    double *factor; /* by segment; NULL: 1 */
    double driver[SL_DRIVER_AFTER + 1], arrival[SL_ARRIVALS];
    bool no_barriers, longest_first;
    uint32_t *workers;       /* by pool; NULL: as they were */
    int64_t *later_ns;       /* by pool, where there are workers: how much later further ones are there */
    bool *drops;             /* by run: it takes no worker; NULL: none */
    unsigned char *needless; /* by task: NEEDLESS, SHARED; NULL: all that depend on it wait for it */
    uint32_t *share;         /* by task: the one that is SHARED for which it waits; SL_NO_INDEX: all of them */
};

/* The key of a task, borrowed until sqlite3_reset(w->key). */
const char *sl_changes_key(const struct sl_workflow *w, uint32_t task);
/* There is no such task.  Returns what it fills err with. */
int sl_changes_no_task(const struct sl_changes *c, const char *key, struct sl_err *err);
/* Marks the segments that passed on a worker, manager, block, executor or host of this name, or pattern of names. */
int sl_changes_on(const struct sl_changes *c, const char *name, unsigned char *segment, struct sl_err *err);
/* Who waits for which of those that are SHARED: of an app the first for the first, and the last for the last; who is
 * alone in its app waits for all. */
int sl_changes_share(struct sl_changes *c, struct sl_err *err);
/* Nothing is meant by h: what there is.  Returns what it fills err with. */
int sl_changes_none(struct sl_changes *c, const struct change *h, struct sl_err *err);

#endif
