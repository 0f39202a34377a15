/* SPDX-License-Identifier: Apache-2.0 */
/* A name for the table function two_events(), with what one wants to know of many durations. */
#include "analyse/kernels/moments.h"
#include "analyse/kernels/quantile.h"
#include "base/clock.h"
#include "base/mem.h"
#include "cli/lens.h"
#include "cli/over_time.h"
#include "cli_cmd_durations.sql.h"
#include "result/span_names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BINS = 10, BAR = 40, LONGEST = 3 };

static const struct option_spec options[] = {
    {"list", NULL, "the spans one by one, the longest first", false},
    {"missing", NULL, "of these, those where the start or the end is missing", false},
    RUN_OPTION,
    SQL_OPTION("duration_s; start and end; or two columns"),
    LENS_OPTIONS,
    {NULL, NULL, NULL, false},
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

static bool is_ns(const char *column)
{
    size_t n = strlen(column);
    return n > 3 && !sqlite3_stricmp(column + n - 3, "_ns");
}

/*
 * Two columns of any name, as dnpcsql's twoevents.plot() takes them: a time and how long it took, or two times.  What
 * is as far from 1970 as the times are is one, too.
 */
static int take_pair(struct plot *p, bool ns[2], struct sl_err *err)
{
    enum { FAR_S = 100000000 }; /* three years */
    char *user = p->sql, *sql;
    sqlite3_stmt *q;
    int rc;

    sql = sqlite3_mprintf(sql_plot, user, ns[1] ? "1e9" : "1.0", FAR_S, ns[0] ? "1e9" : "1.0", FAR_S);
    q = sl_store_prepare(p->st, sql, err);
    sqlite3_free(sql);
    if (!q)
        return SL_ESTORE;
    if ((rc = sl_store_step(p->st, q, err)) >= 0) {
        int64_t far = sqlite3_column_int64(q, 0), all = sqlite3_column_int64(q, 1);
        rc = 0;
        if (far && far < all)
            rc = sl_err(err, SL_EFORMAT,
                        "--sql: is the second column an end, or how long it took? %lld of %lld rows look like an end; "
                        "name the two columns start and end, or the second duration_s",
                        (long long)far, (long long)all);
        sql = sqlite3_mprintf(far ? "WITH q(a, b) AS (%s\n) SELECT %s AS duration_s, a AS start_ns, b AS end_ns FROM q"
                                  : "WITH q(a, b) AS (%s\n) SELECT %s AS duration_s FROM q",
                              user,
                              !far             ? ns[1] ? "b / 1e9" : "b"
                              : ns[0] && ns[1] ? "(b - a) / 1e9"
                              : ns[0]          ? "b - a / 1e9"
                              : ns[1]          ? "b / 1e9 - a"
                                               : "b - a");
        free(p->sql);
        p->sql = sl_strdup(sql);
        sqlite3_free(sql);
    }
    sqlite3_finalize(q);
    return rc;
}

/* The query of the user -> one with duration_s, or with start_ns and end_ns. */
static int take_columns(struct plot *p, struct sl_err *err)
{
    sqlite3_stmt *q;
    bool ns[2];
    int n;

    if (plot_has(p, "duration_s") || (plot_has(p, "start_ns") && plot_has(p, "end_ns")) || !plot_has(p, NULL))
        return 0;
    if (plot_has(p, "start") && plot_has(p, "end")) {
        char *sql = sqlite3_mprintf(sql_take_columns, p->sql);
        free(p->sql);
        p->sql = sl_strdup(sql);
        sqlite3_free(sql);
        return 0;
    }
    if (!(q = sl_store_prepare(p->st, p->sql, err)))
        return SL_ESTORE;
    n = sqlite3_column_count(q);
    for (int i = 0; i < 2 && i < n; i++)
        ns[i] = is_ns(sqlite3_column_name(q, i));
    sqlite3_finalize(q);
    if (n == 2)
        return take_pair(p, ns, err);
    return sl_err(err, SL_EUSAGE,
                  "--sql: durations needs a column duration_s; start and end, in seconds; start_ns and end_ns; or two "
                  "columns of any name, a time and how long it took, or two times");
}

static sqlite3_stmt *query(struct plot *p, const char *const *event, bool *times, struct sl_err *err)
{
    static const char *const seconds[] = {"duration_s", "?start_ns", "?end_ns", "?span", "?starts", "?ends", NULL};
    static const char *const both[] = {"?duration_s", "start_ns", "end_ns", "?span", "?starts", "?ends", NULL};
    sqlite3_stmt *q;

    if (p->sql && take_columns(p, err))
        return NULL;
    *times = !p->sql || (plot_has(p, "start_ns") && plot_has(p, "end_ns"));
    if (p->sql)
        return plot_user(p, *times ? both : seconds, NULL, err);
    q = plot_prepare(p, "SELECT duration_s, start_ns, end_ns, span, starts, ends FROM two_events(?4, ?5, ?1, ?3)", err);
    for (int i = 0; q && i < 2; i++)
        sqlite3_bind_text(q, 4 + i, event[i], -1, SQLITE_STATIC);
    return q;
}

/* ---- for people ---- */

static void put_problem(size_t n, const char *what)
{
    char count[32];

    if (n)
        printf("  %9s %s\n", sl_show_count(n, count), what);
}

static void put_counts(const struct durations *d, const struct plot *p, const char *const *event)
{
    char n[32], of[32];

    if (p->sql)
        printf("%s duration%s", sl_show_count(d->v.n, n), d->v.n == 1 ? "" : "s");
    else
        printf("from %s to %s: %s of %s spans of type %s", event[0], event[1], sl_show_count(d->v.n, n),
               sl_show_count(d->roots, of), p->arg);
    putchar('\n');
    put_problem(d->no_start, p->sql ? "rows without a start" : "without a start");
    put_problem(d->no_end, p->sql ? "rows without an end" : "without an end");
    put_problem(d->starts, "with several starts, of which the first counts");
    put_problem(d->ends, "with several ends, of which the first counts");
    put_problem(d->negative, "negative: the end is before the start");
}

static void put_numbers(const struct durations *d)
{
    static const struct {
        const char *name;
        double p;
    } at[] = {{"minimum", 0}, {"25 %", 0.25}, {"median", 0.5}, {"75 %", 0.75}, {"95 %", 0.95}, {"maximum", 1}};
    struct sl_moments m = {0};
    double sum = 0, stddev;
    char text[32];

    for (size_t i = 0; i < d->v.n; i += SL_MOMENTS_BLOCK)
        sl_moments_add(&m, d->v.v + i, NULL, d->v.n - i < SL_MOMENTS_BLOCK ? d->v.n - i : SL_MOMENTS_BLOCK);
    for (size_t i = 0; i < d->v.n; i++)
        sum += d->v.v[i];
    stddev = sl_moments_stddev(&m);
    printf("\n%12s %12s", "mean", "stddev");
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
        printf(" %12s", at[i].name);
    printf("\n%12s", sl_show_seconds(sum / (double)d->v.n, text));
    printf(" %12s", isnan(stddev) ? "" : sl_show_seconds(stddev, text));
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
        printf(" %12s", sl_show_seconds(sl_quantile_sorted(d->v.v, d->v.n, at[i].p), text));
    putchar('\n');
}

/* Bins of a round width, from a multiple of it; values stand ascending. */
static void put_histogram(const struct durations *d)
{
    double first = d->v.v[0], last = d->v.v[d->v.n - 1], width = sl_show_round((last - first) / BINS), low;
    size_t count[2 * BINS + 4] = {0}, most = 0;
    char a[32], b[32], n[32], bar[4 * BAR + 4];
    int bins = 0;

    if (!(last > first) || !isfinite(last - first))
        return;
    low = floor(first / width) * width;
    for (size_t i = 0; i < d->v.n; i++) {
        int k = (int)fmax(0, fmin(floor((d->v.v[i] - low) / width), 2 * BINS + 3));
        count[k]++;
        bins = k + 1 > bins ? k + 1 : bins;
        most = count[k] > most ? count[k] : most;
    }
    putchar('\n');
    for (int k = 0; k < bins; k++) {
        sl_show_seconds(low + k * width, a);
        sl_show_seconds(low + (k + 1) * width, b);
        sl_show_bar((double)count[k] / (double)most, BAR, bar);
        printf("%12s to %-12s %9s%s%s\n", a, b, sl_show_count(count[k], n), *bar ? "  " : "", bar);
    }
}

static void put_longest(const struct durations *d, struct plot *p)
{
    char text[32], name[600];

    for (size_t i = 0; i < LONGEST && i < d->v.n; i++) {
        if (!i)
            puts("\nthe longest:");
        sl_span_name(p->st, d->longest[i].span, name, sizeof name);
        if (strstr(name, " of "))
            *strstr(name, " of ") = 0;
        printf("%12s  %s: spanloom show span %lld -d %s\n", sl_show_seconds(d->longest[i].s, text), name,
               (long long)d->longest[i].span, p->st->path);
    }
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int table(struct plot *p, const char *const *event, struct sl_err *err)
{
    struct durations d = {0};
    bool times;
    sqlite3_stmt *q = query(p, event, &times, err);
    int rc = read_durations(&d, p->st, q, times, err);

    if (!rc) {
        put_counts(&d, p, event);
        if (d.v.n) {
            qsort(d.v.v, d.v.n, sizeof *d.v.v, by_value);
            put_numbers(&d);
            put_histogram(&d);
        }
        if (!p->sql || plot_has(p, "span"))
            put_longest(&d, p);
    }
    sqlite3_finalize(q);
    sl_vec_free(&d.v);
    return rc;
}

/* ---- one by one ---- */

/* The time as in the view events: one column a meaning. */
#define TIME(ns)                                                                                                       \
    "strftime('%%Y-%%m-%%dT%%H:%%M:%%S', " ns " / 1000000000 - (" ns                                                   \
    " %% 1000000000 < 0), 'unixepoch') || printf('.%%09dZ', (" ns " %% 1000000000 + 1000000000) %% 1000000000)"

static int rows(struct plot *p, const char *const *event)
{
    bool missing = cli_option(p->cli, "missing") != NULL, list = missing || cli_option(p->cli, "list");
    char *sql = sqlite3_mprintf(
        list ? "SELECT t.span, s.key, " TIME("start_ns") " AS \"start\", " TIME(
                   "end_ns") " AS \"end\", duration_s, starts, ends FROM two_events(%Q, %Q, ?1, ?3) t JOIN sl_span s "
                             "ON s.id = t.span %s ORDER BY duration_s DESC, t.span"
             : "SELECT * FROM two_events(%Q, %Q, ?1, ?3)",
        event[0], event[1], missing ? "WHERE start_ns IS NULL OR end_ns IS NULL" : "");
    int rc = plot_rows(p, sql);

    sqlite3_free(sql);
    return rc;
}

static int run(struct cli *cli, int argc, char **argv)
{
    bool by_sql = cli_option(cli, "sql") != NULL, list = cli_option(cli, "list") || cli_option(cli, "missing"), seen;
    const char *const event[] = {argc > 0 ? argv[0] : NULL, argc > 1 ? argv[1] : NULL};
    struct sl_err err = {0};
    char type[300];
    struct plot p;
    int rc;

    if (by_sql ? argc : argc < 2 || argc > 3)
        return cli_usage(cli, by_sql ? "durations takes events or --sql, not both"
                                     : "from which event to which? such as: invoked returned");
    if ((rc = plot_open(&p, cli)))
        return rc;
    if (!by_sql)
        rc = cli_type(p.st, argc > 2 ? argv[2] : NULL, type, sizeof type, &err);
    p.arg = by_sql ? NULL : type;
    if (!rc)
        rc = cli_lens(cli, p.st, &seen, &err);
    if (!rc && cli->format == SL_FORMAT_TABLE && !list)
        rc = table(&p, event, &err);
    else if (!rc)
        rc = rows(&p, event);
    return plot_close(&p, rc, &err);
}

const struct command cmd_durations = {"durations", "START END [ROOT_TYPE]",
                                      "how long it took from one event to another, over all spans of a type", options,
                                      run};
