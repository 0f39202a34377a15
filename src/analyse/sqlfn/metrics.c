/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_samples, node_metrics, task_metrics: what nodes were doing, what that came to, and the same of Parsl's tries
 * (docs/sql.md has the columns).  They have no arguments, and so are asked like tables:
 *
 *     SELECT host, cpu_avg_utilization_pct FROM node_metrics;
 *
 * As views of the store they would be parsed by every command that opens it.
 */
#include "analyse/ext.h"
#include "analyse/sqlfn/sqlfn.h"
#include "analyse/sqlfn/table.h"
#include "sqlfn_metrics.sql.h"

struct state {
    sqlite3_stmt *rows;
    bool done;
};

static int next(void *state, struct sl_err *err)
{
    struct state *s = state;
    int rc = sqlite3_step(s->rows);

    s->done = rc != SQLITE_ROW;
    if (rc == SQLITE_ROW || rc == SQLITE_DONE)
        return 0;
    return sl_err(err, SL_ESTORE, "%s", sl_sqlite_words(sqlite3_db_handle(s->rows)));
}

static int begin(struct state *s, sqlite3 *db, const char *sql, struct sl_err *err)
{
    if (!s->rows && sqlite3_prepare_v2(db, sql, -1, &s->rows, NULL) != SQLITE_OK)
        return sl_err(err, SL_ESTORE, "%s", sl_sqlite_words(db));
    sqlite3_reset(s->rows);
    return next(s, err);
}

static int start_samples(void *state, const struct sl_call *call, struct sl_err *err)
{
    return begin(state, call->db, sql_node_samples, err);
}

static int start_nodes(void *state, const struct sl_call *call, struct sl_err *err)
{
    return begin(state, call->db, sql_node_metrics, err);
}

static int start_tasks(void *state, const struct sl_call *call, struct sl_err *err)
{
    return begin(state, call->db, sql_task_metrics, err);
}

static bool at_end(const void *state)
{
    return ((const struct state *)state)->done;
}

static void column(const void *state, sqlite3_context *out, int col)
{
    sqlite3_result_value(out, sqlite3_column_value(((const struct state *)state)->rows, col));
}

static void end(void *state)
{
    sqlite3_finalize(((struct state *)state)->rows);
}

static const struct sl_table_fn node_samples = {
    .name = "node_samples",
    .schema = "CREATE TABLE x(node INTEGER, time_ns INTEGER, elapsed_s REAL, cpu_pct_per_cpu_avg REAL, "
              "cpu_pct_per_cpu_min REAL, cpu_pct_per_cpu_max REAL, mem_percent REAL, disk_usage_percent REAL, "
              "disk_io_read_mb REAL, disk_io_write_mb REAL, net_io_lo_sent_mb REAL, net_io_ext_sent_mb REAL, "
              "net_io_lo_recv_mb REAL, net_io_ext_recv_mb REAL, cpus INTEGER, cpu_busy_s REAL, cpu_capacity_s REAL, "
              "mem_available_mb REAL, uptime_s REAL)",
    .columns = 19,
    .usage = "node_samples",
    .rows = 10000,
    .state_bytes = sizeof(struct state),
    .start = start_samples,
    .at_end = at_end,
    .next = next,
    .column = column,
    .end = end,
};

static const struct sl_table_fn node_metrics = {
    .name = "node_metrics",
    .schema =
        "CREATE TABLE x(node INTEGER, host TEXT, rank INTEGER, began_ns INTEGER, last_ns INTEGER, sampled_s REAL, "
        "samples INTEGER, cpus INTEGER, cpu_avg_utilization_pct REAL, cpu_avg_utilization_over20_pct REAL, "
        "cpu_avg_utilization_over40_pct REAL, cpu_avg_utilization_over80_pct REAL, "
        "cpu_avg_utilization_at100_pct REAL, max_t_cpu_pct_per_cpu_avg REAL, max_t_cpu_pct_per_cpu_max REAL, "
        "max_t_cpu_pct_per_cpu_min REAL, node_cpu_hours REAL, node_unused_cpu_hours REAL, max_t_mem_percent REAL, "
        "max_t_disk_usage_percent REAL, total_disk_io_read_mb REAL, total_disk_io_write_mb REAL, "
        "total_net_io_lo_sent_mb REAL, total_net_io_ext_sent_mb REAL, total_net_io_lo_recv_mb REAL, "
        "total_net_io_ext_recv_mb REAL)",
    .columns = 26,
    .usage = "node_metrics",
    .rows = 100,
    .state_bytes = sizeof(struct state),
    .start = start_nodes,
    .at_end = at_end,
    .next = next,
    .column = column,
    .end = end,
};

static const struct sl_table_fn task_metrics = {
    .name = "task_metrics",
    .schema = "CREATE TABLE x(try INTEGER, task INTEGER, app TEXT, host TEXT, began_ns INTEGER, last_ns INTEGER, "
              "sampled_s REAL, samples INTEGER, cpu_avg_utilization_pct REAL, cpu_avg_utilization_over20_pct REAL, "
              "cpu_avg_utilization_over40_pct REAL, cpu_avg_utilization_over80_pct REAL, "
              "cpu_avg_utilization_at100_pct REAL, max_t_cpu_pct REAL, cpu_hours REAL, max_t_mem_percent REAL, "
              "max_t_mem_mb REAL, total_disk_io_read_mb REAL, total_disk_io_write_mb REAL)",
    .columns = 19,
    .usage = "task_metrics",
    .rows = 10000,
    .state_bytes = sizeof(struct state),
    .start = start_tasks,
    .at_end = at_end,
    .next = next,
    .column = column,
    .end = end,
};

int sl_fn_metrics(sqlite3 *db)
{
    int rc = sl_table_register(db, &node_samples);

    if (rc == SQLITE_OK)
        rc = sl_table_register(db, &node_metrics);
    return rc == SQLITE_OK ? sl_table_register(db, &task_metrics) : rc;
}
