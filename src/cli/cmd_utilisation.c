/* SPDX-License-Identifier: Apache-2.0 */
/* A name for the table function utilisation(), with bars. */
#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "cli/over_time.h"
#include "cli/workflow.h"
#include "cli_cmd_utilisation.sql.h"

#include <stdlib.h>
#include <string.h>

enum { BINS = 30, BAR = 30 };

static const struct option_spec options[] = {
    BIN_OPTION, RUN_OPTION, SQL_OPTION("time_ns, workers, busy[, running]"), SKEW_OPTION, {NULL, NULL, NULL, false},
};

struct bin {
    int64_t time_ns;
    double workers, busy, running;
    bool runs; /* running is known */
};
typedef SL_VEC(struct bin) bins;

static int read_bins(struct sl_store *st, sqlite3_stmt *q, bins *out, struct sl_err *err)
{
    int rc = q ? 0 : err->code;

    while (q && (rc = sl_store_step(st, q, err)) > 0)
        *sl_vec_add(out) =
            (struct bin){sqlite3_column_int64(q, 0), sqlite3_column_double(q, 1), sqlite3_column_double(q, 2),
                         sqlite3_column_double(q, 3), sqlite3_column_type(q, 3) != SQLITE_NULL};
    return rc;
}

/* Busy workers as full blocks, idle ones as light shade. */
static void put_bar(const struct bin *b, double most)
{
    char bar[4 * BAR + 4];
    int used = 0, there = most > 0 ? (int)(b->workers / most * BAR + 0.5) : 0;

    sl_show_bar(most > 0 ? b->busy / most : 0, BAR, bar);
    for (const char *s = bar; *s; s++)
        used += (*s & 0xC0) != 0x80;
    if (used || there)
        printf("  %s", bar);
    for (; used < there; used++)
        fputs("░", stdout);
}

static void show(const struct plot *p, const bins *v)
{
    double most = 0, workers = 0, busy = 0;
    char time[SL_TIME_TEXT], width[32];

    for (size_t i = 0; i < v->n; i++) {
        most = v->v[i].workers > most ? v->v[i].workers : most;
        workers += v->v[i].workers;
        busy += v->v[i].busy;
    }
    fputs("workers", stdout);
    if (p->arg)
        printf(" of type %s", p->arg);
    if (workers > 0)
        printf(": busy for %.1f %% of the time that they were there", 100 * busy / workers);
    if (p->bin_s > 0)
        printf("; bins of %s", sl_show_seconds(p->bin_s, width));
    printf("\n\n%-20s %8s %8s %8s %8s  busy █, idle ░\n", "time", "workers", "busy", "running", "busy %");
    for (size_t i = 0; i < v->n; i++) {
        const struct bin *b = &v->v[i];
        printf("%-20s %8.2f %8.2f ", sl_show_time(b->time_ns, p->bin_s > 0 ? p->bin_s : 1, time), b->workers, b->busy);
        if (b->runs)
            printf("%8.2f ", b->running);
        else
            printf("%8s ", "");
        if (b->workers > 0)
            printf("%8.1f", 100 * b->busy / b->workers);
        else
            printf("%8s", "");
        put_bar(b, most);
        putchar('\n');
    }
}

/* What workers there are; where there are several types, the user says which. */
static int find_type(struct plot *p, const char *given, char *type, size_t n, struct sl_err *err)
{
    struct sl_buf all = {0};
    sqlite3_stmt *q;
    int found = 0, rc;

    if (given)
        return cli_type(p->st, given, type, n, err);
    q = sl_store_prepare(p->st, sql_find_type, err);
    if (!q)
        return SL_ESTORE;
    while ((rc = sl_store_step(p->st, q, err)) > 0) {
        if (!found++)
            snprintf(type, n, "%s", (const char *)sqlite3_column_text(q, 0));
        sl_buf_addf(&all, " %s", (const char *)sqlite3_column_text(q, 0));
    }
    sqlite3_finalize(q);
    if (!rc && !found)
        rc = sl_err(err, SL_ENOTFOUND, "%s knows of no workers; name a type of spans, see: spanloom types -d %s",
                    p->st->path, p->st->path);
    else if (!rc && found > 1)
        rc = sl_err(err, SL_EUSAGE, "there are several types of workers; say which:%s", all.s);
    sl_buf_free(&all);
    return rc;
}

static sqlite3_stmt *query(struct plot *p, struct sl_err *err)
{
    static const char *const needs[] = {"time_ns", "workers", "busy", "?running", NULL};

    return p->sql ? plot_user(p, needs, "time_ns", err)
                  : plot_prepare(p, "SELECT time_ns, workers, busy, running FROM utilisation(?1, ?2, ?3)", err);
}

static int run(struct cli *cli, int argc, char **argv)
{
    struct sl_err err = {0};
    char type[SL_TYPE_BYTES];
    struct plot p;
    bins v = {0};
    int rc;

    if (argc > (cli_option(cli, "sql") ? 0 : 1))
        return cli_usage(cli, "utilisation takes one type of workers, or --sql; '%s' is one too many", argv[argc - 1]);
    if ((rc = plot_open(&p, cli)))
        return rc;
    rc = cli_states(cli, p.st, &err);
    if (!rc)
        rc = cli_skew(cli, p.st, &err);
    if (!rc && !p.sql) {
        rc = find_type(&p, argc ? argv[0] : NULL, type, sizeof type, &err);
        p.arg = type;
        if (!rc)
            rc = plot_bin(&p, "SELECT first_ns, last_ns FROM utilisation(?1, 9e9, ?3) LIMIT 1", BINS, &err);
        if (rc > 0)
            p.bin_s = 1;
    }
    if (rc >= 0 && cli->format != SL_FORMAT_TABLE)
        return plot_close(&p, plot_rows(&p, "SELECT * FROM utilisation(?1, ?2, ?3)"), &err);
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

const struct command cmd_utilisation = {
    .name = "utilisation",
    .args = "[WORKER_TYPE]",
    .help = "how many workers there were, and were busy",
    .options = options,
    .run = run,
};
