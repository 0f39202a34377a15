/* SPDX-License-Identifier: Apache-2.0 */
/* What made a workflow as long as it was, and how much later each task could have been done. */
#ifndef SL_RESULT_PATH_TABLES_H
#define SL_RESULT_PATH_TABLES_H

#include "result/table.h"
#include "store/store.h"

enum sl_blame { SL_BLAME_NONE, SL_BLAME_STATE, SL_BLAME_COMPONENT, SL_BLAME_TASK, SL_BLAME_GROUP };

/* "state", "component", "task", a word of --by (analyse/groups.h); else SL_BLAME_NONE. */
enum sl_blame sl_blame_find(const char *name);

/*
 * Tables: path, its parts in order of time.  With summary also: head, one row, NULL where the workflow
 * lasted for no time; blame, the seconds by what had them, the most first; parts, the path for people, with the rank of
 * each by its length.  word: what SL_BLAME_GROUP is by; path has its column then.  The driver's time is of "driver".
 */
int sl_result_critical_path(struct sl_result *r, struct sl_store *st, int64_t workflow, enum sl_blame by,
                            const char *word, bool summary, struct sl_err *err);
/* Table: slack, a row a task. */
int sl_result_slack(struct sl_result *r, struct sl_store *st, int64_t workflow, struct sl_err *err);

#endif
