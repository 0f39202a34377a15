/* SPDX-License-Identifier: Apache-2.0 */
/* Summary metrics (result/metrics_tables.h) within 80 columns. */
#include "show/nodes/print_metrics.h"
#include "base/clock.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 3, METRIC = 32, NODE = 14 };

static char *cell(const struct sl_table *t, int column, char buf[32])
{
    return sl_show_digits(sl_table_real_or_nan(t, column), buf);
}

/* A host that is longer loses its domain, then its end. */
static char *host(const struct sl_table *t, int column, int width, char buf[64])
{
    struct sl_buf clean = {0};
    const char *s = sl_table_text_or_empty(t, column);
    int n = (int)strlen(s) > width ? (int)strcspn(s, ".") : (int)strlen(s);

    sl_show_clean(&clean, s, (size_t)n);
    snprintf(buf, 64, "%.*s", width, clean.s ? clean.s : "");
    sl_buf_free(&clean);
    return buf;
}

/* ---- nodes ---- */

struct watched { /* a row: what a monitor had of its node */
    char *host;
    int64_t began_ns, last_ns;
};
struct sums {
    int rows, nodes;
    bool twice; /* several monitors of a node at a time */
    double cpu_hours, unused, least_s, most_s;
};

static void put_heading(FILE *out, const struct sums *s)
{
    char a[32], b[32], c[32];

    if (s->rows > s->nodes)
        fprintf(out, "%d monitors of ", s->rows);
    fprintf(out, "%d node%s, sampled for %s", s->nodes, s->nodes == 1 ? "" : "s", sl_seconds_text(s->least_s, a));
    if (s->most_s > s->least_s * 1.01)
        fprintf(out, " to %s", sl_seconds_text(s->most_s, b));
    if (s->twice)
        fputs("\nSeveral watched a node at the same time: each row is of all of that node", out);
    else if (s->cpu_hours > 0)
        fprintf(out, "; %s CPU hours, %.3g %% unused", sl_show_digits(s->cpu_hours, c), 100 * s->unused / s->cpu_hours);
    fputs("\n\n", out);
}

static int by_host_and_time(const void *a, const void *b)
{
    const struct watched *x = a, *y = b;
    int way = strcmp(x->host, y->host);

    return way ? way : (x->began_ns > y->began_ns) - (x->began_ns < y->began_ns);
}

/* How many nodes there are, and whether one was watched twice at a time; frees what is in v. */
static void count_nodes(struct sums *s, struct watched *v)
{
    int64_t until = 0;

    if (s->rows)
        qsort(v, (size_t)s->rows, sizeof *v, by_host_and_time);
    for (int i = 0; i < s->rows; i++) {
        bool another = !i || strcmp(v[i].host, v[i - 1].host);
        s->nodes += another;
        s->twice |= !another && v[i].began_ns < until;
        until = another || v[i].last_ns > until ? v[i].last_ns : until;
    }
    for (int i = 0; i < s->rows; i++)
        free(v[i].host);
}

static int add_up(struct sl_table *t, struct sums *s, struct sl_err *err)
{
    SL_VEC(struct watched) v = {0};
    int rc;

    *s = (struct sums){.least_s = INFINITY};
    while ((rc = sl_table_next(t, err)) > 0) {
        double sampled = sl_table_real(t, SL_METRICS_sampled_s),
               unused = sl_table_real_or_nan(t, SL_METRICS_node_unused_cpu_hours);
        s->rows++;
        *sl_vec_add(&v) = (struct watched){sl_strdup(sl_table_text_or_empty(t, SL_METRICS_host)),
                                           sl_table_int(t, SL_METRICS_began_ns), sl_table_int(t, SL_METRICS_last_ns)};
        s->least_s = fmin(s->least_s, sampled);
        s->most_s = fmax(s->most_s, sampled);
        if (!isnan(unused)) {
            s->cpu_hours += sl_table_real(t, SL_METRICS_node_cpu_hours);
            s->unused += unused;
        }
    }
    count_nodes(s, v.v);
    sl_vec_free(&v);
    return rc;
}

/* A line a metric, a column a node. */
static int put_few(FILE *out, struct sl_table *t, int nodes, struct sl_err *err)
{
    double *v = sl_alloc((size_t)nodes * (size_t)t->columns * sizeof *v);
    char text[64];
    int rc, n = 0;

    fprintf(out, "%-*s", METRIC, "");
    sl_table_rewind(t);
    for (; (rc = sl_table_next(t, err)) > 0 && n < nodes; n++) {
        for (int c = SL_METRICS_FIRST; c < t->columns; c++)
            v[n * t->columns + c] = sl_table_real_or_nan(t, c);
        fprintf(out, "%*s", NODE, host(t, SL_METRICS_host, NODE - 2, text));
    }
    fputc('\n', out);
    for (int c = SL_METRICS_FIRST; c < t->columns && rc >= 0; c++) {
        fprintf(out, "%-*s", METRIC, t->column[c].name);
        for (int i = 0; i < n; i++)
            fprintf(out, "%*s", NODE, sl_show_digits(v[i * t->columns + c], text));
        fputc('\n', out);
    }
    free(v);
    return rc;
}

static int put_many(FILE *out, struct sl_table *t, struct sl_err *err)
{
    static const struct {
        int column, width;
        const char *head[2];
    } shown[] = {
        {SL_METRICS_cpu_avg_utilization_pct, 6, {"CPU", "avg %"}},
        {SL_METRICS_cpu_avg_utilization_over80_pct, 6, {">= 80", "%time"}},
        {SL_METRICS_node_unused_cpu_hours, 8, {"unused", "CPU h"}},
        {SL_METRICS_max_t_mem_percent, 6, {"mem", "max %"}},
        {SL_METRICS_max_t_disk_usage_percent, 6, {"disk", "max %"}},
        {SL_METRICS_total_disk_io_read_mb, 8, {"read", "MB"}},
        {SL_METRICS_total_disk_io_write_mb, 8, {"written", "MB"}},
        {SL_METRICS_total_net_io_ext_sent_mb, 8, {"sent", "MB"}},
        {SL_METRICS_total_net_io_ext_recv_mb, 8, {"recv", "MB"}},
    };
    enum { SHOWN = sizeof shown / sizeof *shown, HOST = 12, STEP = 4 };
    char buf[32], name[64];
    int rc;

    for (int line = 0; line < 2; line++) {
        fprintf(out, "%*s %-*s", STEP, line ? "node" : "", HOST, line ? "host" : "");
        for (int i = 0; i < SHOWN; i++)
            fprintf(out, "%*s", shown[i].width - (i == 0), shown[i].head[line]);
        fputc('\n', out);
    }
    sl_table_rewind(t);
    while ((rc = sl_table_next(t, err)) > 0) {
        fprintf(out, "%*lld %-*s", STEP, (long long)sl_table_int(t, SL_METRICS_step), HOST,
                host(t, SL_METRICS_host, HOST, name));
        for (int i = 0; i < SHOWN; i++)
            fprintf(out, "%*s", shown[i].width - (i == 0), cell(t, shown[i].column, buf));
        fputc('\n', out);
    }
    fputs("\nall metrics: --format csv\n", out);
    return rc;
}

static int show_nodes(FILE *out, struct sl_table *t, struct sl_err *err)
{
    struct sums s;
    int rc = add_up(t, &s, err);

    if (rc || !s.rows)
        return rc ? rc
                  : sl_err(err, SL_ENOTFOUND,
                           "no node was monitored; import the spanloom-monitor.*.jsonl of `spanloom monitor`");
    put_heading(out, &s);
    return s.rows <= FEW ? put_few(out, t, s.rows, err) : put_many(out, t, err);
}

/* ---- tasks and apps ---- */

struct shown {
    const char *column, *head;
    int width;    /* negative: text, to the left */
    double times; /* 0: as it is */
};

static int find(const struct sl_table *t, const char *name)
{
    for (int c = 0; c < t->columns; c++)
        if (!strcmp(t->column[c].name, name))
            return c;
    return -1;
}

/* A text in just so many columns; one that is cut shows it. */
static void put_text(FILE *out, const struct sl_table *t, int column, int columns)
{
    struct sl_buf clean = {0};
    const char *s = sl_table_text_or_empty(t, column);
    int width;

    sl_show_clean(&clean, s, strlen(s));
    sl_buf_adds(&clean, "");
    if (sl_show_width(clean.s) > columns) {
        clean.n = sl_show_fitting(clean.s, columns - 1);
        sl_buf_adds(&clean, "…");
    }
    width = sl_show_width(clean.s);
    fprintf(out, "%s%*s", clean.s, columns > width ? columns - width : 0, "");
    sl_buf_free(&clean);
}

static int put_rows(FILE *out, struct sl_table *t, const struct shown *shown, int n, struct sl_err *err)
{
    char buf[64];
    int rc, rows = 0;

    for (int i = 0; i < n; i++)
        fprintf(out, "%s%*s", i ? " " : "", shown[i].width, shown[i].head);
    fputc('\n', out);
    while ((rc = sl_table_next(t, err)) > 0) {
        for (int i = 0; i < n; i++) {
            int c = find(t, shown[i].column);
            fputs(i ? " " : "", out);
            if (shown[i].width < 0) {
                put_text(out, t, c, -shown[i].width);
                continue;
            }
            if (sl_table_type(t, c) == SQLITE_INTEGER)
                snprintf(buf, sizeof buf, "%lld", (long long)sl_table_int(t, c));
            else
                sl_show_digits(sl_table_real_or_nan(t, c) * (shown[i].times > 0 ? shown[i].times : 1), buf);
            fprintf(out, "%*s", shown[i].width, buf);
        }
        fputc('\n', out);
        rows++;
    }
    if (!rc && !rows)
        rc = sl_err(err, SL_ENOTFOUND,
                    "no task has resource rows: Parsl writes them into monitoring.db where "
                    "MonitoringHub has resource_monitoring_enabled");
    return rc;
}

int sl_show_metrics(FILE *out, struct sl_result *r, enum sl_metrics_by by, struct sl_err *err)
{
    static const struct shown tasks[] = {
        {"task", "task", -6, 0},
        {"try", "try", -3, 0},
        {"app", "app", -13, 0},
        {"sampled_s", "s", 7, 0},
        {"cpu_avg_utilization_pct", "CPU %", 6, 0},
        {"cpu_hours", "CPU s", 7, 3600},
        {"max_t_mem_percent", "mem %", 6, 0},
        {"max_t_mem_mb", "mem MB", 7, 0},
        {"total_disk_io_read_mb", "read MB", 8, 0},
        {"total_disk_io_write_mb", "write MB", 8, 0},
    };
    static const struct shown apps[] = {
        {"app", "app", -17, 0},
        {"tries", "tries", 6, 0},
        {"sampled_s", "s", 7, 0},
        {"cpu_avg_utilization_pct", "CPU %", 6, 0},
        {"cpu_hours", "CPU s", 7, 3600},
        {"max_t_mem_percent", "mem %", 6, 0},
        {"max_t_mem_mb", "mem MB", 7, 0},
        {"total_disk_io_read_mb", "read MB", 8, 0},
        {"total_disk_io_write_mb", "write MB", 8, 0},
    };
    struct sl_table *t = sl_result_find(r, "metrics");

    if (by == SL_METRICS_NODE)
        return show_nodes(out, t, err);
    if (by == SL_METRICS_TASK)
        return put_rows(out, t, tasks, SL_COLUMNS(tasks), err);
    return put_rows(out, t, apps, SL_COLUMNS(apps), err);
}
