/* SPDX-License-Identifier: Apache-2.0 */
/* What failed in a workflow, and what that cost. */
#ifndef SL_FINDINGS_FAILURES_H
#define SL_FINDINGS_FAILURES_H

#include "analyse/tasks/tasks.h"
#include "result/table.h"
#include "store/store.h"

/*
 * Tables: failures, a row for each exception of an app on a host, by the seconds lost; dependents, a row for each task
 * that failed at last and on which others depended, directly or not, with how many never ran because of it.
 */
int sl_failures(struct sl_result *r, struct sl_store *st, int64_t workflow, struct sl_err *err);
/* The same of the workflow whose facts are there. */
int sl_failures_of_facts(struct sl_result *r, struct sl_store *st, struct sl_err *err);

/* The temporary tables of a workflow that findings ask (facts.sql); those of another one go. */
int sl_facts_make(struct sl_store *st, int64_t workflow, struct sl_err *err);
/*
 * The same, and the workflow stays loaded for the functions of the connection until sl_facts_close(), which must come
 * before the store is closed or written to; findings (why.h) find a replay of it there.  *w: zeroed; on failure it is
 * freed.
 */
int sl_facts_open(struct sl_workflow *w, struct sl_store *st, int64_t workflow, struct sl_err *err);
void sl_facts_close(struct sl_workflow *w, struct sl_store *st);

#endif
