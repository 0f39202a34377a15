/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Summary metrics (docs/monitor.md): one value a node over all of its samples, and the same of Parsl's tasks and apps.
 * What was not measured is NULL, and never zero.
 */
#ifndef SL_RESULT_METRICS_TABLES_H
#define SL_RESULT_METRICS_TABLES_H

#include "result/table.h"
#include "store/store.h"

enum sl_metrics_by { SL_METRICS_NODE, SL_METRICS_TASK, SL_METRICS_APP };

/* clang-format off */
/*
 * Columns of the table "metrics" by node: what it is, then the metrics (docs/monitor.md), from SL_METRICS_FIRST on.  step is the node's rank where all nodes have one and
 * no two have the same; else nodes are numbered from 0 on, in order of host and begin.
 */
#define SL_METRICS_NODES(X) \
    X(step, INTEGER, NULL) X(host, TEXT, NULL) X(rank, INTEGER, NULL) X(node, INTEGER, NULL) \
    X(began_ns, INTEGER, "ns") X(last_ns, INTEGER, "ns") X(sampled_s, REAL, "s") X(samples, INTEGER, "samples") \
    X(cpus, INTEGER, "CPUs")
#define SL_METRICS(X) \
    X(cpu_avg_utilization_pct, REAL, "%") \
    X(cpu_avg_utilization_over20_pct, REAL, "%") X(cpu_avg_utilization_over40_pct, REAL, "%") \
    X(cpu_avg_utilization_over80_pct, REAL, "%") X(cpu_avg_utilization_at100_pct, REAL, "%") \
    X(max_t_cpu_pct_per_cpu_avg, REAL, "%") X(max_t_cpu_pct_per_cpu_max, REAL, "%") X(max_t_cpu_pct_per_cpu_min, REAL, "%") \
    X(node_cpu_hours, REAL, "h") X(node_unused_cpu_hours, REAL, "h") \
    X(max_t_mem_percent, REAL, "%") X(max_t_disk_usage_percent, REAL, "%") \
    X(total_disk_io_read_mb, REAL, "MB") X(total_disk_io_write_mb, REAL, "MB") \
    X(total_net_io_lo_sent_mb, REAL, "MB") X(total_net_io_ext_sent_mb, REAL, "MB") \
    X(total_net_io_lo_recv_mb, REAL, "MB") X(total_net_io_ext_recv_mb, REAL, "MB")
/* clang-format on */

#define SL_METRICS_NUMBER(name, type, unit) SL_METRICS_##name,
enum {
    SL_METRICS_NODES(SL_METRICS_NUMBER) SL_METRICS_FIRST,
    SL_METRICS_BEHIND = SL_METRICS_FIRST - 1,
    SL_METRICS(SL_METRICS_NUMBER)
};

/*
 * The table "metrics", a row a node (by step), task or app.  within: the id of a span to which they belong; 0: all.
 * code_names: max_t_(mem_percent) for max_t_mem_percent, and so on, as older scripts have them; by node only.
 */
int sl_result_metrics(struct sl_result *r, struct sl_store *st, enum sl_metrics_by by, int64_t within, bool code_names,
                      struct sl_err *err);

/*
 * All samples of all nodes: a JSON object of lists, by step, of objects with the names of docs/monitor.md and
 * `timestamp` (Unix time).  A key that a sample has not is not there.
 */
struct sl_buf;
int sl_result_reports(struct sl_buf *out, struct sl_store *st, int64_t within, struct sl_err *err);

#endif
