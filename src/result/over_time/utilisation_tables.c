/* SPDX-License-Identifier: Apache-2.0 */
#include "result/over_time/utilisation_tables.h"
#include "base/buf.h"
#include "over_time_utilisation_tables.sql.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum { BINS = 30 };

static const struct sl_column rows[] = {
    {"time_ns", SL_COLUMN_INTEGER, "ns", NULL, 0},  {"workers", SL_COLUMN_REAL, "workers", NULL, 0},
    {"busy", SL_COLUMN_REAL, "workers", NULL, 0},   {"running", SL_COLUMN_REAL, "spans", NULL, 0},
    {"utilisation", SL_COLUMN_REAL, NULL, NULL, 0},
};

static sqlite3_stmt *types(struct sl_store *st, int64_t within, struct sl_err *err)
{
    sqlite3_stmt *q = sl_store_prepare(st, sql_types, err);

    if (q && within)
        sqlite3_bind_int64(q, 1, within);
    return q;
}

int sl_worker_type(struct sl_store *st, int64_t within, int64_t i, char *type, size_t n, struct sl_err *err)
{
    sqlite3_stmt *q = types(st, within, err);
    int rc = q ? 0 : SL_ESTORE;

    while (q && (rc = sl_store_step(st, q, err)) > 0 && i--)
        ;
    if (rc > 0)
        snprintf(type, n, "%s", sl_store_text(q, 0));
    sqlite3_finalize(q);
    return rc > 0 ? 1 : rc;
}

/* What workers there are; where there are several types, the user says which. */
static int find_type(struct sl_store *st, int64_t within, char *type, size_t n, struct sl_err *err)
{
    struct sl_buf all = {0};
    sqlite3_stmt *q = types(st, within, err);
    int found = 0, rc;

    if (!q)
        return SL_ESTORE;
    while ((rc = sl_store_step(st, q, err)) > 0) {
        if (!found++)
            snprintf(type, n, "%s", sl_store_text(q, 0));
        sl_buf_addf(&all, " %s", sl_store_text(q, 0));
    }
    sqlite3_finalize(q);
    if (!rc && !found)
        rc = sl_err(err, SL_ENOTFOUND, "%s knows of no workers; name a type of spans, see: spanloom types -d %s",
                    st->path, st->path);
    else if (!rc && found > 1)
        rc = sl_err(err, SL_EUSAGE, "there are several types of workers; say which:%s", all.s);
    sl_buf_free(&all);
    return rc;
}

static int add_bins(struct sl_result *r, struct sl_over_time *q, double *workers, double *busy, struct sl_err *err)
{
    static const char *const needs[] = {"time_ns", "workers", "busy", "?running", NULL};
    sqlite3_stmt *s = q->sql ? sl_over_time_user(q, needs, "time_ns", err) : sl_over_time_prepare(q, sql_bins, err);
    struct sl_table *t = sl_result_rows(r, "bins", &workers_bin_columns);
    struct workers_bin *x;
    int rc = s ? 0 : err->code;

    while (s && (rc = sl_store_step(q->st, s, err)) > 0) {
        double there = sqlite3_column_double(s, 1), used = sqlite3_column_double(s, 2);
        if (!q->sql)
            q->bin_s = sqlite3_column_double(s, 4);
        *workers += there;
        *busy += used;
        x = sl_table_add(t);
        x->time_ns = sqlite3_column_int64(s, 0);
        x->workers = there;
        x->busy = used;
        if (sqlite3_column_type(s, 3) != SQLITE_NULL)
            x->running = sqlite3_column_double(s, 3);
        if (there > 0)
            x->busy_percent = 100 * used / there;
    }
    sqlite3_finalize(s);
    return rc;
}

static int add_summary(struct sl_result *r, struct sl_over_time *q, struct sl_err *err)
{
    double workers = 0, busy = 0;
    int rc = add_bins(r, q, &workers, &busy, err);
    struct sl_table *t = sl_result_rows(r, "about", &workers_about_columns);
    struct workers_about *x = sl_table_add(t);

    if (!q->sql && !(q->bin_s > 0)) /* there never were any */
        q->bin_s = 1;
    x->type = sl_table_keep(t, q->about);
    if (workers > 0)
        x->busy = 100 * busy / workers;
    if (q->bin_s > 0)
        x->bin_s = q->bin_s;
    return rc;
}

/* ---- by group ---- */

struct share { /* of a bin, seconds */
    double there, busy, running;
};

struct group {
    char *name;
    struct share *bin;
    int64_t worker, from_ns, to_ns; /* what is open: a stretch in which the worker is busy */
    bool open;
};

struct grouped {
    SL_VEC(int64_t) begin_ns;
    SL_VEC(double) workers; /* all, by bin */
    int64_t width_ns;
    SL_VEC(struct group) group;
    bool of_runs; /* groups are of what ran: all workers are there for each */
};

static void spread(const struct grouped *x, struct share *bin, size_t what, int64_t from_ns, int64_t to_ns)
{
    for (size_t i = 0; i < x->begin_ns.n; i++) {
        int64_t a = x->begin_ns.v[i], b = a + x->width_ns;
        int64_t from = from_ns > a ? from_ns : a, to = to_ns < b ? to_ns : b;
        if (to > from)
            ((double *)&bin[i])[what] += (double)(to - from) / 1e9;
    }
}

static void close_stretch(const struct grouped *x, struct group *g)
{
    if (g->open)
        spread(x, g->bin, offsetof(struct share, busy) / sizeof(double), g->from_ns, g->to_ns);
    g->open = false;
}

static struct group *find_group(struct grouped *x, const char *name)
{
    struct group *g;

    for (size_t i = 0; i < x->group.n; i++)
        if (!strcmp(x->group.v[i].name, name))
            return &x->group.v[i];
    g = sl_vec_add(&x->group);
    g->name = sl_strdup(name);
    g->bin = sl_alloc((x->begin_ns.n + 1) * sizeof *g->bin);
    return g;
}

/* Workers come one after another, what each ran by its begin: stretches that overlap are one. */
static void add_run(struct grouped *x, sqlite3_stmt *q)
{
    int64_t worker = sqlite3_column_int64(q, 0), from_ns = sqlite3_column_int64(q, 1);
    int64_t to_ns = sqlite3_column_int64(q, 2);
    bool is_run = sqlite3_column_int(q, 3);
    struct group *g;

    if (!is_run && x->of_runs)
        return;
    g = find_group(x, sl_store_text(q, 4));
    if (!is_run) {
        spread(x, g->bin, offsetof(struct share, there) / sizeof(double), from_ns, to_ns);
        return;
    }
    spread(x, g->bin, offsetof(struct share, running) / sizeof(double), from_ns, to_ns);
    if (g->open && g->worker == worker && from_ns <= g->to_ns) {
        g->to_ns = to_ns > g->to_ns ? to_ns : g->to_ns;
        return;
    }
    close_stretch(x, g);
    g->worker = worker;
    g->from_ns = from_ns;
    g->to_ns = to_ns;
    g->open = true;
}

static int by_busy(const void *a, const void *b, void *bins)
{
    const struct group *x = a, *y = b;
    double of_x = 0, of_y = 0;

    for (size_t i = 0; i < *(size_t *)bins; i++) {
        of_x += x->bin[i].running;
        of_y += y->bin[i].running;
    }
    return of_x > of_y ? -1 : of_x < of_y ? 1 : strcmp(x->name, y->name);
}

static int read_groups(struct grouped *x, const struct sl_over_time *q, struct sl_err *err)
{
    char *sql = sl_over_time_by(sql_runs, q->by);
    sqlite3_stmt *s = sl_over_time_prepare(q, sql_grid, err);
    int rc = s ? 0 : SL_ESTORE;

    while (s && (rc = sl_store_step(q->st, s, err)) > 0) {
        *sl_vec_add(&x->begin_ns) = sqlite3_column_int64(s, 0);
        *sl_vec_add(&x->workers) = sqlite3_column_double(s, 2);
        x->width_ns = (int64_t)(sqlite3_column_double(s, 1) * 1e9 + 0.5);
    }
    sqlite3_finalize(s);
    s = rc ? NULL : sl_over_time_prepare(q, sql, err);
    rc = rc ? rc : s ? 0 : SL_ESTORE;
    while (s && (rc = sl_store_step(q->st, s, err)) > 0)
        add_run(x, s);
    sqlite3_finalize(s);
    free(sql);
    for (size_t i = 0; i < x->group.n; i++)
        close_stretch(x, &x->group.v[i]);
    if (x->group.n)
        qsort_r(x->group.v, x->group.n, sizeof *x->group.v, by_busy, &x->begin_ns.n);
    return rc;
}

/* As spark() has them: nothing, or at least the lowest. */
static const char *bar_level(double share)
{
    static const char *const level[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    return level[share > 0 ? 1 + (int)(share * 7 + 0.5) : 0];
}

static void put_group(struct sl_table *rows, struct sl_table *sums, const struct grouped *x, const struct group *g)
{
    double width_s = (double)x->width_ns / 1e9, most = 0, there = 0, busy = 0, running = 0, top = 0;
    struct sl_buf bars = {0};

    sl_buf_adds(&bars, "");
    for (size_t i = 0; i < x->begin_ns.n; i++)
        top = g->bin[i].busy / width_s > top ? g->bin[i].busy / width_s : top;
    for (size_t i = 0; i < x->begin_ns.n; i++) {
        const struct share *b = &g->bin[i];
        double workers = x->of_runs ? x->workers.v[i] : b->there / width_s;
        sl_table_add(rows);
        sl_table_put_text(rows, 0, g->name);
        sl_table_put_int(rows, 1, x->begin_ns.v[i]);
        sl_table_put_real(rows, 2, workers);
        sl_table_put_real(rows, 3, b->busy / width_s);
        sl_table_put_real(rows, 4, b->running / width_s);
        if (workers > 0)
            sl_table_put_real(rows, 5, b->busy / width_s / workers);
        most = workers > most ? workers : most;
        there += workers * width_s;
        busy += b->busy;
        running += b->running;
        sl_buf_adds(&bars, bar_level(top > 0 ? b->busy / width_s / top : 0));
    }
    sl_table_add(sums);
    sl_table_put_text(sums, 0, g->name);
    sl_table_put_real(sums, 1, most);
    sl_table_put_real(sums, 2, busy);
    if (there > 0)
        sl_table_put_real(sums, 3, 100 * busy / there);
    sl_table_put_real(sums, 4, running);
    sl_table_put_text(sums, 5, bars.s);
    sl_buf_free(&bars);
}

static int add_groups(struct sl_result *r, const struct sl_over_time *q, struct sl_err *err)
{
    static const struct sl_column sums[] = {
        {"", SL_COLUMN_TEXT, NULL, NULL, 0},         {"workers", SL_COLUMN_REAL, "workers", NULL, 0},
        {"busy_s", SL_COLUMN_REAL, "s", NULL, 0},    {"busy_percent", SL_COLUMN_REAL, "%", NULL, 0},
        {"running_s", SL_COLUMN_REAL, "s", NULL, 0}, {"over_time", SL_COLUMN_TEXT, NULL, NULL, 0}};
    struct grouped x = {.of_runs = !strcmp(q->by, "app") || !strcmp(q->by, "type")};
    int rc = read_groups(&x, q, err);
    struct sl_table *rows_of = sl_over_time_named(r, q, "utilisation", rows, SL_COLUMNS(rows), true),
                    *sums_of = sl_over_time_named(r, q, "groups", sums, SL_COLUMNS(sums), false);

    for (size_t i = 0; i < x.group.n; i++) {
        put_group(rows_of, sums_of, &x, &x.group.v[i]);
        free(x.group.v[i].name);
        free(x.group.v[i].bin);
    }
    sl_vec_free(&x.group);
    sl_vec_free(&x.begin_ns);
    sl_vec_free(&x.workers);
    return rc;
}

int sl_workers(struct sl_result *r, const struct sl_over_time *question, struct sl_err *err)
{
    struct sl_over_time q = *question;
    char type[1024];
    int rc = 0;

    if (!q.sql && !q.about) {
        rc = find_type(q.st, q.within, type, sizeof type, err);
        q.about = type;
    }
    q.bins = BINS;
    if (!rc && q.by)
        rc = add_groups(r, &q, err);
    else if (!rc)
        rc = sl_over_time_rows(r, &q, "utilisation", sql_all, rows, SL_COLUMNS(rows), err);
    if (!rc && q.summary)
        rc = add_summary(r, &q, err);
    if (rc)
        sl_result_free(r);
    return rc;
}
