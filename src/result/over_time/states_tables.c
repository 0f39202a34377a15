/* SPDX-License-Identifier: Apache-2.0 */
#include "result/over_time/states_tables.h"
#include "base/clock.h"
#include "over_time_states_tables.sql.h"

#include <stdio.h>
#include <stdlib.h>

enum { BINS = 36, MOST_TIMES = 120, SHOWN = 24 };

static const struct sl_column rows[] = {
    {"time_ns", SL_COLUMN_INTEGER, "ns", NULL, 0}, {"span_type", SL_COLUMN_TEXT, NULL, NULL, 0},
    {"event_type", SL_COLUMN_TEXT, NULL, NULL, 0}, {"spans", SL_COLUMN_REAL, "spans", NULL, 0},
    {"ended", SL_COLUMN_REAL, "spans", NULL, 0},
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
    double roots, bin_s;
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
        add_row(t, sl_store_text(q, 1), sqlite3_column_double(q, 2), sqlite3_column_double(q, 3),
                sqlite3_column_double(q, t->means ? 5 : 3));
        t->roots = sqlite3_column_double(q, 4);
        if (t->means)
            t->bin_s = sqlite3_column_double(q, 6);
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

static double most_of(const struct table *t, size_t from)
{
    double most = 0;

    for (size_t i = from; i < t->state.n; i++)
        most = t->state.v[i].most > most ? t->state.v[i].most : most;
    return most;
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

static struct states_about *add_about(struct sl_result *r, const struct sl_over_time *q, const struct table *t,
                                      double top, size_t chosen)
{
    struct sl_table *a = sl_result_rows(r, "about", &states_about_columns);
    struct states_about *x = sl_table_add(a);

    x->type = sl_table_keep(a, q->sql ? NULL : q->about);
    x->spans = t->roots;
    x->states = (int64_t)t->state.n;
    x->columns = (int64_t)t->time.n;
    if (t->time.n) {
        x->from_ns = t->time.v[0];
        x->to_ns = sl_time_add(t->time.v[t->time.n - 1], q->bin_s < 9e9 ? (int64_t)(q->bin_s * 1e9) : INT64_MAX);
    }
    if (q->bin_s > 0)
        x->bin_s = q->bin_s;
    x->most = top;
    x->others = (int64_t)(t->state.n - chosen);
    x->others_most = most_of(t, chosen);
    return x;
}

static void add_states(struct sl_result *r, const struct sl_over_time *q, const struct table *t, size_t chosen)
{
    struct sl_table *states = sl_result_rows(r, "states", &states_state_columns),
                    *by_time = sl_result_rows(r, "columns", &states_column_columns);

    for (size_t i = 0; i < chosen; i++) {
        const struct state *s = &t->state.v[i];
        struct states_state *x = sl_table_add(states);
        x->state = sl_table_keep(states, s->name);
        x->at_most = s->most;
        if (t->means) {
            x->ended = s->ended;
            x->mean_s = s->waited * q->bin_s / t->roots;
        }
        for (size_t k = 0; k < t->time.n; k++)
            *(struct states_column *)sl_table_add(by_time) =
                (struct states_column){x->state, t->time.v[k], s->spans[k]};
    }
}

static int keep_groups(const struct sl_over_time *q, struct sl_err *err)
{
    char *sql = sl_over_time_by(sql_keep_groups, q->by), bin[40], within[32];
    char *text;
    int rc;

    snprintf(bin, sizeof bin, q->bin_s > 0 ? "%.17g" : "'%.0f bins'", q->bin_s > 0 ? q->bin_s : (double)BINS);
    snprintf(within, sizeof within, q->within ? "%lld" : "NULL", (long long)q->within);
    text = sqlite3_mprintf(sql, q->about, bin, within);
    rc = sl_store_temporary(q->st, text, err);
    sqlite3_free(text);
    free(sql);
    return rc;
}

/* The tables about, states and columns of each, one after another. */
static int add_groups(struct sl_result *r, struct sl_over_time *q, struct sl_err *err)
{
    int rc = keep_groups(q, err);
    sqlite3_stmt *names = rc ? NULL : sl_store_prepare(q->st, sql_groups, err);

    rc = rc ? rc : names ? 0 : SL_ESTORE;
    while (names && !rc && (rc = sl_store_step(q->st, names, err)) > 0) {
        struct table t = {.means = true};
        sqlite3_stmt *s = sl_store_prepare(q->st, sql_of_group, err);
        if (s) {
            sqlite3_bind_value(s, 4, sqlite3_column_value(names, 0));
            sqlite3_bind_value(s, 5, sqlite3_column_value(names, 1));
        }
        rc = read_table(&t, q->st, s, err);
        q->bin_s = t.bin_s > 0 ? t.bin_s : q->bin_s;
        if (!rc) {
            double top = most_of(&t, 0);
            size_t chosen = choose(&t, top);
            struct sl_over_time of = *q;
            struct states_about *about = add_about(r, &of, &t, top, chosen);
            about->name = sl_table_keep(r->table.v[r->table.n - 1], sl_store_text(names, 0));
            add_states(r, q, &t, chosen);
        }
        sqlite3_finalize(s);
        free_table(&t);
    }
    sqlite3_finalize(names);
    return rc;
}

static int add_summary(struct sl_result *r, struct sl_over_time *q, struct sl_err *err)
{
    static const char *const needs[] = {"time_ns", "state", "spans", "?ended", NULL};
    struct table t = {.means = !q->sql};
    sqlite3_stmt *s = NULL;
    int rc;

    q->bins = BINS;
    s = q->sql ? sl_over_time_user(q, needs, "time_ns", err) : sl_over_time_prepare(q, sql_query, err);
    rc = read_table(&t, q->st, s, err);
    if (t.bin_s > 0)
        q->bin_s = t.bin_s;
    if (!rc) {
        double top = most_of(&t, 0);
        size_t chosen = choose(&t, top);
        add_about(r, q, &t, top, chosen);
        add_states(r, q, &t, chosen);
    }
    sqlite3_finalize(s);
    free_table(&t);
    return rc;
}

int sl_states(struct sl_result *r, const struct sl_over_time *question, struct sl_err *err)
{
    struct sl_over_time q = *question;
    int rc = q.by ? sl_over_time_grouped(r, &q, "occupancy", sql_grouped, err)
                  : sl_over_time_rows(r, &q, "occupancy", sql_all, rows, SL_COLUMNS(rows), err);

    if (!rc && q.summary)
        rc = q.by ? add_groups(r, &q, err) : add_summary(r, &q, err);
    if (rc)
        sl_result_free(r);
    return rc;
}
