/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_usage([within]): what nodes used while they were monitored, split among what ran on them; analyse/usage.h says
 * how.
 *
 *   node               id of the node's span
 *   span, task         the run and its task; NULL: nobody's
 *   there_s            seconds that it was there (of nobody's: that the node was sampled)
 *   cores, memory_mb   what it asked for; NULL: it does not say
 *   measured           1: its own resource rows say what it used of CPU, memory and disk; 0: a share
 *   cpu_s, mem_mb_s, disk_mb, net_mb   what it used: CPU seconds, MB times seconds, MB read and written, MB sent and
 *                      received; NULL: the node does not tell
 *
 *     SELECT node, total(cpu_s) FROM node_usage() GROUP BY node;
 *
 * within is the id of a span to which nodes belong.
 */
#include "analyse/ext.h"
#include "analyse/sqlfn/sqlfn.h"
#include "analyse/sqlfn/table.h"
#include "analyse/usage.h"

#include <math.h>

enum { NODE, SPAN, TASK, THERE_S, CORES, MEMORY_MB, MEASURED, FIRST_USED, COLUMNS = FIRST_USED + SL_USAGE_KINDS };

struct state {
    struct sl_table_rows rows;
    struct sl_usage u;
};

static void end(void *state)
{
    sl_usage_free(&((struct state *)state)->u);
}

static int start(void *state, const struct sl_call *call, struct sl_err *err)
{
    struct state *s = state;
    int rc;

    end(s);
    *s = (struct state){0};
    rc = sl_usage_make(&s->u, call->db, call->arg[0] ? sqlite3_value_int64(call->arg[0]) : 0, err);
    s->rows.n = rc ? 0 : s->u.n;
    return rc;
}

static void put(sqlite3_context *out, double d)
{
    if (!isnan(d))
        sqlite3_result_double(out, d);
}

static void column(const void *state, sqlite3_context *out, int col)
{
    const struct state *s = state;
    const struct sl_usage_part *p = &s->u.v[s->rows.at];

    switch (col) {
    case NODE: sqlite3_result_int64(out, p->node); break;
    case SPAN:
        if (p->span)
            sqlite3_result_int64(out, p->span);
        break;
    case TASK:
        if (p->task)
            sqlite3_result_int64(out, p->task);
        break;
    case THERE_S: put(out, p->there_s); break;
    case CORES: put(out, p->cores); break;
    case MEMORY_MB: put(out, p->memory_mb); break;
    case MEASURED: sqlite3_result_int(out, p->measured); break;
    default: put(out, p->used[col - FIRST_USED]);
    }
}

const struct sl_table_fn sl_fn_node_usage = {
    .name = "node_usage",
    .schema = "CREATE TABLE x(node INTEGER, span INTEGER, task INTEGER, there_s REAL, cores REAL, memory_mb REAL, "
              "measured INTEGER, cpu_s REAL, mem_mb_s REAL, disk_mb REAL, net_mb REAL, within INTEGER HIDDEN)",
    .columns = COLUMNS,
    .args = 1,
    .usage = "node_usage() or node_usage(SPAN)",
    .rows = 10000,
    .state_bytes = sizeof(struct state),
    .start = start,
    .column = column,
    .end = end,
};
