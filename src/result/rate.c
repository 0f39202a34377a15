/* SPDX-License-Identifier: Apache-2.0 */
#include "result/rate.h"
#include "analyse/lens/lens.h"
#include "result_rate.sql.h"

#include <stdlib.h>

enum { BINS = 30 };

static const struct sl_column rows[] = {
    {"time_ns", SL_COLUMN_INTEGER, "ns"},
    {"events", SL_COLUMN_INTEGER, "events"},
    {"per_s", SL_COLUMN_REAL, "1/s"},
};
static const struct sl_column about[] = {
    {"event", SL_COLUMN_TEXT, NULL},
    {"events", SL_COLUMN_REAL, "events"},
    {"bin_s", SL_COLUMN_REAL, "s"},
    {"store", SL_COLUMN_TEXT, NULL},
};
static const struct sl_column bins[] = {
    {"time_ns", SL_COLUMN_INTEGER, "ns"},
    {"events", SL_COLUMN_REAL, "events"},
    {"per_s", SL_COLUMN_REAL, "1/s"},
};
static const struct sl_column kinds[] = {{"span_type", SL_COLUMN_TEXT, NULL}, {"event_type", SL_COLUMN_TEXT, NULL}};

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
    struct sl_table *t = sl_result_table(r, "bins", bins, SL_COLUMNS(bins));
    sqlite3_stmt *s = query(q, err);
    int rc = s ? 0 : err->code;

    while (s && (rc = sl_store_step(q->st, s, err)) > 0) {
        double events = sqlite3_column_double(s, 1);
        *all += events;
        sl_table_add(t);
        sl_table_put_int(t, SL_RATE_BIN_TIME_NS, sqlite3_column_int64(s, 0));
        sl_table_put_real(t, SL_RATE_BIN_EVENTS, events);
        if (q->bin_s > 0)
            sl_table_put_real(t, SL_RATE_BIN_PER_S, events / q->bin_s);
    }
    sqlite3_finalize(s);
    return rc;
}

/* Which events were counted, where their name leaves it open. */
static void add_kinds(struct sl_result *r, const struct sl_over_time *q)
{
    struct sl_table *t = sl_result_table(r, "kinds", kinds, SL_COLUMNS(kinds));
    sqlite3_stmt *s = sl_store_prepare(q->st, sql_kinds, NULL);
    const char *slash = strchr(q->about, '/');
    char *span = slash ? sl_strndup(q->about, (size_t)(slash - q->about)) : sl_strdup("*");

    while (s && sqlite3_step(s) == SQLITE_ROW) {
        const char *type = sl_store_text(s, 0), *event = sl_store_text(s, 1);
        if (!sl_lens_glob(span, type) || !sl_lens_glob(slash ? slash + 1 : q->about, event))
            continue;
        sl_table_add(t);
        sl_table_put_text(t, SL_RATE_KIND_SPAN, type);
        sl_table_put_text(t, SL_RATE_KIND_EVENT, event);
    }
    sqlite3_finalize(s);
    free(span);
}

static int add_summary(struct sl_result *r, struct sl_over_time *q, struct sl_err *err)
{
    double all = 0;
    int rc = add_bins(r, q, &all, err);
    struct sl_table *t = sl_result_table(r, "about", about, SL_COLUMNS(about));

    sl_table_add(t);
    sl_table_put_text(t, SL_RATE_EVENT, q->about);
    sl_table_put_real(t, SL_RATE_EVENTS, all);
    if (q->bin_s > 0)
        sl_table_put_real(t, SL_RATE_BIN_S, q->bin_s);
    sl_table_put_text(t, SL_RATE_STORE, q->st->path);
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
