/* SPDX-License-Identifier: Apache-2.0 */
/* What nodes used while they were monitored, split among what ran on them; analyse/usage_shares.h says how. */
#include "analyse/ext.h"
#include "analyse/sqlfn/sqlfn.h"
#include "analyse/usage_shares.h"

/* clang-format off */
#define NODE_USAGE(COLUMN, row) \
    COLUMN(row, INTEGER, node, NULL, "id of the node's span") \
    COLUMN(row, INTEGER, span, NULL, "the run; NULL: nobody's") \
    COLUMN(row, INTEGER, task, NULL, "its task; NULL: nobody's") \
    COLUMN(row, REAL, there_s, "s", "that it was there (of nobody's: that the node was sampled)") \
    COLUMN(row, REAL, cores, "CPUs", "what it asked for; NULL: it does not say") \
    COLUMN(row, REAL, memory_mb, "MB", "what it asked for; NULL: it does not say") \
    COLUMN(row, INTEGER, measured, NULL, "1: its own resource rows say what it used of CPU, memory and disk; 0: a share") \
    COLUMN(row, REAL, cpu_s, "s", "CPU time that it used; NULL: the node does not tell") \
    COLUMN(row, REAL, mem_mb_s, NULL, "MB times seconds") \
    COLUMN(row, REAL, disk_mb, "MB", "read and written") \
    COLUMN(row, REAL, net_mb, "MB", "sent and received")
/* clang-format on */
SL_ROW(node_usage, NODE_USAGE);

static const struct sl_column args[] = {
    {"within", SL_COLUMN_INTEGER, NULL, "the id of a span to which nodes belong", 0},
};

static int64_t or_null(int64_t id)
{
    return id ? id : SL_NULL_INTEGER;
}

static int fill_usage(struct sl_rows *out, const struct sl_call *call, struct sl_err *err)
{
    struct sl_usage u = {0};
    int rc = sl_usage_make(&u, call->db, call->arg[0] ? sqlite3_value_int64(call->arg[0]) : 0, err);

    for (size_t i = 0; i < u.n && !rc; i++) {
        const struct sl_usage_part *p = &u.v[i];
        struct node_usage *x = sl_rows_add(out);
        *x = (struct node_usage){p->node,     or_null(p->span), or_null(p->task), p->there_s, p->cores,  p->memory_mb,
                                 p->measured, p->used[0],       p->used[1],       p->used[2], p->used[3]};
    }
    sl_usage_free(&u);
    return rc;
}

const struct sl_table_fn sl_fn_node_usage = {
    .name = "node_usage",
    .about = "what nodes used, split among what ran on them",
    .row = &node_usage_columns,
    .arg = args,
    .args = 1,
    .usage = "node_usage() or node_usage(SPAN)",
    .rows = 10000,
    .fill = fill_usage,
};
