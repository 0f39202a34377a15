/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Summary metrics (docs/monitor.md): one value a node over all of its samples, and the same of Parsl's tasks and apps.
 * What was not measured is NULL, and never zero.
 */
#ifndef SL_RESULT_METRICS_H
#define SL_RESULT_METRICS_H

#include "result/table.h"
#include "store/store.h"

enum sl_metrics_by { SL_METRICS_NODE, SL_METRICS_TASK, SL_METRICS_APP };

/*
 * Columns of the table "metrics" by node: what it is, then the metrics, from SL_METRICS_FIRST on, up to the last.
 * STEP is the node's rank where all nodes have one and no two have the same; else nodes are numbered from 0 on, in
 * order of host and begin.
 */
enum {
    SL_METRICS_STEP,
    SL_METRICS_HOST,
    SL_METRICS_RANK,
    SL_METRICS_SPAN,
    SL_METRICS_BEGAN_NS,
    SL_METRICS_LAST_NS,
    SL_METRICS_SAMPLED_S,
    SL_METRICS_SAMPLES,
    SL_METRICS_CPUS,
    SL_METRICS_FIRST
};

/*
 * The table "metrics", a row a node (by STEP), task or app.  within: the id of a span to which they belong; 0: all.
 * code_names: max_t_(mem_percent) for max_t_mem_percent, and so on, as older scripts have them; by node only.
 */
int sl_result_metrics(struct sl_result *r, struct sl_store *st, enum sl_metrics_by by, int64_t within, bool code_names,
                      struct sl_err *err);

/*
 * All samples of all nodes: a JSON object of lists, by STEP, of objects with the names of docs/monitor.md and
 * `timestamp` (Unix time).  A key that a sample has not is not there.
 */
struct sl_buf;
int sl_result_reports(struct sl_buf *out, struct sl_store *st, int64_t within, struct sl_err *err);

#endif
