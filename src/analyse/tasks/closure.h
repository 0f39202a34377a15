/* SPDX-License-Identifier: Apache-2.0 */
/* What belongs to a task: its closure (graph.h), and which of its attempts each span belongs to. */
#ifndef SL_ANALYSE_TASKS_CLOSURE_H
#define SL_ANALYSE_TASKS_CLOSURE_H

#include "analyse/load/graph.h"

/* What spans of a type are (sl_role). */
enum sl_role {
    SL_ROLE_NONE,
    SL_ROLE_WORKFLOW,
    SL_ROLE_TASK,
    SL_ROLE_ATTEMPT,
    SL_ROLE_WORKER,
    SL_ROLE_BATCH,
    SL_ROLE_JOB
};

/* By rank of a type's name; none where there is no table sl_role.  free() it. */
int sl_roles_load(unsigned char **role, const struct sl_graph *g, sqlite3 *db, struct sl_err *err);

struct sl_closure {
    const struct sl_graph *g;
    const unsigned char *role;
    struct sl_walk walk; /* the spans of the task, itself first */
    uint32_t *attempt;   /* by span that the last task has: 1, 2, ... in the order of finding; 0: of no attempt */
    uint32_t attempts;
};

void sl_closure_init(struct sl_closure *r, const struct sl_graph *g, const unsigned char *role);
void sl_closure_free(struct sl_closure *r);
void sl_closure_task(struct sl_closure *r, uint32_t task);

static inline bool sl_closure_is(const struct sl_closure *r, uint32_t span, enum sl_role role)
{
    return r->g->type[span] != SL_NO_INDEX && r->role[r->g->type[span]] == role;
}

#endif
