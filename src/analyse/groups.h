/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What spans are put together by: the app, executor, node or worker that a span belongs to, or its type.
 *
 * A span has what it says itself (an attribute: app, executor, hostname; a worker and an executor, by their role in
 * sl_role, are it), else what the nearest says that it lies in, facets included, step by step up.  Executor, node and
 * worker of what nothing above it says are those of the parts of it: a task's are where its tries went, of several that
 * of the part whose last event is the latest; what has several and is a workflow, or has workers, has none.  A worker
 * is called by its key, behind that of what it lies in, unless that is a workflow.
 */
#ifndef SL_ANALYSE_GROUPS_H
#define SL_ANALYSE_GROUPS_H

#include "analyse/load/graph.h"
#include "base/intern.h"

enum sl_by {
    SL_GROUP_BY_NONE,
    SL_GROUP_BY_APP,
    SL_GROUP_BY_EXECUTOR,
    SL_GROUP_BY_NODE,
    SL_GROUP_BY_WORKER,
    SL_GROUP_BY_TYPE
};

#define SL_GROUP_NONE "(none)"

/* NULL, or no text: SL_GROUP_BY_NONE.  SL_EUSAGE: the word is none of them, and err says which there are. */
int sl_by_find(enum sl_by *by, const char *word, struct sl_err *err);
const char *sl_by_name(enum sl_by by);

/* Zero-initialise. */
struct sl_groups {
    enum sl_by by;
    sqlite3 *db;
    sqlite3_stmt *last;
    const struct sl_graph *g;
    struct sl_csr up; /* what spans lie in */
    uint32_t *own;    /* by span, what it says: a name, 0: nothing */
    bool *holds;      /* by rank of a type's name: what has such parts has many, and is not where one of them is */
    struct sl_intern name;
    struct sl_walk above, below;
};

/* Of g, all of the store, which it borrows, as it does db.  *out is to be freed, on failure too. */
int sl_groups_open(struct sl_groups *out, const struct sl_graph *g, sqlite3 *db, enum sl_by by, struct sl_err *err);
void sl_groups_free(struct sl_groups *x);
/* The group of a span of the graph; 0: none.  They are numbered as they come; x->name.of.n: how many there are. */
uint32_t sl_groups_of(struct sl_groups *x, uint32_t span);
static inline const char *sl_groups_name(const struct sl_groups *x, uint32_t group)
{
    return group ? sl_intern_text(&x->name, group) : SL_GROUP_NONE;
}

#endif
