/* SPDX-License-Identifier: Apache-2.0 */
#include "result/diff.h"
#include "base/buf.h"
#include "base/mem.h"
#include "result_diff.sql.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- the critical path and the makespan ---- */

static struct sl_diff_path *find_path(struct sl_comparison *d, const char *component, const char *state)
{
    struct sl_diff_path *p;

    for (size_t i = 0; i < d->path.n; i++)
        if (!strcmp(d->path.v[i].component, component) && !strcmp(d->path.v[i].state, state))
            return &d->path.v[i];
    p = sl_vec_add(&d->path);
    p->component = sl_strdup(component);
    p->state = sl_strdup(state);
    return p;
}

static int read_path(struct sl_comparison *d, int side, struct sl_err *err)
{
    sqlite3_stmt *q = sl_store_prepare(d->side[side].st, sql_read_path, err);
    int64_t first = INT64_MAX, last = INT64_MIN;
    int rc = q ? 0 : SL_ESTORE;

    if (q)
        sqlite3_bind_int64(q, 1, d->side[side].workflow);
    while (q && (rc = sl_store_step(d->side[side].st, q, err)) > 0) {
        const char *component = sl_store_text(q, 0), *state = sl_store_text(q, 1);
        find_path(d, component ? component : "", state ? state : "")->s[side] = sqlite3_column_double(q, 2);
        first = sqlite3_column_int64(q, 3) < first ? sqlite3_column_int64(q, 3) : first;
        last = sqlite3_column_int64(q, 4) > last ? sqlite3_column_int64(q, 4) : last;
    }
    sqlite3_finalize(q);
    if (!rc && last < first)
        rc = sl_err(err, SL_ENOTFOUND, "its workflow has no events");
    if (!rc)
        d->makespan[side] = (double)((uint64_t)last - (uint64_t)first) / 1e9;
    return rc;
}

static void free_path(struct sl_comparison *d)
{
    for (size_t i = 0; i < d->path.n; i++) {
        free(d->path.v[i].component);
        free(d->path.v[i].state);
    }
    sl_vec_free(&d->path);
}

static int by_change(const void *a, const void *b)
{
    const struct sl_diff_path *x = a, *y = b;
    double i = fabs(x->s[1] - x->s[0]), k = fabs(y->s[1] - y->s[0]);
    int order = strcmp(x->component, y->component);

    if (i != k)
        return i > k ? -1 : 1;
    if (x->s[0] != y->s[0])
        return x->s[0] > y->s[0] ? -1 : 1;
    return order ? order : strcmp(x->state, y->state);
}

/* Without workflows: from the first event of any root to the last. */
static void span_of_roots(struct sl_comparison *d)
{
    for (int i = 0; i < 2; i++)
        d->makespan[i] =
            d->d.t[i].histories ? (double)((uint64_t)d->d.t[i].last_ns - (uint64_t)d->d.t[i].first_ns) / 1e9 : NAN;
}

static void compare_paths(struct sl_comparison *d)
{
    struct sl_err err = {0};

    for (int i = 0; i < 2; i++)
        if (d->side[i].workflows > 1) {
            snprintf(d->no_path, sizeof d->no_path,
                     "%s (%s) holds %llu workflows; name one of them, see: spanloom info --runs -d %s", i ? "B" : "A",
                     d->side[i].text, (unsigned long long)d->side[i].workflows, d->side[i].path);
            d->makespan[0] = d->makespan[1] = NAN;
            return;
        }
    for (int i = 0; i < 2 && !*d->no_path; i++)
        if (!d->side[i].workflow)
            snprintf(d->no_path, sizeof d->no_path, "%s (%s) holds no workflow", i ? "B" : "A", d->side[i].text);
    for (int i = 0; i < 2 && !*d->no_path; i++)
        if (read_path(d, i, &err))
            snprintf(d->no_path, sizeof d->no_path, "%s (%s): %.400s", i ? "B" : "A", d->side[i].text, err.text);
    if (*d->no_path) {
        free_path(d);
        span_of_roots(d);
    } else if (d->path.n) {
        qsort(d->path.v, d->path.n, sizeof *d->path.v, by_change);
    }
}

/* ---- all of it ---- */

int sl_comparison_make(struct sl_comparison *c, struct sl_err *err)
{
    int rc = 0;

    for (int i = 0; i < 2 && !rc; i++) {
        struct sl_diff_input *s = &c->side[i];
        rc = sl_transitions_make(&c->d.t[i], s->st->db, c->type, s->within, err);
        if (!rc && !c->d.t[i].roots)
            rc = sl_err(err, SL_ENOTFOUND, "%s (%s) has no spans of type %s", i ? "B" : "A", s->text, c->type);
    }
    if (rc)
        return rc;
    sl_diff_make(&c->d);
    compare_paths(c);
    return 0;
}

void sl_comparison_free(struct sl_comparison *c)
{
    sl_diff_free(&c->d);
    free_path(c);
}

/* ---- as rows ---- */

#define TEXT(name)                                                                                                     \
    {                                                                                                                  \
        name, SL_COLUMN_TEXT, NULL                                                                                     \
    }
#define SPANS(name)                                                                                                    \
    {                                                                                                                  \
        name, SL_COLUMN_INTEGER, "spans"                                                                               \
    }
#define SECONDS(name)                                                                                                  \
    {                                                                                                                  \
        name, SL_COLUMN_REAL, "s"                                                                                      \
    }
static const struct sl_column columns[] = {
    TEXT("what"),          TEXT("from_type"),     TEXT("from_event"),      TEXT("to_type"),      TEXT("to_event"),
    TEXT("component"),     TEXT("state"),         TEXT("events"),          SPANS("n_a"),         SPANS("n_b"),
    SECONDS("median_a_s"), SECONDS("median_b_s"), SECONDS("change_s"),     SECONDS("low_s"),     SECONDS("high_s"),
    SECONDS("p95_a_s"),    SECONDS("p95_b_s"),    SECONDS("p95_change_s"), SECONDS("p95_low_s"), SECONDS("p95_high_s"),
    SECONDS("p99_a_s"),    SECONDS("p99_b_s"),    SECONDS("p99_change_s"), SECONDS("p99_low_s"), SECONDS("p99_high_s")};
enum {
    WHAT,
    FROM_TYPE,
    FROM_EVENT,
    TO_TYPE,
    TO_EVENT,
    COMPONENT,
    STATE,
    EVENTS,
    N_A,
    N_B,
    MEDIAN,
    P95 = MEDIAN + 5,
    P99 = P95 + 5,
    COLUMNS = P99 + 5
};

static void put_shift(struct sl_table *t, int col, const struct sl_shift *s)
{
    sl_table_put_real(t, col, s->a);
    sl_table_put_real(t, col + 1, s->b);
    sl_table_put_real(t, col + 2, s->change);
    sl_table_put_real(t, col + 3, s->low);
    sl_table_put_real(t, col + 4, s->high);
}

static void begin_row(struct sl_table *t, const char *what, size_t a, size_t b)
{
    sl_table_add(t);
    sl_table_put_text(t, WHAT, what);
    sl_table_put_int(t, N_A, (int64_t)a);
    sl_table_put_int(t, N_B, (int64_t)b);
}

static void add_row(struct sl_table *t, const char *what, const struct sl_diff *d, const struct sl_diff_row *r)
{
    begin_row(t, what, r->n[0], r->n[1]);
    if (r != &d->history) {
        sl_table_put_text(t, FROM_TYPE, d->event.v[r->from].span_type);
        sl_table_put_text(t, FROM_EVENT, d->event.v[r->from].event_type);
        sl_table_put_text(t, TO_TYPE, d->event.v[r->to].span_type);
        sl_table_put_text(t, TO_EVENT, d->event.v[r->to].event_type);
    }
    put_shift(t, MEDIAN, &r->median);
    put_shift(t, P95, &r->p95);
    put_shift(t, P99, &r->p99);
}

/* What a run has once. */
static void add_once(struct sl_table *t, const char *what, double a, double b)
{
    struct sl_shift s = {a, b, b - a, NAN, NAN};

    begin_row(t, what, !isnan(a), !isnan(b));
    put_shift(t, MEDIAN, &s);
}

static void add_ordering(struct sl_table *t, const struct sl_diff *d, const struct sl_diff_lone *l)
{
    const struct sl_sequences *s = &d->t[l->side].seq;
    const struct sl_ordering *o = &s->v[l->ordering];
    struct sl_buf b = {0};

    sl_buf_adds(&b, "");
    for (uint32_t i = 0; i < o->n; i++) {
        const struct sl_diff_event *e = &d->event.v[s->code[o->at + i]];
        sl_buf_addf(&b, "%s%s/%s", i ? " " : "", e->span_type, e->event_type);
    }
    begin_row(t, "sequence", l->side ? 0 : o->count, l->side ? o->count : 0);
    sl_table_put_text(t, EVENTS, b.s);
    sl_buf_free(&b);
}

void sl_result_diff(struct sl_result *r, const struct sl_comparison *c)
{
    struct sl_table *t = sl_result_table(r, "diff", columns, COLUMNS);

    add_once(t, "makespan", c->makespan[0], c->makespan[1]);
    add_row(t, "story", &c->d, &c->d.history);
    for (size_t i = 0; i < c->d.transition.n; i++)
        add_row(t, "transition", &c->d, &c->d.transition.v[i]);
    for (size_t i = 0; i < c->d.lone.n; i++)
        add_ordering(t, &c->d, &c->d.lone.v[i]);
    for (size_t i = 0; i < c->path.n; i++) {
        add_once(t, "critical_path", c->path.v[i].s[0], c->path.v[i].s[1]);
        sl_table_put_text(t, COMPONENT, c->path.v[i].component);
        sl_table_put_text(t, STATE, c->path.v[i].state);
    }
}
