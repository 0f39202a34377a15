/* SPDX-License-Identifier: Apache-2.0 */
/* A name for the table function occupancy(); for people a row of bars a state. */
#include "base/clock.h"
#include "base/mem.h"
#include "cli/lens.h"
#include "cli/over_time.h"
#include "cli_cmd_states.sql.h"

#include <stdlib.h>
#include <string.h>

enum { BINS = 36, MOST_TIMES = 120, SHOWN = 24 };

static const struct option_spec options[] = {
    BIN_OPTION, RUN_OPTION, SQL_OPTION("time_ns, state, spans[, ended]"), LENS_OPTIONS, {NULL, NULL, NULL, false},
};

struct state {
    char *name;
    double *spans; /* by time */
    double most, all, ended, waited;
    double centre; /* where most of it is: a time as the number of its column */
};

struct table {
    SL_VEC(int64_t) time;
    SL_VEC(struct state) state;
    double roots;
    bool means; /* how long a root was in a state is known */
};

static void free_table(struct table *t)
{
    for (size_t i = 0; i < t->state.n; i++) {
        free(t->state.v[i].name);
        free(t->state.v[i].spans);
    }
    sl_vec_free(&t->state);
    sl_vec_free(&t->time);
}

static struct state *find_state(struct table *t, const char *name)
{
    struct state *s;

    for (size_t i = 0; i < t->state.n; i++)
        if (!strcmp(t->state.v[i].name, name))
            return &t->state.v[i];
    s = sl_vec_add(&t->state);
    s->name = sl_strdup(name);
    s->spans = sl_alloc(MOST_TIMES * sizeof *s->spans);
    return s;
}

static void add_row(struct table *t, const char *name, double spans, double ended, double ends)
{
    struct state *s = find_state(t, name ? name : "");
    size_t at = t->time.n - 1;

    s->spans[at] += spans;
    s->most = s->spans[at] > s->most ? s->spans[at] : s->most;
    s->all += spans;
    s->waited += spans - ended;
    s->centre += (double)at * spans;
    s->ended = ends;
}

static int read_table(struct table *t, struct sl_store *st, sqlite3_stmt *q, struct sl_err *err)
{
    int rc = q ? 0 : err->code;

    while (q && (rc = sl_store_step(st, q, err)) > 0) {
        int64_t time_ns = sqlite3_column_int64(q, 0);
        if (!t->time.n || t->time.v[t->time.n - 1] != time_ns) {
            if (t->time.n == MOST_TIMES)
                return sl_err(err, SL_EUSAGE,
                              "there are more than %d different times, too many for a table; use longer bins, or "
                              "--format csv",
                              MOST_TIMES);
            *sl_vec_add(&t->time) = time_ns;
        }
        add_row(t, (const char *)sqlite3_column_text(q, 1), sqlite3_column_double(q, 2), sqlite3_column_double(q, 3),
                sqlite3_column_double(q, t->means ? 5 : 3));
        t->roots = sqlite3_column_double(q, 4);
    }
    return rc;
}

/* As spans went through them; those that they stay in for ever last. */
static int in_order(const void *a, const void *b)
{
    const struct state *x = a, *y = b;

    if ((x->ended > 0) != (y->ended > 0))
        return x->ended > 0 ? 1 : -1;
    if (x->centre != y->centre)
        return x->centre < y->centre ? -1 : 1;
    return strcmp(x->name, y->name);
}

static int by_most(const void *a, const void *b)
{
    const struct state *x = a, *y = b;

    if ((x->ended > 0) != (y->ended > 0))
        return x->ended > 0 ? -1 : 1;
    return (x->most < y->most) - (x->most > y->most);
}

/* Leaves those worth a line at the front, in order; returns how many. */
static size_t choose(struct table *t, double top)
{
    size_t n = t->state.n < SHOWN ? t->state.n : SHOWN;

    for (size_t i = 0; i < t->state.n; i++)
        t->state.v[i].centre /= t->state.v[i].all > 0 ? t->state.v[i].all : 1;
    if (t->state.n)
        qsort(t->state.v, t->state.n, sizeof *t->state.v, by_most);
    while (n && t->state.v[n - 1].most < top / 200 && !(t->state.v[n - 1].ended > 0))
        n--;
    if (n)
        qsort(t->state.v, n, sizeof *t->state.v, in_order);
    return n;
}

/* How many spans, whole or mean.  buf holds 32 bytes. */
static const char *spans_text(double n, char *buf)
{
    snprintf(buf, 32, n < 1000 ? "%.4g" : "%.0f", n);
    return buf;
}

static void put_heading(const struct plot *p, const struct table *t, double top)
{
    char from[SL_TIME_TEXT], to[SL_TIME_TEXT], width[32], count[32];
    double step = p->bin_s > 0 ? p->bin_s : 1;

    if (!p->sql)
        printf("%s spans of type %s", sl_show_count((unsigned long long)t->roots, count), p->arg);
    else
        printf("%zu states", t->state.n);
    if (!t->time.n) {
        puts(p->sql ? "" : ", without events");
        return;
    }
    printf(", %s to %s", sl_show_time(t->time.v[0], step, from),
           sl_show_time(t->time.v[t->time.n - 1] + (int64_t)(p->bin_s * 1e9), step, to));
    if (p->bin_s > 0)
        printf("; a column is %s, a full one %s spans", sl_show_seconds(p->bin_s, width), spans_text(top, count));
    else
        printf("; a full column is %s spans", spans_text(top, count));
    fputs("\n\n", stdout);
}

static void put_state(const struct plot *p, const struct table *t, const struct state *s, int width, double top)
{
    char most[32];
    char mean[32];
    size_t last = 0;

    printf("%-*s %8s", width, s->name, spans_text(s->most, most));
    if (t->means)
        printf(" %8.0f %11s", s->ended, sl_show_seconds(s->waited * p->bin_s / t->roots, mean));
    for (size_t i = 0; i < t->time.n; i++)
        last = s->spans[i] > 0 ? i + 1 : last;
    fputs(last ? "  " : "", stdout);
    for (size_t i = 0; i < last; i++)
        fputs(sl_show_level(top > 0 ? s->spans[i] / top : 0), stdout);
    putchar('\n');
}

static void show(const struct plot *p, struct table *t)
{
    double top = 0, left = 0;
    int width = 10;
    size_t n;

    for (size_t i = 0; i < t->state.n; i++)
        top = t->state.v[i].most > top ? t->state.v[i].most : top;
    n = choose(t, top);
    put_heading(p, t, top);
    for (size_t i = 0; i < n; i++)
        width = (int)strlen(t->state.v[i].name) > width ? (int)strlen(t->state.v[i].name) : width;
    if (n)
        printf("%-*s %8s%s\n", width, "state", "at most", t->means ? " ended in   mean time" : "");
    for (size_t i = 0; i < n; i++)
        put_state(p, t, &t->state.v[i], width, top);
    for (size_t i = n; i < t->state.n; i++)
        left = t->state.v[i].most > left ? t->state.v[i].most : left;
    if (n < t->state.n)
        printf("and %zu more, in none of them more than %.2g at a time; --format csv has all\n", t->state.n - n, left);
}

static sqlite3_stmt *query(struct plot *p, struct sl_err *err)
{
    static const char *const needs[] = {"time_ns", "state", "spans", "?ended", NULL};

    return p->sql ? plot_user(p, needs, "time_ns", err) : plot_prepare(p, sql_query, err);
}

static int table(struct plot *p, struct sl_err *err)
{
    struct table t = {.means = !p->sql};
    sqlite3_stmt *q = NULL;
    int rc = 0;

    if (!p->sql)
        rc = plot_bin(p, "SELECT first_ns, last_ns FROM occupancy(?1, 9e9, ?3) LIMIT 1", BINS, err);
    if (rc >= 0) {
        q = query(p, err);
        rc = read_table(&t, p->st, q, err);
    }
    if (!rc)
        show(p, &t);
    sqlite3_finalize(q);
    free_table(&t);
    return rc;
}

static int run(struct cli *cli, int argc, char **argv)
{
    struct sl_err err = {0};
    char type[SL_TYPE_BYTES];
    struct plot p;
    bool seen;
    int rc;

    if (argc > (cli_option(cli, "sql") ? 0 : 1))
        return cli_usage(cli, "states takes one type of spans, or --sql; '%s' is one too many", argv[argc - 1]);
    if ((rc = plot_open(&p, cli)))
        return rc;
    if (!p.sql)
        rc = cli_type(p.st, argc ? argv[0] : NULL, type, sizeof type, &err);
    p.arg = p.sql ? NULL : type;
    if (!rc)
        rc = cli_lens(cli, p.st, &seen, &err);
    if (!rc && cli->format == SL_FORMAT_TABLE)
        rc = table(&p, &err);
    else if (!rc)
        rc = plot_rows(&p, "SELECT * FROM occupancy(?1, ?2, ?3)");
    return plot_close(&p, rc, &err);
}

const struct command cmd_states = {
    .name = "states",
    .args = "[ROOT_TYPE]",
    .help = "how many spans were in which state, over time",
    .options = options,
    .run = run,
};
