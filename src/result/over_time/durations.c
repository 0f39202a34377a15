/* SPDX-License-Identifier: Apache-2.0 */
#include "result/over_time/durations.h"
#include "analyse/bins.h"
#include "analyse/kernels/moments.h"
#include "analyse/kernels/quantile.h"
#include "over_time_durations.sql.h"
#include "result/spans/span_names.h"

#include <math.h>
#include <stdlib.h>

enum { BINS = 10, LONGEST = 3 };

static const struct sl_column rows[] = {
    {"span", SL_COLUMN_INTEGER, NULL, NULL, 0},       {"start_ns", SL_COLUMN_INTEGER, "ns", NULL, 0},
    {"end_ns", SL_COLUMN_INTEGER, "ns", NULL, 0},     {"duration_s", SL_COLUMN_REAL, "s", NULL, 0},
    {"starts", SL_COLUMN_INTEGER, "events", NULL, 0}, {"ends", SL_COLUMN_INTEGER, "events", NULL, 0},
};
static const struct sl_column list[] = {
    {"span", SL_COLUMN_INTEGER, NULL, NULL, 0},     {"key", SL_COLUMN_TEXT, NULL, NULL, 0},
    {"start", SL_COLUMN_TEXT, NULL, NULL, 0},       {"end", SL_COLUMN_TEXT, NULL, NULL, 0},
    {"duration_s", SL_COLUMN_REAL, "s", NULL, 0},   {"starts", SL_COLUMN_INTEGER, "events", NULL, 0},
    {"ends", SL_COLUMN_INTEGER, "events", NULL, 0},
};
static const struct sl_column about[] = {
    {"type", SL_COLUMN_TEXT, NULL, NULL, 0},
    {"start_event", SL_COLUMN_TEXT, NULL, NULL, 0},
    {"end_event", SL_COLUMN_TEXT, NULL, NULL, 0},
    {"spans", SL_COLUMN_INTEGER, "spans", NULL, 0},
    {"durations", SL_COLUMN_INTEGER, "spans", NULL, 0},
    {"without_start", SL_COLUMN_INTEGER, "spans", NULL, 0},
    {"without_end", SL_COLUMN_INTEGER, "spans", NULL, 0},
    {"several_starts", SL_COLUMN_INTEGER, "spans", NULL, 0},
    {"several_ends", SL_COLUMN_INTEGER, "spans", NULL, 0},
    {"negative", SL_COLUMN_INTEGER, "spans", NULL, 0},
    {"store", SL_COLUMN_TEXT, NULL, NULL, 0},
};
static const struct sl_column numbers[] = {
    {"mean", SL_COLUMN_REAL, "s", NULL, 0},    {"stddev", SL_COLUMN_REAL, "s", NULL, 0},
    {"minimum", SL_COLUMN_REAL, "s", NULL, 0}, {"p25", SL_COLUMN_REAL, "s", NULL, 0},
    {"median", SL_COLUMN_REAL, "s", NULL, 0},  {"p75", SL_COLUMN_REAL, "s", NULL, 0},
    {"p95", SL_COLUMN_REAL, "s", NULL, 0},     {"maximum", SL_COLUMN_REAL, "s", NULL, 0},
};
static const struct sl_column histogram[] = {
    {"from_s", SL_COLUMN_REAL, "s", NULL, 0},
    {"to_s", SL_COLUMN_REAL, "s", NULL, 0},
    {"durations", SL_COLUMN_INTEGER, "spans", NULL, 0},
};
static const struct sl_column longest[] = {
    {"duration_s", SL_COLUMN_REAL, "s", NULL, 0},
    {"span", SL_COLUMN_INTEGER, NULL, NULL, 0},
    {"name", SL_COLUMN_TEXT, NULL, NULL, 0},
};

struct longest {
    int64_t span;
    double s;
};

struct durations {
    SL_VEC(double) v; /* seconds */
    size_t roots, no_start, no_end, starts, ends, negative;
    struct longest longest[LONGEST]; /* descending */
};

/* ---- reading ---- */

static void add(struct durations *d, int64_t span, double s)
{
    int k = LONGEST - 1;

    d->negative += s < 0;
    if (d->v.n < LONGEST || s > d->longest[k].s) {
        for (k = d->v.n < LONGEST ? (int)d->v.n : k; k && d->longest[k - 1].s < s; k--)
            d->longest[k] = d->longest[k - 1];
        d->longest[k] = (struct longest){span, s};
    }
    *sl_vec_add(&d->v) = s;
}

/* Columns: duration_s, start_ns, end_ns, span, starts, ends; all but one of the first three may be NULL. */
static int read_durations(struct durations *d, struct sl_store *st, sqlite3_stmt *q, bool times, struct sl_err *err)
{
    int rc = q ? 0 : err->code;

    while (q && (rc = sl_store_step(st, q, err)) > 0) {
        bool start = !times || sqlite3_column_type(q, 1) != SQLITE_NULL;
        bool end = sqlite3_column_type(q, times ? 2 : 0) != SQLITE_NULL;
        d->roots++;
        d->no_start += !start;
        d->no_end += !end;
        d->starts += sqlite3_column_int64(q, 4) > 1;
        d->ends += sqlite3_column_int64(q, 5) > 1;
        if (start && end)
            add(d, sqlite3_column_int64(q, 3),
                sqlite3_column_type(q, 0) != SQLITE_NULL
                    ? sqlite3_column_double(q, 0)
                    : (double)((__int128)sqlite3_column_int64(q, 2) - sqlite3_column_int64(q, 1)) / 1e9);
    }
    return rc;
}

/* ---- the user's query, made into one with duration_s, or with start_ns and end_ns ---- */

static bool is_ns(const char *column)
{
    size_t n = strlen(column);
    return n > 3 && !sqlite3_stricmp(column + n - 3, "_ns");
}

/*
 * Two columns of any name, as dnpcsql's twoevents.plot() takes them: a time and how long it took, or two times.  What
 * is as far from 1970 as the times are is one, too.
 */
static int take_pair(const struct sl_over_time *q, const bool ns[2], char **sql, struct sl_err *err)
{
    enum { FAR_S = 100000000 }; /* three years */
    char *ask =
        sqlite3_mprintf(sql_ends_or_durations, q->sql, ns[1] ? "1e9" : "1.0", FAR_S, ns[0] ? "1e9" : "1.0", FAR_S);
    sqlite3_stmt *s = sl_store_prepare(q->st, ask, err);
    int rc;

    sqlite3_free(ask);
    if (!s)
        return SL_ESTORE;
    if ((rc = sl_store_step(q->st, s, err)) >= 0) {
        int64_t far = sqlite3_column_int64(s, 0), all = sqlite3_column_int64(s, 1);
        rc = 0;
        if (far && far < all)
            rc = sl_err(err, SL_EFORMAT,
                        "--sql: is the second column an end, or how long it took? %lld of %lld rows look like an end; "
                        "name the two columns start and end, or the second duration_s",
                        (long long)far, (long long)all);
        *sql = sqlite3_mprintf(far ? sql_pair_of_times : sql_time_and_duration, q->sql,
                               !far             ? ns[1] ? "b / 1e9" : "b"
                               : ns[0] && ns[1] ? "(b - a) / 1e9"
                               : ns[0]          ? "b - a / 1e9"
                               : ns[1]          ? "b / 1e9 - a"
                                                : "b - a");
    }
    sqlite3_finalize(s);
    return rc;
}

static bool has_times(const struct sl_over_time *q)
{
    return sl_over_time_has(q, "start_ns") && sl_over_time_has(q, "end_ns");
}

/* *sql: the query instead, to be freed by sqlite3_free(); NULL: it will do as it is, or cannot be run. */
static int take_columns(const struct sl_over_time *q, char **sql, struct sl_err *err)
{
    sqlite3_stmt *s;
    bool ns[2];
    int n;

    if (sl_over_time_has(q, "duration_s") || has_times(q) || !sl_over_time_has(q, NULL))
        return 0;
    if (sl_over_time_has(q, "start") && sl_over_time_has(q, "end")) {
        char *ask = sqlite3_mprintf(sql_no_seconds, q->sql);
        bool no_seconds = sl_store_int(q->st, ask, 0) != 0;
        sqlite3_free(ask);
        if (no_seconds)
            return sl_err(err, SL_EFORMAT,
                          "--sql: start and end are seconds since 1970, and these would be of the year 30000 or later; "
                          "nanoseconds are named start_ns and end_ns");
        *sql = sqlite3_mprintf(sql_start_and_end, q->sql);
        return 0;
    }
    if (!(s = sl_store_prepare(q->st, q->sql, err)))
        return SL_ESTORE;
    n = sqlite3_column_count(s);
    for (int i = 0; i < 2 && i < n; i++)
        ns[i] = is_ns(sqlite3_column_name(s, i));
    sqlite3_finalize(s);
    if (n == 2)
        return take_pair(q, ns, sql, err);
    return sl_err(err, SL_EUSAGE,
                  "--sql: durations needs a column duration_s; start and end, in seconds; start_ns and end_ns; or two "
                  "columns of any name, a time and how long it took, or two times");
}

int sl_durations_query(char **sql, struct sl_store *st, const char *query, struct sl_err *err)
{
    const struct sl_over_time q = {.st = st, .sql = query};

    *sql = NULL;
    sl_over_time_number(st->db);
    if (!sl_over_time_has(&q, "duration_s") && has_times(&q))
        *sql = sqlite3_mprintf(sql_start_ns_and_end_ns, query);
    return *sql ? 0 : take_columns(&q, sql, err);
}

/* ---- queries ---- */

static sqlite3_stmt *prepare(const struct sl_durations_question *q, const char *sql, struct sl_err *err)
{
    sqlite3_stmt *s = sl_over_time_prepare(&q->over, sql, err);

    for (int i = 0; s && i < 2; i++)
        sqlite3_bind_text(s, 4 + i, q->event[i], -1, SQLITE_TRANSIENT);
    return s;
}

static sqlite3_stmt *query(const struct sl_durations_question *q, bool *times, struct sl_err *err)
{
    static const char *const seconds[] = {"duration_s", "?start_ns", "?end_ns", "?span", "?starts", "?ends", NULL};
    static const char *const both[] = {"?duration_s", "start_ns", "end_ns", "?span", "?starts", "?ends", NULL};

    *times = !q->over.sql || has_times(&q->over);
    return q->over.sql ? sl_over_time_user(&q->over, *times ? both : seconds, NULL, err) : prepare(q, sql_query, err);
}

static int add_grouped(struct sl_result *r, const struct sl_durations_question *q, const char *name, const char *sql,
                       struct sl_err *err)
{
    int rc = sl_over_time_grouped(r, &q->over, name, sql, err);

    for (int i = 0; i < 2 && !rc; i++)
        sqlite3_bind_text(sl_result_find(r, name)->query, 4 + i, q->event[i], -1, SQLITE_TRANSIENT);
    return rc;
}

static int add_rows(struct sl_result *r, const struct sl_durations_question *q, struct sl_err *err)
{
    sqlite3_stmt *s;

    if (q->over.by)
        return add_grouped(r, q, "two_events", sql_grouped, err);

    if (q->over.sql)
        return sl_over_time_rows(r, &q->over, "two_events", NULL, NULL, 0, err);
    if (!(s = prepare(q, q->list ? sql_list : sql_all, err)))
        return SL_ESTORE;
    if (q->list)
        sqlite3_bind_int(s, 6, q->missing);
    sl_result_query(r, "two_events", q->list ? list : rows, q->list ? SL_COLUMNS(list) : SL_COLUMNS(rows), s)->origin =
        q->over.st->path;
    return 0;
}

/* ---- for people ---- */

static void add_about(struct sl_result *r, const struct sl_durations_question *q, const struct durations *d)
{
    struct sl_table *t = sl_result_table(r, "about", about, SL_COLUMNS(about));

    sl_table_add(t);
    if (!q->over.sql) {
        sl_table_put_text(t, SL_DURATIONS_TYPE, q->over.about);
        sl_table_put_text(t, SL_DURATIONS_START_EVENT, q->event[0]);
        sl_table_put_text(t, SL_DURATIONS_END_EVENT, q->event[1]);
    }
    sl_table_put_int(t, SL_DURATIONS_SPANS, (int64_t)d->roots);
    sl_table_put_int(t, SL_DURATIONS_DURATIONS, (int64_t)d->v.n);
    sl_table_put_int(t, SL_DURATIONS_NO_START, (int64_t)d->no_start);
    sl_table_put_int(t, SL_DURATIONS_NO_END, (int64_t)d->no_end);
    sl_table_put_int(t, SL_DURATIONS_SEVERAL_STARTS, (int64_t)d->starts);
    sl_table_put_int(t, SL_DURATIONS_SEVERAL_ENDS, (int64_t)d->ends);
    sl_table_put_int(t, SL_DURATIONS_NEGATIVE, (int64_t)d->negative);
    sl_table_put_text(t, SL_DURATIONS_STORE, q->over.st->path);
}

/* Values stand ascending, here and below. */
static void add_numbers(struct sl_result *r, const struct durations *d)
{
    static const double p[] = {0, 0.25, 0.5, 0.75, 0.95, 1};
    struct sl_table *t = sl_result_table(r, "numbers", numbers, SL_COLUMNS(numbers));
    struct sl_moments m = {0};
    double sum = 0;

    if (!d->v.n)
        return;
    for (size_t i = 0; i < d->v.n; i += SL_MOMENTS_BLOCK)
        sl_moments_add(&m, d->v.v + i, NULL, d->v.n - i < SL_MOMENTS_BLOCK ? d->v.n - i : SL_MOMENTS_BLOCK);
    for (size_t i = 0; i < d->v.n; i++)
        sum += d->v.v[i];
    sl_table_add(t);
    sl_table_put_real(t, SL_DURATIONS_MEAN, sum / (double)d->v.n);
    sl_table_put_real(t, SL_DURATIONS_STDDEV, sl_moments_stddev(&m));
    for (int i = SL_DURATIONS_MINIMUM; i <= SL_DURATIONS_MAXIMUM; i++)
        sl_table_put_real(t, i, sl_quantile_sorted(d->v.v, d->v.n, p[i - SL_DURATIONS_MINIMUM]));
}

static void add_histogram(struct sl_result *r, const struct durations *d)
{
    struct sl_table *t = sl_result_table(r, "histogram", histogram, SL_COLUMNS(histogram));
    double first = d->v.n ? d->v.v[0] : 0, last = d->v.n ? d->v.v[d->v.n - 1] : 0;
    double width = sl_round_seconds((last - first) / BINS), low = floor(first / width) * width;
    size_t count[2 * BINS + 4] = {0};
    int bins = 0;

    if (!(last > first) || !isfinite(last - first))
        return;
    for (size_t i = 0; i < d->v.n; i++) {
        int k = (int)fmax(0, fmin(floor((d->v.v[i] - low) / width), 2 * BINS + 3));
        count[k]++;
        bins = k + 1 > bins ? k + 1 : bins;
    }
    for (int k = 0; k < bins; k++) {
        sl_table_add(t);
        sl_table_put_real(t, SL_DURATIONS_BIN_FROM_S, low + k * width);
        sl_table_put_real(t, SL_DURATIONS_BIN_TO_S, low + (k + 1) * width);
        sl_table_put_int(t, SL_DURATIONS_BIN_DURATIONS, (int64_t)count[k]);
    }
}

static void add_longest(struct sl_result *r, const struct sl_durations_question *q, const struct durations *d)
{
    struct sl_table *t = sl_result_table(r, "longest", longest, SL_COLUMNS(longest));
    char name[600];

    for (size_t i = 0; i < LONGEST && i < d->v.n; i++) {
        sl_span_name(q->over.st, d->longest[i].span, name, sizeof name);
        if (strstr(name, " of "))
            *strstr(name, " of ") = 0;
        sl_table_add(t);
        sl_table_put_real(t, SL_DURATIONS_LONGEST_S, d->longest[i].s);
        sl_table_put_int(t, SL_DURATIONS_LONGEST_SPAN, d->longest[i].span);
        sl_table_put_text(t, SL_DURATIONS_LONGEST_NAME, name);
    }
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int add_summary(struct sl_result *r, const struct sl_durations_question *question, struct sl_err *err)
{
    struct sl_durations_question q = *question;
    struct durations d = {0};
    char *sql = NULL;
    bool times;
    int rc = q.over.sql ? take_columns(&q.over, &sql, err) : 0;

    q.over.sql = sql ? sql : q.over.sql;
    if (!rc) {
        sqlite3_stmt *s = query(&q, &times, err);
        rc = read_durations(&d, q.over.st, s, times, err);
        sqlite3_finalize(s);
    }
    if (!rc) {
        if (d.v.n)
            qsort(d.v.v, d.v.n, sizeof *d.v.v, by_value);
        add_about(r, &q, &d);
        add_numbers(r, &d);
        add_histogram(r, &d);
        if (!q.over.sql || sl_over_time_has(&q.over, "span"))
            add_longest(r, &q, &d);
        if (q.over.by)
            rc = add_grouped(r, &q, "groups", sql_groups, err);
    }
    sqlite3_free(sql);
    sl_vec_free(&d.v);
    return rc;
}

int sl_durations(struct sl_result *r, const struct sl_durations_question *question, struct sl_err *err)
{
    int rc = add_rows(r, question, err);

    if (!rc && question->over.summary)
        rc = add_summary(r, question, err);
    if (rc)
        sl_result_free(r);
    return rc;
}

int sl_durations_of_tasks(struct sl_result *r, struct sl_store *st, int64_t workflow, const char *by,
                          struct sl_err *err)
{
    char *sql = sl_over_time_by(sql_of_tasks, by ? by : "app");
    struct sl_table *t = sl_result_sql(r, st, "tasks", NULL, 0, sql, err);

    free(sql);
    if (!t)
        return SL_ESTORE;
    sqlite3_bind_int64(t->query, 1, workflow);
    return 0;
}
