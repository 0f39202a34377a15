/* SPDX-License-Identifier: Apache-2.0 */
/* A name for the table function event_rate(), with bars. */
#include "analyse/lens/lens.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "cli/over_time.h"
#include "cli_cmd_rate.sql.h"

#include <stdlib.h>
#include <string.h>

enum { BINS = 30, BAR = 40, KINDS = 2 };

static const struct option_spec options[] = {
    BIN_OPTION,
    SQL_OPTION("time_ns of each event, or time_ns and events of each bin"),
    {NULL, NULL, NULL, false},
};

struct bin {
    int64_t time_ns;
    double events;
};
typedef SL_VEC(struct bin) bins;

static int read_bins(struct sl_store *st, sqlite3_stmt *q, bins *out, struct sl_err *err)
{
    int rc = q ? 0 : err->code;

    while (q && (rc = sl_store_step(st, q, err)) > 0)
        *sl_vec_add(out) = (struct bin){sqlite3_column_int64(q, 0), sqlite3_column_double(q, 1)};
    return rc;
}

/* Which events were counted, where their name leaves it open: "A/x, B/x". */
static void show_kinds(const struct plot *p)
{
    sqlite3_stmt *q = sl_store_prepare(p->st, sql_show_kinds, NULL);
    const char *slash = strchr(p->arg, '/');
    char *span = slash ? sl_strndup(p->arg, (size_t)(slash - p->arg)) : sl_strdup("*");
    struct sl_buf b = {0};
    int n = 0;

    while (q && sqlite3_step(q) == SQLITE_ROW) {
        const char *type = (const char *)sqlite3_column_text(q, 0), *event = (const char *)sqlite3_column_text(q, 1);
        if (!sl_lens_glob(span, type) || !sl_lens_glob(slash ? slash + 1 : p->arg, event))
            continue;
        if (n++ < KINDS)
            sl_buf_addf(&b, "%s%s/%s", n > 1 ? ", " : "", type, event);
    }
    sqlite3_finalize(q);
    if (n > KINDS)
        sl_buf_addf(&b, " and %d more; all: spanloom types --events -d %s", n - KINDS, p->st->path);
    if (n > 1)
        printf(": %s", b.s);
    sl_buf_free(&b);
    free(span);
}

static void show(const struct plot *p, const bins *v)
{
    char time[SL_TIME_TEXT], width[32], bar[4 * BAR + 4], count[32];
    double most = 0, all = 0;

    for (size_t i = 0; i < v->n; i++) {
        most = v->v[i].events > most ? v->v[i].events : most;
        all += v->v[i].events;
    }
    printf("%s event%s", sl_show_count((unsigned long long)all, count), all == 1 ? "" : "s");
    if (p->arg)
        printf(" called %s", p->arg);
    if (p->bin_s > 0)
        printf(" in bins of %s", sl_show_seconds(p->bin_s, width));
    if (p->arg)
        show_kinds(p);
    printf("\n\n%-20s %9s%s\n", "time", "events", p->bin_s > 0 ? "     per s" : "");
    for (size_t i = 0; i < v->n; i++) {
        const struct bin *b = &v->v[i];
        printf("%-20s %9.0f", sl_show_time(b->time_ns, p->bin_s > 0 ? p->bin_s : 1, time), b->events);
        if (p->bin_s > 0)
            printf(" %9.4g", b->events / p->bin_s);
        sl_show_bar(most > 0 ? b->events / most : 0, BAR, bar);
        printf("%s%s\n", *bar ? "  " : "", bar);
    }
}

/* Are there so many bins that filling those between would take for ever? */
static int check_bins(struct plot *p, const char *range, struct sl_err *err)
{
    sqlite3_stmt *q = plot_prepare(p, range, err);
    int rc = q ? sl_store_step(p->st, q, err) : err->code;

    if (rc > 0 && ((double)sqlite3_column_int64(q, 1) - (double)sqlite3_column_int64(q, 0)) / 1e9 / p->bin_s > 1e6)
        rc = sl_err(err, SL_EUSAGE, "--bin %g: more than a million bins; make them wider", p->bin_s);
    sqlite3_finalize(q);
    return rc < 0 ? rc : 0;
}

/* Events one by one go through the same bins as those of event_rate(). */
static sqlite3_stmt *bin_events(struct plot *p, struct sl_err *err)
{
    char *range = sqlite3_mprintf("SELECT min(sl_number(time_ns, 'time_ns')), max(time_ns) FROM (%s\n)", p->sql),
         *sql = NULL;
    sqlite3_stmt *q = NULL;

    if (plot_bin(p, range, BINS, err) == 0 && !check_bins(p, range, err)) {
        long long w = (long long)(p->bin_s * 1e9 + 0.5);
        sql = sqlite3_mprintf(sql_event_rate, w, w, p->sql, w);
        q = sl_store_prepare(p->st, sql, err);
    }
    sqlite3_free(range);
    sqlite3_free(sql);
    return q;
}

static sqlite3_stmt *query(struct plot *p, struct sl_err *err)
{
    static const char *const needs[] = {"time_ns", "events", NULL};

    if (!p->sql)
        return plot_prepare(p, "SELECT time_ns, events FROM event_rate(?1, ?2)", err);
    if (plot_has(p, "events"))
        return plot_user(p, needs, "time_ns", err);
    return plot_has(p, "time_ns") ? bin_events(p, err) : plot_user(p, (const char *[]){"time_ns", NULL}, NULL, err);
}

static int run(struct cli *cli, int argc, char **argv)
{
    struct sl_err err = {0};
    struct plot p;
    bins v = {0};
    int rc;

    if (argc != (cli_option(cli, "sql") ? 0 : 1))
        return cli_usage(cli, cli_option(cli, "sql") ? "rate takes an event or --sql, not both"
                                                     : "which event? such as: returned, or '*.worker.task/worker_*'");
    if ((rc = plot_open(&p, cli)))
        return rc;
    p.arg = argc ? argv[0] : NULL;
    if (!p.sql)
        rc = plot_bin(&p, "SELECT first_ns, last_ns FROM event_rate(?1, 9e9) LIMIT 1", BINS, &err);
    if (rc > 0) /* an empty store: a heading without rows */
        p.bin_s = 1;
    if (rc >= 0 && cli->format != SL_FORMAT_TABLE)
        return plot_close(&p, plot_rows(&p, "SELECT * FROM event_rate(?1, ?2)"), &err);
    if (rc >= 0) {
        sqlite3_stmt *q = query(&p, &err);
        rc = read_bins(p.st, q, &v, &err);
        sqlite3_finalize(q);
    }
    if (!rc)
        show(&p, &v);
    sl_vec_free(&v);
    return plot_close(&p, rc, &err);
}

const struct command cmd_rate = {
    .name = "rate",
    .args = "EVENT",
    .help = "how often something happened, over time",
    .options = options,
    .run = run,
};
