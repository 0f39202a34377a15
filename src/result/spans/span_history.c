/* SPDX-License-Identifier: Apache-2.0 */
#include "result/spans/span_history.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/set.h"
#include "result/spans/span_names.h"
#include "spans_span_history.sql.h"

#include <stdio.h>
#include <stdlib.h>

/* A statement with ?1 bound. */
static sqlite3_stmt *ask(struct sl_store *st, const char *sql, int64_t span, struct sl_err *err)
{
    sqlite3_stmt *q = sl_store_prepare(st, sql, err);

    if (q)
        sqlite3_bind_int64(q, 1, span);
    return q;
}

static const char *text(sqlite3_stmt *q, int column)
{
    return (const char *)sqlite3_column_text(q, column);
}

/* A rule and its confidence, both NULL where a record says so. */
static void put_rule(struct sl_table *t, int column, sqlite3_stmt *q, int from)
{
    sl_table_put_text(t, column, text(q, from));
    if (sqlite3_column_type(q, from + 1) != SQLITE_NULL)
        sl_table_put_real(t, column + 1, sqlite3_column_double(q, from + 1));
}

/* ---- itself, and what it is linked with ---- */

static int add_span(struct sl_store *st, int64_t span, int64_t contexts, struct sl_table *t, struct sl_err *err)
{
    sqlite3_stmt *q = ask(st, sql_span, span, err);
    char name[600];
    int rc = q ? sl_store_step(st, q, err) : SL_ESTORE;

    if (rc > 0) {
        sl_table_add(t);
        sl_table_put_int(t, 0, span);
        sl_table_put_text(t, 1, text(q, 0));
        sl_table_put_text(t, 2, text(q, 1));
        sl_table_put_text(t, 3, sl_span_name(st, span, name, sizeof name));
        sl_table_put_int(t, 4, contexts);
    }
    sqlite3_finalize(q);
    return rc < 0 ? rc : 0;
}

/* Those that sql links it with.  Names take time: most, of which text shows none, have none there. */
static int add_linked(struct sl_store *st, int64_t span, const char *sql, const char *title,
                      const struct sl_history_options *how, struct sl_result *r, struct sl_err *err)
{
    static const struct sl_column column[] = {
        {"id", SL_COLUMN_INTEGER, NULL, NULL, 0}, {"type", SL_COLUMN_TEXT, NULL, NULL, 0},
        {"key", SL_COLUMN_TEXT, NULL, NULL, 0},   {"name", SL_COLUMN_TEXT, NULL, NULL, 0},
        {"rule", SL_COLUMN_TEXT, NULL, NULL, 0},  {"confidence", SL_COLUMN_REAL, NULL, NULL, 0},
    };
    struct sl_table *t = sl_result_table(r, title, column, 6);
    sqlite3_stmt *q = ask(st, sql, span, err);
    int rc = q ? 0 : SL_ESTORE;
    char name[600];

    while (!rc && (rc = sl_store_step(st, q, err)) > 0) {
        int64_t id = sqlite3_column_int64(q, 0);
        rc = 0;
        sl_table_add(t);
        sl_table_put_int(t, 0, id);
        sl_table_put_text(t, 1, text(q, 1));
        sl_table_put_text(t, 2, text(q, 2));
        if (!how->text || t->rows <= SL_HISTORY_SPANS)
            sl_table_put_text(t, 3, sl_span_name(st, id, name, sizeof name));
        put_rule(t, 4, q, 3);
    }
    sqlite3_finalize(q);
    return rc;
}

/* ---- contexts ---- */

struct visit {
    int64_t id, above;
    int depth;
    enum sl_link_kind kind; /* 0: the span itself */
};

struct tree {
    struct sl_store *st;
    sqlite3_stmt *one, *below, *beside, *inferred;
    struct sl_table *to;
    struct sl_set seen;
    SL_VEC(struct visit) next; /* a stack: traces nest deeper than C may */
};

static void add_context(struct tree *t, const struct visit *v)
{
    sqlite3_bind_int64(t->one, 1, v->id);
    sqlite3_bind_int64(t->inferred, 1, v->above);
    sqlite3_bind_int64(t->inferred, 2, v->id);
    if (sqlite3_step(t->one) == SQLITE_ROW) {
        sl_table_add(t->to);
        sl_table_put_int(t->to, 0, v->depth);
        sl_table_put_text(t->to, 1, v->kind == SL_FACET ? "facet" : v->kind == SL_IN ? "in" : NULL);
        sl_table_put_int(t->to, 2, v->id);
        sl_table_put_text(t->to, 3, text(t->one, 0));
        sl_table_put_text(t->to, 4, text(t->one, 1));
        if (sqlite3_column_int64(t->one, 3) != v->above)
            sl_table_put_text(t->to, 5, text(t->one, 2));
        if (sqlite3_step(t->inferred) == SQLITE_ROW)
            put_rule(t->to, 6, t->inferred, 0);
    }
    sqlite3_reset(t->one);
    sqlite3_reset(t->inferred);
}

/* What q yields for id is to be visited next, in its order. */
static void push(struct tree *t, sqlite3_stmt *q, int64_t id, struct visit as)
{
    size_t from = t->next.n;

    sqlite3_bind_int64(q, 1, id);
    while (sqlite3_step(q) == SQLITE_ROW) {
        as.id = sqlite3_column_int64(q, 0);
        *sl_vec_add(&t->next) = as;
    }
    sqlite3_reset(q);
    for (size_t to = t->next.n; from + 1 < to; from++) {
        struct visit v = t->next.v[from];
        t->next.v[from] = t->next.v[--to];
        t->next.v[to] = v;
    }
}

/* Facets of a span stand beside it, then come the spans in it.  *more: there are more than `most`. */
static void walk(struct tree *t, int64_t span, size_t most, bool *more)
{
    *sl_vec_add(&t->next) = (struct visit){.id = span};
    while (t->next.n) {
        struct visit v = t->next.v[--t->next.n];
        if (!sl_set_add(&t->seen, (uint64_t)v.id))
            continue;
        if ((*more = t->to->rows >= most))
            return;
        add_context(t, &v);
        push(t, t->below, v.id, (struct visit){.above = v.id, .depth = v.depth + 1, .kind = SL_IN});
        push(t, t->beside, v.id, (struct visit){.above = v.above, .depth = v.depth, .kind = SL_FACET});
    }
}

/* *count: how many there are. */
static int add_contexts(struct sl_store *st, int64_t span, const struct sl_history_options *how, struct sl_result *r,
                        int64_t *count, struct sl_err *err)
{
    static const struct sl_column column[] = {
        {"depth", SL_COLUMN_INTEGER, NULL, NULL, 0}, {"relation", SL_COLUMN_TEXT, NULL, NULL, 0},
        {"id", SL_COLUMN_INTEGER, NULL, NULL, 0},    {"type", SL_COLUMN_TEXT, NULL, NULL, 0},
        {"key", SL_COLUMN_TEXT, NULL, NULL, 0},      {"in", SL_COLUMN_TEXT, NULL, NULL, 0},
        {"rule", SL_COLUMN_TEXT, NULL, NULL, 0},     {"confidence", SL_COLUMN_REAL, NULL, NULL, 0},
    };
    struct tree t = {.st = st, .to = sl_result_table(r, "contexts", column, 8)};
    char sql[80];
    bool more = false;
    int rc = SL_ESTORE;

    t.one = sl_store_prepare(st, sql_context, err);
    t.below = sl_store_prepare(st, sql_below, err);
    t.beside = sl_store_prepare(st, sql_beside, err);
    t.inferred = sl_store_prepare(st, sql_inferred, err);
    if (t.one && t.below && t.beside && t.inferred) {
        walk(&t, span, how->text ? SL_HISTORY_CONTEXTS : SIZE_MAX, &more);
        snprintf(sql, sizeof sql, "SELECT count(*) FROM descendants(%lld)", (long long)span);
        *count = more ? sl_store_int(st, sql, 0) : (int64_t)t.to->rows;
        rc = 0;
    }
    sqlite3_finalize(t.one);
    sqlite3_finalize(t.below);
    sqlite3_finalize(t.beside);
    sqlite3_finalize(t.inferred);
    sl_set_free(&t.seen);
    sl_vec_free(&t.next);
    return rc;
}

/* ---- events ---- */

static struct sl_table *add_events(struct sl_store *st, const struct sl_history_options *how, bool waits,
                                   struct sl_result *r, struct sl_err *err)
{
    static const struct sl_column column[] = {
        {"root", SL_COLUMN_INTEGER, NULL, NULL, 0},      {"time_ns", SL_COLUMN_INTEGER, "ns", NULL, 0},
        {"since_start_s", SL_COLUMN_REAL, "s", NULL, 0}, {"since_previous_s", SL_COLUMN_REAL, "s", NULL, 0},
        {"component", SL_COLUMN_TEXT, NULL, NULL, 0},    {"span_type", SL_COLUMN_TEXT, NULL, NULL, 0},
        {"span_key", SL_COLUMN_TEXT, NULL, NULL, 0},     {"event", SL_COLUMN_TEXT, NULL, NULL, 0},
        {"path", SL_COLUMN_TEXT, NULL, NULL, 0},         {"place", SL_COLUMN_INTEGER, NULL, NULL, 0},
        {"span", SL_COLUMN_INTEGER, NULL, NULL, 0},      {"line", SL_COLUMN_TEXT, NULL, NULL, 0},
    };
    struct sl_buf from = {0}, since = {0}, more = {0}, sql = {0};
    const char *events = how->lens ? sql_as_seen : sql_as_they_are;
    sqlite3_stmt *q;

    if (how->lines)
        sl_buf_addf(&from, how->text ? sql_lines_between : sql_lines_beside, events, sql_lines);
    else
        sl_buf_adds(&from, events);
    if (how->text)
        sl_buf_adds(&since, "NULL, NULL");
    else
        sl_buf_addf(&since, sql_since, how->lines ? "iif(event IS NULL, NULL, e.time_ns)" : "e.time_ns");
    sl_buf_adds(&more, "");
    if (waits)
        sl_buf_addf(&more, sql_for_waits,
                    how->lens ? "lens_events(?1)" : "descendants(?1) d JOIN sl_event e ON e.span = d.span");
    sl_buf_addf(&sql, sql_history, since.s, how->lines || waits ? ", text, events" : "", more.s, from.s,
                how->text ? "" : sql_window, how->text ? "" : ", src.path, e.place");
    sl_buf_free(&from);
    sl_buf_free(&since);
    sl_buf_free(&more);
    q = sl_store_prepare(st, sql.s, err);
    sl_buf_free(&sql);
    return q ? sl_result_query(r, "events", column, how->lines ? 12 : 11, q) : NULL;
}

struct sl_table *sl_span_events(struct sl_store *st, const struct sl_history_options *how, struct sl_result *r,
                                struct sl_err *err)
{
    return add_events(st, how, how->text, r, err);
}

void sl_span_events_of(struct sl_table *events, int64_t root)
{
    sl_table_rewind(events);
    sqlite3_bind_int64(events->query, 1, root);
}

/* ---- waits ---- */

enum { HEARD = 256 }; /* spans whose last event is remembered: more than any task has */

static const char *keep(struct sl_wait_finder *f, const struct sl_table *t, int column)
{
    size_t n;
    const char *s = sl_table_text(t, column, &n);

    return s ? sl_intern_text(&f->names, sl_intern(&f->names, s, n)) : "";
}

/* The last event of a span; of what was merged, of any that appeared as of its type. */
static struct sl_wait_event *last_of(struct sl_wait_finder *f, const struct sl_wait_event *now, bool merged)
{
    for (size_t i = 0; i < f->heard.n; i++)
        if (f->heard.v[i].span == now->span || (merged && f->heard.v[i].type == now->type))
            return &f->heard.v[i];
    return NULL;
}

bool sl_wait_find(struct sl_wait_finder *f, const struct sl_table *t, struct sl_wait *wait)
{
    struct sl_wait_event now = {.time_ns = sl_table_int(t, SL_HISTORY_TIME_NS),
                                .span = sl_table_int(t, SL_HISTORY_SPAN),
                                .type = keep(f, t, SL_HISTORY_SPAN_TYPE),
                                .event = keep(f, t, SL_HISTORY_EVENT)};
    struct sl_wait_event *last = last_of(f, &now, sl_table_int(t, SL_HISTORY_MERGED) > 0);
    int64_t took = f->any ? sl_time_sub(now.time_ns, f->was.time_ns) : 0, whole;
    bool found;

    if (!f->any)
        f->first_ns = now.time_ns;
    whole = sl_time_sub(sl_table_int(t, SL_HISTORY_LAST_NS), f->first_ns);
    found = took > whole / 20 && took > 1000000 && (last || f->heard.n < HEARD);
    if (found) {
        *wait = (struct sl_wait){.kind = last ? SL_WAIT_STATE : SL_WAIT_GAP, .from = f->was, .until = now};
        if (sl_table_int(t, SL_HISTORY_DEPENDS) && !strcmp(f->was.event, "pending"))
            wait->kind = SL_WAIT_PENDING;
        else if (last)
            wait->state_event = last->event;
    }
    if (last)
        *last = now;
    else if (f->heard.n < HEARD)
        *sl_vec_add(&f->heard) = now;
    f->was = now;
    f->any = true;
    return found;
}

void sl_wait_finder_free(struct sl_wait_finder *f)
{
    sl_intern_free(&f->names);
    sl_vec_free(&f->heard);
}

static void add_wait(struct sl_table *t, const struct sl_wait *w)
{
    static const char *const kind[] = {"pending", "state", "gap"};

    sl_table_add(t);
    sl_table_put_text(t, 0, kind[w->kind]);
    sl_table_put_int(t, 1, w->from.time_ns);
    sl_table_put_int(t, 2, w->until.time_ns);
    sl_table_put_real(t, 3, (double)sl_time_sub(w->until.time_ns, w->from.time_ns) / 1e9);
    sl_table_put_text(t, 4, w->kind == SL_WAIT_STATE ? w->until.type : w->from.type);
    sl_table_put_text(t, 5, w->kind == SL_WAIT_STATE ? w->state_event : w->from.event);
    sl_table_put_text(t, 6, w->until.type);
    sl_table_put_text(t, 7, w->until.event);
}

/* Goes through the events once more. */
static int add_waits(struct sl_table *events, struct sl_result *r, struct sl_err *err)
{
    static const struct sl_column column[] = {
        {"kind", SL_COLUMN_TEXT, NULL, NULL, 0},        {"from_ns", SL_COLUMN_INTEGER, "ns", NULL, 0},
        {"until_ns", SL_COLUMN_INTEGER, "ns", NULL, 0}, {"seconds", SL_COLUMN_REAL, "s", NULL, 0},
        {"after_type", SL_COLUMN_TEXT, NULL, NULL, 0},  {"after_event", SL_COLUMN_TEXT, NULL, NULL, 0},
        {"before_type", SL_COLUMN_TEXT, NULL, NULL, 0}, {"before_event", SL_COLUMN_TEXT, NULL, NULL, 0},
    };
    struct sl_table *t = sl_result_table(r, "waits", column, 8);
    struct sl_wait_finder f = {0};
    struct sl_wait wait;
    int rc;

    while ((rc = sl_table_next(events, err)) > 0)
        if (!sl_table_is_null(events, SL_HISTORY_EVENT) && sl_wait_find(&f, events, &wait))
            add_wait(t, &wait);
    sl_wait_finder_free(&f);
    sl_table_rewind(events);
    return rc;
}

/* ---- all of it ---- */

/* Tasks that no worker names: how far did they come? */
static int add_reach(struct sl_store *st, int64_t span, struct sl_result *r, struct sl_err *err)
{
    static const struct sl_column column[] = {{"span", SL_COLUMN_TEXT, NULL, NULL, 0},
                                              {"last_event", SL_COLUMN_TEXT, NULL, NULL, 0}};
    struct sl_table *t = sl_result_table(r, "reach", column, 2);
    sqlite3_stmt *q = ask(st, sql_reach, span, err);
    int rc = q ? sl_store_step(st, q, err) : SL_ESTORE;

    if (rc > 0 && sqlite3_column_int(q, 0) && !sqlite3_column_int(q, 1)) {
        sl_table_add(t);
        sl_table_put_text(t, 0, text(q, 2));
        sl_table_put_text(t, 1, text(q, 3));
    }
    sqlite3_finalize(q);
    return rc < 0 ? rc : 0;
}

/* A table that is read as it is shown. */
static int add_query(struct sl_store *st, int64_t span, const char *name, const char *sql, struct sl_result *r,
                     struct sl_err *err)
{
    sqlite3_stmt *q = ask(st, sql, span, err);

    if (!q)
        return SL_ESTORE;
    sl_result_query(r, name, NULL, 0, q);
    return 0;
}

int sl_span_history(struct sl_store *st, int64_t span, const struct sl_history_options *how, struct sl_result *r,
                    struct sl_err *err)
{
    static const struct sl_column column[] = {
        {"id", SL_COLUMN_INTEGER, NULL, NULL, 0},
        {"type", SL_COLUMN_TEXT, NULL, NULL, 0},
        {"key", SL_COLUMN_TEXT, NULL, NULL, 0},
        {"name", SL_COLUMN_TEXT, NULL, NULL, 0},
        {"contexts", SL_COLUMN_INTEGER, "spans", NULL, 0},
    };
    struct sl_table *events = add_events(st, how, true, r, err), *itself = sl_result_table(r, "span", column, 5);
    int64_t contexts = 0;
    int rc;

    r->whole = true;
    if (!events)
        return SL_ESTORE;
    sl_span_events_of(events, span);
    rc = add_linked(st, span, sql_contained_in, "contained_in", how, r, err);
    rc = rc ? rc : add_query(st, span, "attributes", sql_attributes, r, err);
    rc = rc ? rc : add_query(st, span, "exceptions", sql_exceptions, r, err);
    rc = rc ? rc : add_linked(st, span, sql_waited_for, "waited_for", how, r, err);
    rc = rc ? rc : add_contexts(st, span, how, r, &contexts, err);
    rc = rc ? rc : add_span(st, span, contexts, itself, err);
    rc = rc ? rc : add_query(st, span, "doubts", sql_doubts, r, err);
    if (!rc && !how->text)
        rc = add_waits(events, r, err);
    return rc ? rc : add_reach(st, span, r, err);
}
