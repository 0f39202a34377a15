/* SPDX-License-Identifier: Apache-2.0 */
/* Which workflows a store holds: spans of the role `workflow` (sl_role) that are not part of another one. */
#ifndef SL_ANALYSE_TASKS_WORKFLOWS_H
#define SL_ANALYSE_TASKS_WORKFLOWS_H

#include "base/err.h"
#include "base/mem.h"

#include <sqlite3.h>
#include <stdint.h>

/* A span that is a workflow, or one of its facets, the workflow itself among them. */
struct sl_workflow_view {
    int64_t workflow, span;
};
typedef SL_VEC(struct sl_workflow_view) sl_workflow_views;

/* By workflow, then by span.  *out is to be freed with sl_vec_free(), on failure too. */
int sl_workflow_views_load(sl_workflow_views *out, sqlite3 *db, struct sl_err *err);

#endif
