/* SPDX-License-Identifier: Apache-2.0 */
/* What `spanloom diff` says to programs: one list of rows, made in memory. */
#include "cli/diff.h"
#include "cli_diff_rows.sql.h"

#include <math.h>
#include <stdlib.h>

enum {
    WHAT = 1,
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
    P95 = 16,
    P99 = 21
};

static void put_text(sqlite3_stmt *q, int col, const char *s)
{
    sqlite3_bind_text(q, col, s, -1, SQLITE_STATIC);
}

/* SQLite makes NULL of NaN. */
static void put_shift(sqlite3_stmt *q, int col, const struct sl_shift *s)
{
    sqlite3_bind_double(q, col, s->a);
    sqlite3_bind_double(q, col + 1, s->b);
    sqlite3_bind_double(q, col + 2, s->change);
    sqlite3_bind_double(q, col + 3, s->low);
    sqlite3_bind_double(q, col + 4, s->high);
}

static void put_counts(sqlite3_stmt *q, size_t a, size_t b)
{
    sqlite3_bind_int64(q, N_A, (sqlite3_int64)a);
    sqlite3_bind_int64(q, N_B, (sqlite3_int64)b);
}

static void done(sqlite3_stmt *q)
{
    if (sqlite3_step(q) != SQLITE_DONE)
        abort(); /* out of memory */
    sqlite3_reset(q);
    sqlite3_clear_bindings(q);
}

static void add_row(sqlite3_stmt *q, const char *what, const struct sl_diff *d, const struct sl_diff_row *r)
{
    put_text(q, WHAT, what);
    if (r != &d->history) {
        put_text(q, FROM_TYPE, d->event.v[r->from].span_type);
        put_text(q, FROM_EVENT, d->event.v[r->from].event_type);
        put_text(q, TO_TYPE, d->event.v[r->to].span_type);
        put_text(q, TO_EVENT, d->event.v[r->to].event_type);
    }
    put_counts(q, r->n[0], r->n[1]);
    put_shift(q, MEDIAN, &r->median);
    put_shift(q, P95, &r->p95);
    put_shift(q, P99, &r->p99);
    done(q);
}

/* What a run has once. */
static void add_once(sqlite3_stmt *q, double a, double b)
{
    struct sl_shift s = {a, b, b - a, NAN, NAN};

    put_counts(q, !isnan(a), !isnan(b));
    put_shift(q, MEDIAN, &s);
    done(q);
}

static void add_ordering(sqlite3_stmt *q, const struct sl_diff *d, const struct sl_diff_lone *l)
{
    const struct sl_sequences *s = &d->t[l->side].seq;
    const struct sl_ordering *o = &s->v[l->ordering];
    struct sl_buf b = {0};

    sl_buf_adds(&b, "");
    for (uint32_t i = 0; i < o->n; i++) {
        const struct sl_diff_event *e = &d->event.v[s->code[o->at + i]];
        sl_buf_addf(&b, "%s%s/%s", i ? " " : "", e->span_type, e->event_type);
    }
    put_text(q, WHAT, "sequence");
    put_text(q, EVENTS, b.s);
    put_counts(q, l->side ? 0 : o->count, l->side ? o->count : 0);
    done(q);
    sl_buf_free(&b);
}

int diff_rows(const struct cli *cli, const struct diff *d)
{
    sqlite3 *db = cli_rows(sql_table);
    sqlite3_stmt *q;

    if (sqlite3_prepare_v2(db, sql_diff_rows, -1, &q, NULL) != SQLITE_OK)
        abort(); /* the statement is ours */
    sqlite3_exec(db, "BEGIN", NULL, NULL, NULL);
    put_text(q, WHAT, "makespan");
    add_once(q, d->makespan[0], d->makespan[1]);
    add_row(q, "story", &d->d, &d->d.history);
    for (size_t i = 0; i < d->d.transition.n; i++)
        add_row(q, "transition", &d->d, &d->d.transition.v[i]);
    for (size_t i = 0; i < d->d.lone.n; i++)
        add_ordering(q, &d->d, &d->d.lone.v[i]);
    for (size_t i = 0; i < d->path.n; i++) {
        put_text(q, WHAT, "critical_path");
        put_text(q, COMPONENT, d->path.v[i].component);
        put_text(q, STATE, d->path.v[i].state);
        add_once(q, d->path.v[i].s[0], d->path.v[i].s[1]);
    }
    sqlite3_finalize(q);
    return cli_rows_show(cli, db, "SELECT * FROM t ORDER BY rowid");
}
