/* SPDX-License-Identifier: Apache-2.0 */
#include "result/metrics_tables.h"
#include "base/buf.h"
#include "base/json.h"
#include "result_metrics_tables.sql.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMN(name, type, unit) {#name, SL_COLUMN_##type, unit, NULL, 0},
static const struct sl_column nodes[] = {SL_METRICS_NODES(COLUMN) SL_METRICS(COLUMN)};

/* The names that older scripts have: the most over time of X is max_t_(X), but for disks. */
static const struct sl_column *nodes_of_code(void)
{
    static struct sl_column column[SL_COLUMNS(nodes)];
    static char name[SL_COLUMNS(nodes)][64];

    for (int i = 0; i < SL_COLUMNS(nodes); i++) {
        const char *of = nodes[i].name + 6;
        column[i] = nodes[i];
        if (strncmp(nodes[i].name, "max_t_", 6) != 0 || !strncmp(of, "disk", 4))
            continue;
        snprintf(name[i], sizeof name[i], "max_t_(%s)", of);
        column[i].name = name[i];
    }
    return column;
}

static int ask(struct sl_result *r, struct sl_store *st, const struct sl_column *column, int columns, const char *sql,
               int64_t within, struct sl_err *err)
{
    struct sl_table *t;

    if (!(t = sl_result_sql(r, st, "metrics", column, columns, sql, err)))
        return SL_ESTORE;
    if (within)
        sqlite3_bind_int64(t->query, 1, within);
    return 0;
}

int sl_result_metrics(struct sl_result *r, struct sl_store *st, enum sl_metrics_by by, int64_t within, bool code_names,
                      struct sl_err *err)
{
    if (by == SL_METRICS_NODE)
        return ask(r, st, code_names ? nodes_of_code() : nodes, SL_COLUMNS(nodes), sql_nodes, within, err);
    return ask(r, st, NULL, 0, by == SL_METRICS_TASK ? sql_tasks : sql_apps, within, err);
}

/* ---- reports ---- */

/* "a.b" and "a.0" stay names: what reads this knows the flat ones, and nothing is lost. */
static void put_report(struct sl_buf *out, int64_t time_ns, const char *names, const char *values)
{
    char digits[32];
    struct sl_json n = {names, names + strlen(names), 0, false}, v = {values, values + strlen(values), 0, false};
    struct sl_json_text name, value;
    bool first = true;

    sl_buf_addf(out, "        {");
    n.at += n.at < n.end;
    v.at += v.at < v.end;
    for (bool begun = true; sl_json_next(&n, ']', begun) == SL_JSON_OK && sl_json_next(&v, ']', begun) == SL_JSON_OK;
         begun = false) {
        if (sl_json_value(&n, &name, 1) != SL_JSON_OK || sl_json_value(&v, &value, 1) != SL_JSON_OK)
            break;
        if (value.kind != '0' || (name.n == 9 && !memcmp(name.s, "timestamp", 9)))
            continue;
        sl_real_text(strtod(value.s, NULL), digits);
        sl_buf_addf(out, "%s\n            \"%.*s\": %s", first ? "" : ",", (int)name.n, name.s, digits);
        first = false;
    }
    sl_buf_addf(out, "%s\n            \"timestamp\": %lld.%06lld\n        }", first ? "" : ",",
                (long long)(time_ns / 1000000000), (long long)(time_ns % 1000000000 / 1000));
}

static int put_node(struct sl_buf *out, struct sl_store *st, int64_t node, struct sl_err *err)
{
    sqlite3_stmt *q = sl_store_prepare(st, sql_reports, err);
    int rc = q ? 0 : SL_ESTORE;
    bool first = true, any_busy = false;

    if (q)
        sqlite3_bind_int64(q, 1, node);
    while (q && (rc = sl_store_step(st, q, err)) > 0) {
        bool busy = strstr(sl_store_text(q, 1), "\"cpu_pct_per_cpu_avg\"");
        if (!busy && any_busy) /* the end, where it came at once after a sample */
            continue;
        any_busy |= busy;
        sl_buf_adds(out, first ? "\n" : ",\n");
        put_report(out, sqlite3_column_int64(q, 0), sl_store_text(q, 1), sl_store_text(q, 2));
        first = false;
    }
    sqlite3_finalize(q);
    return rc;
}

int sl_result_reports(struct sl_buf *out, struct sl_store *st, int64_t within, struct sl_err *err)
{
    struct sl_result r = {0};
    int rc = sl_result_metrics(&r, st, SL_METRICS_NODE, within, false, err), got = 0;
    bool first = true;

    sl_buf_adds(out, "{");
    while (!rc && (got = sl_table_next(r.table.v[0], err)) > 0) {
        sl_buf_addf(out, "%s\n    \"%lld\": [", first ? "" : ",",
                    (long long)sl_table_int(r.table.v[0], SL_METRICS_step));
        rc = put_node(out, st, sl_table_int(r.table.v[0], SL_METRICS_node), err);
        sl_buf_adds(out, "\n    ]");
        first = false;
    }
    sl_buf_adds(out, first ? "}\n" : "\n}\n");
    sl_result_free(&r);
    return rc ? rc : got;
}
