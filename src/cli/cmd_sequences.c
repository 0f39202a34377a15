/* SPDX-License-Identifier: Apache-2.0 */
/* A name for the table function event_sequences(), and dnpcsql's way of showing it. */
#include "cli/lens.h"
#include "cli/over_time.h"
#include "cli_cmd_sequences.sql.h"

#include <stdint.h>
#include <string.h>

static const struct option_spec options[] = {
    {"all", NULL, "every ordering, not only the most common one", false},
    RUN_OPTION,
    LENS_OPTIONS,
    {NULL, NULL, NULL, false},
};

static void show_totals(sqlite3_stmt *q, const char *type)
{
    char n[32], m[32];
    unsigned long long orderings = (unsigned long long)sqlite3_column_int64(q, 7);
    unsigned long long roots = (unsigned long long)sqlite3_column_int64(q, 8);

    printf("There %s %s %s of events below %s span%s of type %s\n", orderings == 1 ? "is" : "are",
           sl_show_count(orderings, n), orderings == 1 ? "ordering" : "different orderings", sl_show_count(roots, m),
           roots == 1 ? "" : "s", type);
}

static void show_heading(sqlite3_stmt *q, const char *which)
{
    char c[32];
    unsigned long long count = (unsigned long long)sqlite3_column_int64(q, 1);

    printf("%s: %s span%s", which, sl_show_count(count, c), count == 1 ? "" : "s");
    if (!sqlite3_column_int(q, 2))
        puts(", without any event");
    else
        printf("\n\n%16s %16s %16s %16s  %s\n", "cumulative mean", "mean", "minimum", "maximum",
               "span type/event type (seconds since the previous event)");
}

static void show_step(sqlite3_stmt *q)
{
    if (sqlite3_column_int(q, 2)) /* position 0 stands for no event */
        printf("%16.9f %16.9f %16.9f %16.9f  %s/%s\n", sqlite3_column_double(q, 3), sqlite3_column_double(q, 4),
               sqlite3_column_double(q, 5), sqlite3_column_double(q, 6), (const char *)sqlite3_column_text(q, 9),
               (const char *)sqlite3_column_text(q, 10));
}

/* Without --all it ends after the most common ordering that has events. */
static int show(struct sl_store *st, sqlite3_stmt *q, const char *type, bool all, struct sl_err *err)
{
    int64_t last = 0;
    bool events = false;
    char which[64];
    int rc;

    while ((rc = sl_store_step(st, q, err)) > 0) {
        int64_t sequence = sqlite3_column_int64(q, 0);
        if (!last)
            show_totals(q, type);
        if (sequence != last) {
            if (events && !all)
                return 0;
            if (all)
                snprintf(which, sizeof which, "\nOrdering %lld", (long long)sequence);
            show_heading(q, all ? which : last ? "Most common with events" : "Most common");
        }
        last = sequence;
        events |= sqlite3_column_int(q, 2) != 0;
        show_step(q);
    }
    return rc;
}

static int run_table(struct plot *p, bool all, struct sl_err *err)
{
    sqlite3_stmt *q = plot_prepare(p, sql_run_table, err);
    int rc = q ? show(p->st, q, p->arg, all, err) : SL_ESTORE;

    sqlite3_finalize(q);
    return rc;
}

/* Runs without a monitoring database have their tasks in parsl.log only. */
static void say_left_out(struct sl_store *st)
{
    long long n = sl_store_int(st, sql_say_left_out, 0);

    if (n)
        fprintf(stderr,
                "spanloom: %lld task%s in no monitoring database, and not counted here; see: spanloom sequences "
                "parsl.rundir.task\n",
                n, n == 1 ? " is" : "s are");
}

static int run(struct cli *cli, int argc, char **argv)
{
    struct sl_err err = {0};
    char type[SL_TYPE_BYTES];
    bool all = cli_option(cli, "all") != NULL, seen;
    struct plot p;
    int rc;

    if (argc > 1)
        return cli_usage(cli, "one type of root spans at a time; '%s' is one too many", argv[1]);
    if ((rc = plot_open(&p, cli)))
        return rc;
    rc = cli_type(p.st, argc ? argv[0] : NULL, type, sizeof type, &err);
    p.arg = type;
    if (!rc && !argc && !strcmp(type, "parsl.monitoring.task"))
        say_left_out(p.st);
    if (!rc)
        rc = cli_lens(cli, p.st, &seen, &err);
    if (!rc && cli->format == SL_FORMAT_TABLE)
        rc = run_table(&p, all, &err);
    else if (!rc)
        rc = plot_rows(&p, all ? "SELECT * FROM event_sequences(?1, ?3)"
                               : "SELECT * FROM event_sequences(?1, ?3) WHERE sequence = 1");
    return plot_close(&p, rc, &err);
}

const struct command cmd_sequences = {.name = "sequences",
                                      .args = "[ROOT_TYPE]",
                                      .help = "where the time of a typical span of a type went, event by event",
                                      .options = options,
                                      .run = run};
