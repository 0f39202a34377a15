/* SPDX-License-Identifier: Apache-2.0 */
#include "result/over_time/rate.h"
#include "analyse/lens/lens.h"
#include "over_time_rate.sql.h"

#include <math.h>
#include <stdlib.h>

enum { BINS = 30 };

static const struct sl_column rows[] = {
    {"time_ns", SL_COLUMN_INTEGER, "ns", NULL, 0},
    {"events", SL_COLUMN_INTEGER, "events", NULL, 0},
    {"per_s", SL_COLUMN_REAL, "1/s", NULL, 0},
};
/* Are there so many bins that filling those between would take for ever? */
static int check_bins(const struct sl_over_time *q, const char *range, struct sl_err *err)
{
    sqlite3_stmt *s = sl_over_time_prepare(q, range, err);
    int rc = s ? sl_store_step(q->st, s, err) : err->code;

    if (rc > 0 && ((double)sqlite3_column_int64(s, 1) - (double)sqlite3_column_int64(s, 0)) / 1e9 / q->bin_s > 1e6)
        rc = sl_err(err, SL_EUSAGE, "--bin %g: more than a million bins; make them wider", q->bin_s);
    sqlite3_finalize(s);
    return rc < 0 ? rc : 0;
}

/* Events one by one go through the same bins as those of event_rate(). */
static sqlite3_stmt *bin_events(struct sl_over_time *q, struct sl_err *err)
{
    char *range = sqlite3_mprintf(sql_user_range, q->sql), *sql = NULL;
    sqlite3_stmt *s = NULL;

    if (sl_over_time_bin(q, range, BINS, err) == 0 && !check_bins(q, range, err)) {
        long long w = (long long)(q->bin_s * 1e9 + 0.5);
        sql = sqlite3_mprintf(sql_user_bins, w, w, q->sql, w);
        s = sl_store_prepare(q->st, sql, err);
    }
    sqlite3_free(range);
    sqlite3_free(sql);
    return s;
}

static sqlite3_stmt *query(struct sl_over_time *q, struct sl_err *err)
{
    static const char *const times[] = {"time_ns", NULL}, *const counts[] = {"time_ns", "events", NULL};

    if (!q->sql)
        return sl_over_time_prepare(q, sql_bins, err);
    if (sl_over_time_has(q, "events"))
        return sl_over_time_user(q, counts, "time_ns", err);
    return sl_over_time_has(q, "time_ns") ? bin_events(q, err) : sl_over_time_user(q, times, NULL, err);
}

static int add_bins(struct sl_result *r, struct sl_over_time *q, double *all, struct sl_err *err)
{
    struct sl_table *t = sl_result_rows(r, "bins", &rate_bin_columns);
    sqlite3_stmt *s = query(q, err);
    int rc = s ? 0 : err->code;

    while (s && (rc = sl_store_step(q->st, s, err)) > 0) {
        struct rate_bin *x = sl_table_add(t);
        x->time_ns = sqlite3_column_int64(s, 0);
        x->events = sqlite3_column_double(s, 1);
        if (q->bin_s > 0)
            x->per_s = x->events / q->bin_s;
        *all += x->events;
    }
    sqlite3_finalize(s);
    return rc;
}

/* Which events were counted, where their name leaves it open. */
static void add_kinds(struct sl_result *r, const struct sl_over_time *q)
{
    struct sl_table *t = sl_result_rows(r, "kinds", &rate_kind_columns);
    sqlite3_stmt *s = sl_store_prepare(q->st, sql_kinds, NULL);
    const char *slash = strchr(q->about, '/');
    char *span = slash ? sl_strndup(q->about, (size_t)(slash - q->about)) : sl_strdup("*");

    while (s && sqlite3_step(s) == SQLITE_ROW) {
        const char *type = sl_store_text(s, 0), *event = sl_store_text(s, 1);
        struct rate_kind *x;
        if (!sl_lens_glob(span, type) || !sl_lens_glob(slash ? slash + 1 : q->about, event))
            continue;
        x = sl_table_add(t);
        x->span_type = sl_table_keep(t, type);
        x->event_type = sl_table_keep(t, event);
    }
    sqlite3_finalize(s);
    free(span);
}

static int add_summary(struct sl_result *r, struct sl_over_time *q, struct sl_err *err)
{
    double all = 0;
    int rc = add_bins(r, q, &all, err);
    struct sl_table *t = sl_result_rows(r, "about", &rate_about_columns);
    struct rate_about *x = sl_table_add(t);

    x->event = sl_table_keep(t, q->about);
    x->events = all;
    x->bin_s = q->bin_s > 0 ? q->bin_s : NAN;
    x->store = sl_table_keep(t, q->st->path);
    if (!rc && q->about)
        add_kinds(r, q);
    if (!rc && q->by)
        rc = sl_over_time_grouped(r, q, "groups", sql_groups, err);
    return rc;
}

int sl_rate(struct sl_result *r, const struct sl_over_time *question, struct sl_err *err)
{
    struct sl_over_time q = *question;
    int rc = q.sql ? 0 : sl_over_time_bin(&q, sql_range, BINS, err);

    if (rc > 0) /* an empty store: a heading without rows */
        q.bin_s = 1;
    if (rc >= 0 && q.by)
        rc = sl_over_time_grouped(r, &q, "event_rate", sql_grouped, err);
    else if (rc >= 0)
        rc = sl_over_time_rows(r, &q, "event_rate", sql_all, rows, SL_COLUMNS(rows), err);
    if (!rc && q.summary)
        rc = add_summary(r, &q, err);
    if (rc)
        sl_result_free(r);
    return rc;
}
