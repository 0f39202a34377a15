/* SPDX-License-Identifier: Apache-2.0 */
/* What used the nodes (analyse/usage_shares.h), added up by task, app or type of spans; what is nobody's is
 * `unattributed`. */
#ifndef SL_RESULT_USAGE_TABLES_H
#define SL_RESULT_USAGE_TABLES_H

#include "result/table.h"
#include "store/store.h"

enum sl_usage_by { SL_USAGE_TASK, SL_USAGE_APP, SL_USAGE_TYPE };

/*
 * The tables "usage", by CPU, unattributed last, and "nodes": one row with how many there are, and what they had.
 * within: a span to which nodes belong; 0: all.
 */
enum {
    SL_USAGE_WHAT,
    SL_USAGE_TASK_ID,
    SL_USAGE_RUNS,
    SL_USAGE_MEASURED,
    SL_USAGE_THERE,
    SL_USAGE_CPU,
    SL_USAGE_CPU_SHARE,
    SL_USAGE_REQUESTED_CPU,
    SL_USAGE_OF_REQUESTED,
    SL_USAGE_MEM_MB,
    SL_USAGE_REQUESTED_MB,
    SL_USAGE_DISK,
    SL_USAGE_NET
};
enum { SL_USAGE_NODES, SL_USAGE_NODES_SAMPLED_S, SL_USAGE_NODES_CPU_S, SL_USAGE_NODES_CAPACITY_S };
int sl_result_usage(struct sl_result *r, struct sl_store *st, enum sl_usage_by by, int64_t within, struct sl_err *err);

#endif
