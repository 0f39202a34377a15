/* SPDX-License-Identifier: Apache-2.0 */
#include "result/diff_tables.h"
#include "analyse/compare_orders.h"
#include "base/buf.h"
#include "base/mem.h"
#include "result_diff_tables.sql.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- the critical path and the makespan ---- */

/* Seconds on the critical path by what had it, in both. */
struct part {
    char *component, *state;
    double s[2];
};

/* Tasks on workers. */
struct task {
    char *app, *key;
    double run_s;
};
typedef SL_VEC(struct task) tasks;

struct moved {
    const char *app, *key[2]; /* NULL, both: all of the app */
    size_t n[2];
    double run_s[2];
};

struct comparison {
    const char *type; /* of the roots */
    enum sl_by by;
    const struct sl_diff_input *side;
    struct sl_diff d;
    double makespan[2];       /* NaN: there is none, and no_path says why */
    SL_VEC(struct part) path; /* by how much it changed; empty: no_path says why */
    char no_path[600];
    tasks task[2]; /* by app and number; none where no path is compared */
    SL_VEC(struct moved) moved;
};

static struct part *find_path(struct comparison *d, const char *component, const char *state)
{
    struct part *p;

    for (size_t i = 0; i < d->path.n; i++)
        if (!strcmp(d->path.v[i].component, component) && !strcmp(d->path.v[i].state, state))
            return &d->path.v[i];
    p = sl_vec_add(&d->path);
    p->component = sl_strdup(component);
    p->state = sl_strdup(state);
    return p;
}

static int read_path(struct comparison *d, int side, struct sl_err *err)
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

static void free_path(struct comparison *d)
{
    for (size_t i = 0; i < d->path.n; i++) {
        free(d->path.v[i].component);
        free(d->path.v[i].state);
    }
    sl_vec_free(&d->path);
}

static int by_change(const void *a, const void *b)
{
    const struct part *x = a, *y = b;
    double i = fabs(x->s[1] - x->s[0]), k = fabs(y->s[1] - y->s[0]);
    int order = strcmp(x->component, y->component);

    if (i != k)
        return i > k ? -1 : 1;
    if (x->s[0] != y->s[0])
        return x->s[0] > y->s[0] ? -1 : 1;
    return order ? order : strcmp(x->state, y->state);
}

/* Without workflows: from the first event of any root to the last. */
static void span_of_roots(struct comparison *d)
{
    for (int i = 0; i < 2; i++)
        d->makespan[i] =
            d->d.t[i].histories ? (double)((uint64_t)d->d.t[i].last_ns - (uint64_t)d->d.t[i].first_ns) / 1e9 : NAN;
}

static void compare_paths(struct comparison *d)
{
    struct sl_err err = {0};

    for (int i = 0; i < 2; i++)
        if (d->side[i].workflows > 1) {
            snprintf(d->no_path, sizeof d->no_path,
                     "%s (%s) holds %llu workflows; name one of them, see: spanloom runs -d %s", i ? "B" : "A",
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

/* ---- tasks ---- */

static int read_tasks(struct comparison *c, int side, struct sl_err *err)
{
    struct sl_store *st = c->side[side].st;
    sqlite3_stmt *q = sl_store_prepare(st, sql_tasks, err);
    int rc = q ? 0 : SL_ESTORE;

    if (q)
        sqlite3_bind_int64(q, 1, c->side[side].workflow);
    while (q && (rc = sl_store_step(st, q, err)) > 0) {
        const char *key = sl_store_text(q, 1);
        *sl_vec_add(&c->task[side]) =
            (struct task){sl_strdup(sl_store_text(q, 0)), sl_strdup(key ? key : ""), sqlite3_column_double(q, 2)};
    }
    sqlite3_finalize(q);
    return rc;
}

/* How many of the tasks from i on are of its app. */
static size_t of_app(const tasks *t, size_t i)
{
    size_t n = i;

    while (n < t->n && !strcmp(t->v[n].app, t->v[i].app))
        n++;
    return n - i;
}

/* Tasks a and b, na and nb of them, of one app. */
static void match(struct comparison *c, const char *app, const struct task *a, size_t na, const struct task *b,
                  size_t nb)
{
    struct moved all = {.app = app, .n = {na, nb}};

    for (size_t i = 0; i < na && na == nb; i++)
        *sl_vec_add(&c->moved) = (struct moved){app, {a[i].key, b[i].key}, {1, 1}, {a[i].run_s, b[i].run_s}};
    if (na == nb)
        return;
    for (size_t i = 0; i < na; i++)
        all.run_s[0] += a[i].run_s;
    for (size_t i = 0; i < nb; i++)
        all.run_s[1] += b[i].run_s;
    *sl_vec_add(&c->moved) = all;
}

static int by_move(const void *a, const void *b)
{
    const struct moved *x = a, *y = b;
    double i = fabs(x->run_s[1] - x->run_s[0]), k = fabs(y->run_s[1] - y->run_s[0]);

    if (i != k)
        return i > k ? -1 : 1;
    return x->app != y->app ? strcmp(x->app, y->app) : x->key[0] && y->key[0] ? strcmp(x->key[0], y->key[0]) : 0;
}

static int compare_tasks(struct comparison *c, struct sl_err *err)
{
    const tasks *a = &c->task[0], *b = &c->task[1];
    int rc = 0;

    for (int i = 0; i < 2 && !rc; i++)
        rc = c->side[i].workflow ? read_tasks(c, i, err) : 0;
    for (size_t i = 0, k = 0; i < a->n || k < b->n;) {
        int order = i == a->n ? 1 : k == b->n ? -1 : strcmp(a->v[i].app, b->v[k].app);
        size_t na = order <= 0 ? of_app(a, i) : 0, nb = order >= 0 ? of_app(b, k) : 0;
        match(c, order <= 0 ? a->v[i].app : b->v[k].app, a->v + i, na, b->v + k, nb);
        i += na;
        k += nb;
    }
    if (c->moved.n)
        qsort(c->moved.v, c->moved.n, sizeof *c->moved.v, by_move);
    return rc;
}

static void free_tasks(struct comparison *c)
{
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < c->task[side].n; i++) {
            free(c->task[side].v[i].app);
            free(c->task[side].v[i].key);
        }
        sl_vec_free(&c->task[side]);
    }
    sl_vec_free(&c->moved);
}

static int compare(struct comparison *c, struct sl_err *err)
{
    int rc = 0;

    for (int i = 0; i < 2 && !rc; i++) {
        const struct sl_diff_input *s = &c->side[i];
        rc = sl_transitions_make(&c->d.t[i], s->st->db, c->type, s->within, c->by, err);
        if (!rc && !c->d.t[i].roots)
            rc = sl_err(err, SL_ENOTFOUND, "%s (%s) has no spans of type %s", i ? "B" : "A", s->text, c->type);
    }
    if (rc)
        return rc;
    sl_diff_make(&c->d);
    compare_paths(c);
    return *c->no_path ? 0 : compare_tasks(c, err);
}

/* ---- as rows ---- */

enum { MOVED = 5 }; /* tasks that did not change are listed up to here */
enum { WORDS = 3 }; /* events that an ordering is told by */

#define PUT_SHIFT(x, q, c, s)                                                                                          \
    (x->q##_a_s = (s).a, x->q##_b_s = (s).b, x->c##change_s = (s).change, x->c##low_s = (s).low,                       \
     x->c##high_s = (s).high)

static struct diff_row *begin_row(struct sl_table *t, const char *what, size_t a, size_t b)
{
    struct diff_row *x = sl_table_add(t);

    x->what = sl_table_keep(t, what);
    x->n_a = (int64_t)a;
    x->n_b = (int64_t)b;
    return x;
}

static struct diff_row *add_row(struct sl_table *t, const char *what, const struct sl_diff *d,
                                const struct sl_diff_row *r)
{
    struct diff_row *x = begin_row(t, what, r->n[0], r->n[1]);

    if (r >= d->transition.v && r < d->transition.v + d->transition.n) {
        x->from_type = sl_table_keep(t, d->event.v[r->from].span_type);
        x->from_event = sl_table_keep(t, d->event.v[r->from].event_type);
        x->to_type = sl_table_keep(t, d->event.v[r->to].span_type);
        x->to_event = sl_table_keep(t, d->event.v[r->to].event_type);
    }
    PUT_SHIFT(x, median, , r->median);
    PUT_SHIFT(x, p95, p95_, r->p95);
    PUT_SHIFT(x, p99, p99_, r->p99);
    return x;
}

/* What a run has once. */
static struct diff_row *add_once(struct sl_table *t, const char *what, double a, double b)
{
    struct sl_shift s = {a, b, b - a, NAN, NAN};
    struct diff_row *x = begin_row(t, what, !isnan(a), !isnan(b));

    PUT_SHIFT(x, median, , s);
    return x;
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
    begin_row(t, "sequence", l->side ? 0 : o->count, l->side ? o->count : 0)->events = sl_table_keep(t, b.s);
    sl_buf_free(&b);
}

static void add_task(struct sl_table *t, const struct moved *m)
{
    struct sl_shift s = {m->n[0] ? m->run_s[0] : NAN, m->n[1] ? m->run_s[1] : NAN, m->run_s[1] - m->run_s[0], NAN, NAN};
    struct diff_row *x = begin_row(t, "task", m->n[0], m->n[1]);

    PUT_SHIFT(x, median, , s);
    x->name = sl_table_keep(t, m->app);
    x->task_a = sl_table_keep(t, m->key[0]);
    x->task_b = sl_table_keep(t, m->key[1]);
}

static void add_all(struct sl_result *r, const struct comparison *c)
{
    static const struct sl_columns columns = {diff_row_column, SL_COLUMNS(diff_row_column) - 1,
                                              sizeof(struct diff_row)};
    struct sl_table *t = sl_result_rows(r, "diff", &columns);

    add_once(t, "makespan", c->makespan[0], c->makespan[1]);
    add_row(t, "story", &c->d, &c->d.history);
    for (size_t i = 0; i < c->d.group.n; i++)
        add_row(t, sl_by_name(c->by), &c->d, &c->d.group.v[i].row)->name = sl_table_keep(t, c->d.group.v[i].name);
    for (size_t i = 0; i < c->d.transition.n; i++)
        add_row(t, "transition", &c->d, &c->d.transition.v[i]);
    for (size_t i = 0; i < c->d.lone.n; i++)
        add_ordering(t, &c->d, &c->d.lone.v[i]);
    for (size_t i = 0; i < c->path.n; i++) {
        struct diff_row *x = add_once(t, "critical_path", c->path.v[i].s[0], c->path.v[i].s[1]);
        x->component = sl_table_keep(t, c->path.v[i].component);
        x->state = sl_table_keep(t, c->path.v[i].state);
    }
    for (size_t i = 0; i < c->moved.n && (i < MOVED || c->moved.v[i].run_s[0] != c->moved.v[i].run_s[1]); i++)
        add_task(t, &c->moved.v[i]);
}

/* ---- for people ---- */

static const char *const names[] = {"A", "B"};

static void add_about(struct sl_result *r, const struct comparison *c)
{
    struct sl_table *t = sl_result_rows(r, "about", &diff_about_columns);
    struct diff_about *about = sl_table_add(t);

    about->type = sl_table_keep(t, c->type);
    about->no_path = sl_table_keep(t, *c->no_path ? c->no_path : NULL);
    t = sl_result_rows(r, "sides", &diff_side_columns);
    for (int i = 0; i < 2; i++) {
        const struct sl_transitions *of = &c->d.t[i];
        struct diff_side *x = sl_table_add(t);
        x->side = names[i];
        x->store = sl_table_keep(t, c->side[i].path);
        x->run = sl_table_keep(t, c->side[i].run);
        x->spans = (int64_t)of->roots;
        x->orderings = (int64_t)of->seq.n;
        x->without_events = (int64_t)(of->roots - of->histories);
    }
}

static void add_transitions(struct sl_result *r, const struct sl_diff *d)
{
    struct sl_table *t = sl_result_rows(r, "transitions", &diff_row_columns);

    for (size_t i = 0; i < d->transition.n; i++)
        add_row(t, "transition", d, &d->transition.v[i])->sure = sl_diff_sure(&d->transition.v[i]);
}

static void add_events(struct sl_result *r, const struct sl_diff *d)
{
    struct sl_table *t = sl_result_rows(r, "events", &diff_event_columns);

    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < d->event.n; i++)
            if (!d->event.v[i].in[!side]) {
                struct diff_event *x = sl_table_add(t);
                x->side = names[side];
                x->span_type = sl_table_keep(t, d->event.v[i].span_type);
                x->event_type = sl_table_keep(t, d->event.v[i].event_type);
            }
}

/* ---- orderings that one side has ---- */

/* Orderings that differ in the same from what they are compared with. */
struct alike {
    char *how;
    size_t orderings;
    uint64_t roots;
};

static bool shared(const struct sl_diff *d, size_t event)
{
    return d->event.v[event].in[0] && d->event.v[event].in[1];
}

/* Events that one side never has stand above. */
static void list_events(struct sl_buf *b, const struct sl_diff *d, const int *surplus, int sign, const char *word)
{
    size_t n = 0;

    for (size_t i = 0; i < d->event.n; i++) {
        if (surplus[i] * sign <= 0 || !shared(d, i))
            continue;
        if (n++ < WORDS)
            sl_buf_addf(b, "%s %s/%s", n > 1 ? "," : word, d->event.v[i].span_type, d->event.v[i].event_type);
        if (n <= WORDS && abs(surplus[i]) > 1)
            sl_buf_addf(b, " (%d times)", abs(surplus[i]));
    }
    if (n > WORDS)
        sl_buf_addf(b, " and %zu more", n - WORDS);
}

static char *difference(const struct sl_diff *d, const int *surplus)
{
    struct sl_buf b = {0};
    bool events = false, others = false;

    for (size_t i = 0; i < d->event.n; i++) {
        events |= surplus[i] && shared(d, i);
        others |= surplus[i] && !shared(d, i);
    }
    if (!events)
        sl_buf_adds(&b,
                    others ? "but for events that one side never has, the same" : "the same events in another order");
    list_events(&b, d, surplus, 1, "with");
    list_events(&b, d, surplus, -1, b.n ? " without" : "without");
    return b.s;
}

/* In what an ordering differs from the most common one of the other side that has events. */
static struct alike how_it_differs(const struct sl_diff *d, const struct sl_diff_lone *l)
{
    const struct sl_sequences *mine = &d->t[l->side].seq, *its = &d->t[!l->side].seq;
    const struct sl_ordering *o = &mine->v[l->ordering];
    int *surplus = sl_alloc(d->event.n * sizeof *surplus);
    struct alike a = {.orderings = 1, .roots = o->count};
    size_t other = 0;

    while (other < its->n && !its->v[other].n)
        other++;
    for (uint32_t i = 0; i < o->n; i++)
        surplus[mine->code[o->at + i]]++;
    for (uint32_t i = 0; other < its->n && i < its->v[other].n; i++)
        surplus[its->code[its->v[other].at + i]]--;
    a.how = o->n ? difference(d, surplus) : sl_strdup("no events");
    free(surplus);
    return a;
}

static int by_how(const void *a, const void *b)
{
    return strcmp(((const struct alike *)a)->how, ((const struct alike *)b)->how);
}

static int by_roots(const void *a, const void *b)
{
    const struct alike *x = a, *y = b;
    return x->roots != y->roots ? x->roots > y->roots ? -1 : 1 : by_how(a, b);
}

/* Puts those together that are alike; how many are left. */
static size_t gather(struct alike *v, size_t n)
{
    size_t k = 0;

    qsort(v, n, sizeof *v, by_how);
    for (size_t i = 1; i < n; i++)
        if (!strcmp(v[i].how, v[k].how)) {
            v[k].orderings += v[i].orderings;
            v[k].roots += v[i].roots;
            free(v[i].how);
        } else {
            v[++k] = v[i];
        }
    qsort(v, k + 1, sizeof *v, by_roots);
    return k + 1;
}

static void add_orderings(struct sl_result *r, const struct sl_diff *d)
{
    struct sl_table *t = sl_result_rows(r, "orderings", &diff_orderings_columns);

    for (int side = 0; side < 2; side++) {
        SL_VEC(struct alike) v = {0};
        for (size_t i = 0; i < d->lone.n; i++)
            if (d->lone.v[i].side == side)
                *sl_vec_add(&v) = how_it_differs(d, &d->lone.v[i]);
        for (size_t i = 0, n = v.n ? gather(v.v, v.n) : 0; i < n; i++) {
            struct diff_orderings *x = sl_table_add(t);
            x->side = names[side];
            x->orderings = (int64_t)v.v[i].orderings;
            x->spans = (int64_t)v.v[i].roots;
            x->differs = sl_table_keep(t, v.v[i].how);
            free(v.v[i].how);
        }
        sl_vec_free(&v);
    }
}

/* ---- all of it ---- */

int sl_result_diff(struct sl_result *r, const struct sl_diff_input side[2], const char *type, enum sl_by by,
                   struct sl_err *err)
{
    struct comparison c = {.type = type, .by = by, .side = side};
    int rc = compare(&c, err);

    if (!rc) {
        add_all(r, &c);
        add_about(r, &c);
        add_transitions(r, &c.d);
        add_events(r, &c.d);
        add_orderings(r, &c.d);
    }
    sl_diff_free(&c.d);
    free_path(&c);
    free_tasks(&c);
    return rc;
}
