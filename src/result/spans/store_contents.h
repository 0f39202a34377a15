/* SPDX-License-Identifier: Apache-2.0 */
/* What a store holds, or the part of it that belongs to the span `within`; 0: all. */
#ifndef SL_RESULT_SPANS_STORE_CONTENTS_H
#define SL_RESULT_SPANS_STORE_CONTENTS_H

#include "result/table.h"
#include "store/store.h"

#include <stdint.h>

/* Table: types, how many spans there are of each. */
int sl_result_types(struct sl_result *r, struct sl_store *st, int64_t within, struct sl_err *err);
/* Table: events, how many there are of each type, on spans of each type. */
int sl_result_event_types(struct sl_result *r, struct sl_store *st, int64_t within, struct sl_err *err);
/* Table: info, how much there is of everything; of a part, of what can be told of one. */
int sl_result_info(struct sl_result *r, struct sl_store *st, int64_t within, struct sl_err *err);
/*
 * Table: lost, a row for each process of a traced program that could not record all of its events, as the disk was
 * full: its span, program, how many events, and why.  which: a condition on its span, s, in SQL.
 */
int sl_result_lost(struct sl_result *r, struct sl_store *st, const char *which, struct sl_err *err);
/* Table: runs, the root spans, and where they come from. */
int sl_result_runs(struct sl_result *r, struct sl_store *st, int64_t within, struct sl_err *err);
/* Table: rejects, records that could not be used of files with this in their path; or counts of them by reason. */
int sl_result_rejects(struct sl_result *r, struct sl_store *st, const char *path, int64_t within, bool counts,
                      struct sl_err *err);

/*
 * runs: a row a workflow, by when it began: what it is called (run_names.h), its script, when it started, how long it
 * took, how many tasks it had, and how many of them failed, depended on such, or never ended; its directory and span.
 * people: without the last two, and times to the second.
 */
int sl_result_workflows(struct sl_result *r, struct sl_store *st, bool people, struct sl_err *err);

#endif
