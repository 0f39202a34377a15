/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What nodes were doing, what that came to, and the same of Parsl's tries.  They have no arguments, and so are asked
 * like tables.  As views of the store they would be parsed by every command that opens it.
 */
#include "analyse/ext.h"
#include "analyse/sqlfn/sqlfn.h"
#include "sqlfn_metrics.sql.h"

/* clang-format off */
#define NODE_SAMPLES(COLUMN, row) \
    COLUMN(row, INTEGER, node, NULL, "id of the node's span") \
    COLUMN(row, INTEGER, time_ns, "ns", "of the sample") \
    COLUMN(row, REAL, elapsed_s, "s", "that it stands for: since the one before, or since the monitor began") \
    COLUMN(row, REAL, cpu_pct_per_cpu_avg, "%", NULL) \
    COLUMN(row, REAL, cpu_pct_per_cpu_min, "%", NULL) \
    COLUMN(row, REAL, cpu_pct_per_cpu_max, "%", NULL) \
    COLUMN(row, REAL, mem_percent, "%", NULL) \
    COLUMN(row, REAL, disk_usage_percent, "%", NULL) \
    COLUMN(row, REAL, disk_io_read_mb, "MB", "since the monitor began") \
    COLUMN(row, REAL, disk_io_write_mb, "MB", "since the monitor began") \
    COLUMN(row, REAL, net_io_lo_sent_mb, "MB", "since the monitor began") \
    COLUMN(row, REAL, net_io_ext_sent_mb, "MB", "since the monitor began") \
    COLUMN(row, REAL, net_io_lo_recv_mb, "MB", "since the monitor began") \
    COLUMN(row, REAL, net_io_ext_recv_mb, "MB", "since the monitor began") \
    COLUMN(row, INTEGER, cpus, "CPUs", "that were online") \
    COLUMN(row, REAL, cpu_busy_s, "s", "since the monitor began") \
    COLUMN(row, REAL, cpu_capacity_s, "s", "since the monitor began") \
    COLUMN(row, REAL, mem_available_mb, "MB", NULL) \
    COLUMN(row, REAL, uptime_s, "s", "since the boot")
/* clang-format on */
SL_ROW(node_samples, NODE_SAMPLES);

const struct sl_table_fn sl_fn_node_samples = {
    .name = "node_samples",
    .about = "what nodes were doing, a row for each sample",
    .row = &node_samples_columns,
    .usage = "node_samples",
    .rows = 10000,
    .sql = sql_node_samples,
};

/* clang-format off */
#define NODE_METRICS(COLUMN, row) \
    COLUMN(row, INTEGER, node, NULL, "id of the node's span") \
    COLUMN(row, TEXT, host, NULL, "as hostname prints it") \
    COLUMN(row, INTEGER, rank, NULL, "of MPI or the batch system; NULL: none") \
    COLUMN(row, INTEGER, began_ns, "ns", "when it began") \
    COLUMN(row, INTEGER, last_ns, "ns", "its last sample") \
    COLUMN(row, REAL, sampled_s, "s", "that samples stand for") \
    COLUMN(row, INTEGER, samples, "samples", "how many there are") \
    COLUMN(row, INTEGER, cpus, "CPUs", "that were online") \
    COLUMN(row, REAL, cpu_avg_utilization_pct, "%", NULL) \
    COLUMN(row, REAL, cpu_avg_utilization_over20_pct, "%", NULL) \
    COLUMN(row, REAL, cpu_avg_utilization_over40_pct, "%", NULL) \
    COLUMN(row, REAL, cpu_avg_utilization_over80_pct, "%", NULL) \
    COLUMN(row, REAL, cpu_avg_utilization_at100_pct, "%", NULL) \
    COLUMN(row, REAL, max_t_cpu_pct_per_cpu_avg, "%", NULL) \
    COLUMN(row, REAL, max_t_cpu_pct_per_cpu_max, "%", NULL) \
    COLUMN(row, REAL, max_t_cpu_pct_per_cpu_min, "%", NULL) \
    COLUMN(row, REAL, node_cpu_hours, "h", NULL) \
    COLUMN(row, REAL, node_unused_cpu_hours, "h", NULL) \
    COLUMN(row, REAL, max_t_mem_percent, "%", NULL) \
    COLUMN(row, REAL, max_t_disk_usage_percent, "%", NULL) \
    COLUMN(row, REAL, total_disk_io_read_mb, "MB", NULL) \
    COLUMN(row, REAL, total_disk_io_write_mb, "MB", NULL) \
    COLUMN(row, REAL, total_net_io_lo_sent_mb, "MB", NULL) \
    COLUMN(row, REAL, total_net_io_ext_sent_mb, "MB", NULL) \
    COLUMN(row, REAL, total_net_io_lo_recv_mb, "MB", NULL) \
    COLUMN(row, REAL, total_net_io_ext_recv_mb, "MB", NULL)
/* clang-format on */
SL_ROW(node_metrics, NODE_METRICS);

const struct sl_table_fn sl_fn_node_metrics = {
    .name = "node_metrics",
    .about = "what samples of each node come to",
    .row = &node_metrics_columns,
    .usage = "node_metrics",
    .rows = 100,
    .sql = sql_node_metrics,
};

/* clang-format off */
#define TASK_METRICS(COLUMN, row) \
    COLUMN(row, INTEGER, try, NULL, "id of the try") \
    COLUMN(row, INTEGER, task, NULL, "id of its task") \
    COLUMN(row, TEXT, app, NULL, "of the task") \
    COLUMN(row, TEXT, host, NULL, "as hostname prints it") \
    COLUMN(row, INTEGER, began_ns, "ns", "when it began") \
    COLUMN(row, INTEGER, last_ns, "ns", "its last sample") \
    COLUMN(row, REAL, sampled_s, "s", "that samples stand for") \
    COLUMN(row, INTEGER, samples, "samples", "how many there are") \
    COLUMN(row, REAL, cpu_avg_utilization_pct, "%", NULL) \
    COLUMN(row, REAL, cpu_avg_utilization_over20_pct, "%", NULL) \
    COLUMN(row, REAL, cpu_avg_utilization_over40_pct, "%", NULL) \
    COLUMN(row, REAL, cpu_avg_utilization_over80_pct, "%", NULL) \
    COLUMN(row, REAL, cpu_avg_utilization_at100_pct, "%", NULL) \
    COLUMN(row, REAL, max_t_cpu_pct, "%", NULL) \
    COLUMN(row, REAL, cpu_hours, "h", NULL) \
    COLUMN(row, REAL, max_t_mem_percent, "%", NULL) \
    COLUMN(row, REAL, max_t_mem_mb, "MB", NULL) \
    COLUMN(row, REAL, total_disk_io_read_mb, "MB", NULL) \
    COLUMN(row, REAL, total_disk_io_write_mb, "MB", NULL)
/* clang-format on */
SL_ROW(task_metrics, TASK_METRICS);

const struct sl_table_fn sl_fn_task_metrics = {
    .name = "task_metrics",
    .about = "what resource rows of Parsl's monitoring come to, of each try",
    .row = &task_metrics_columns,
    .usage = "task_metrics",
    .rows = 10000,
    .sql = sql_task_metrics,
};
