/* SPDX-License-Identifier: Apache-2.0 */
#include "result/utilisation.h"
#include "base/buf.h"
#include "result_utilisation.sql.h"

#include <stdio.h>

enum { BINS = 30 };

static const struct sl_column rows[] = {
    {"time_ns", SL_COLUMN_INTEGER, "ns"}, {"workers", SL_COLUMN_REAL, "workers"}, {"busy", SL_COLUMN_REAL, "workers"},
    {"running", SL_COLUMN_REAL, "spans"}, {"utilisation", SL_COLUMN_REAL, NULL},
};
static const struct sl_column about[] = {
    {"type", SL_COLUMN_TEXT, NULL},
    {"busy", SL_COLUMN_REAL, "%"},
    {"bin_s", SL_COLUMN_REAL, "s"},
};
static const struct sl_column bins[] = {
    {"time_ns", SL_COLUMN_INTEGER, "ns"}, {"workers", SL_COLUMN_REAL, "workers"}, {"busy", SL_COLUMN_REAL, "workers"},
    {"running", SL_COLUMN_REAL, "spans"}, {"busy_percent", SL_COLUMN_REAL, "%"},
};

/* What workers there are; where there are several types, the user says which. */
static int find_type(struct sl_store *st, char *type, size_t n, struct sl_err *err)
{
    struct sl_buf all = {0};
    sqlite3_stmt *q = sl_store_prepare(st, sql_types, err);
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
    struct sl_table *t = sl_result_table(r, "bins", bins, SL_COLUMNS(bins));
    int rc = s ? 0 : err->code;

    while (s && (rc = sl_store_step(q->st, s, err)) > 0) {
        double there = sqlite3_column_double(s, 1), used = sqlite3_column_double(s, 2);
        if (!q->sql)
            q->bin_s = sqlite3_column_double(s, 4);
        *workers += there;
        *busy += used;
        sl_table_add(t);
        sl_table_put_int(t, SL_WORKERS_BIN_TIME_NS, sqlite3_column_int64(s, 0));
        sl_table_put_real(t, SL_WORKERS_BIN_WORKERS, there);
        sl_table_put_real(t, SL_WORKERS_BIN_BUSY, used);
        if (sqlite3_column_type(s, 3) != SQLITE_NULL)
            sl_table_put_real(t, SL_WORKERS_BIN_RUNNING, sqlite3_column_double(s, 3));
        if (there > 0)
            sl_table_put_real(t, SL_WORKERS_BIN_PERCENT, 100 * used / there);
    }
    sqlite3_finalize(s);
    return rc;
}

static int add_summary(struct sl_result *r, struct sl_over_time *q, struct sl_err *err)
{
    double workers = 0, busy = 0;
    int rc = add_bins(r, q, &workers, &busy, err);
    struct sl_table *t = sl_result_table(r, "about", about, SL_COLUMNS(about));

    if (!q->sql && !(q->bin_s > 0)) /* there never were any */
        q->bin_s = 1;
    sl_table_add(t);
    sl_table_put_text(t, SL_WORKERS_TYPE, q->about);
    if (workers > 0)
        sl_table_put_real(t, SL_WORKERS_BUSY, 100 * busy / workers);
    if (q->bin_s > 0)
        sl_table_put_real(t, SL_WORKERS_BIN_S, q->bin_s);
    return rc;
}

int sl_workers(struct sl_result *r, const struct sl_over_time *question, struct sl_err *err)
{
    struct sl_over_time q = *question;
    char type[1024];
    int rc = 0;

    if (!q.sql && !q.about) {
        rc = find_type(q.st, type, sizeof type, err);
        q.about = type;
    }
    q.bins = BINS;
    if (!rc)
        rc = sl_over_time_rows(r, &q, "utilisation", sql_all, rows, SL_COLUMNS(rows), err);
    if (!rc && q.summary)
        rc = add_summary(r, &q, err);
    if (rc)
        sl_result_free(r);
    return rc;
}
