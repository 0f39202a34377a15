/* SPDX-License-Identifier: Apache-2.0 */
#include "export/spans.h"
#include "export_spans.sql.h"

#include <stdlib.h>

static int add_sampled(void *of, sqlite3_stmt *row, struct sl_err *err)
{
    (void)err;
    *sl_vec_add((struct sl_idmap *)of) = sqlite3_column_int64(row, 0);
    return 0;
}

int sl_spans_open(struct sl_spans *s, struct sl_store *st, int64_t run, struct sl_err *err)
{
    struct {
        sqlite3_stmt **to;
        const char *sql;
    } want[] = {{&s->each, sql_each},
                {&s->span, sql_span},
                {&s->contained, sql_contained},
                {&s->samples, sql_samples},
                {&s->alike, sql_alike}};
    int rc;

    *s = (struct sl_spans){.st = st,
                           .part = run != 0,
                           .events = {.one = sql_events, .all = sql_all_events},
                           .attributes = {.one = sql_attributes, .all = sql_all_attributes},
                           .links = {.one = sql_links, .all = sql_all_links},
                           .after = {.one = sql_after, .all = sql_all_after}};
    sl_store_exec(st, "PRAGMA cache_size = -65536", NULL); /* KiB; what is asked for lies all over the store */
    if ((rc = sl_store_exec(st, "BEGIN", err)))            /* one state of it; and a lock once, not for each query */
        return rc;
    if (run) {
        char *sql = sqlite3_mprintf("%s", sql_of_run), *at = strstr(sl_must(sql), "?1");
        char *with = sqlite3_mprintf("%.*s%lld%s", (int)(at - sql), sql, (long long)run, at + 2);
        rc = sl_store_temporary(st, sl_must(with), err);
        sqlite3_free(sql);
        sqlite3_free(with);
        if (!rc)
            rc = sl_store_temporary(st, sql_of_run_index, err);
    } else {
        rc = sl_store_temporary(st, sql_of_all, err);
    }
    for (size_t i = 0; !rc && i < sizeof want / sizeof *want; i++)
        if (!(*want[i].to = sl_store_prepare(st, want[i].sql, err)))
            rc = SL_ESTORE;
    return rc;
}

int64_t sl_spans_nodes_of_nobody(struct sl_spans *s)
{
    return s->part ? sl_store_int(s->st, sql_nodes_of_nobody, 0) : 0;
}

int sl_spans_begin(struct sl_spans *s, bool in_order, struct sl_err *err)
{
    int rc = sl_words_load(&s->words, s->st, err);

    s->in_order = in_order;
    if (!rc)
        rc = sl_outline_load(&s->outline, &s->words, s->part, err);
    if (!rc)
        rc = sl_store_each(s->st, sql_sampled, add_sampled, &s->sampled, err, "");
    sl_idmap_finish(&s->sampled);
    return rc;
}

void sl_spans_close(struct sl_spans *s)
{
    sqlite3_stmt *all[] = {s->each,      s->span,          s->contained, s->samples, s->alike,
                           s->events.of, s->attributes.of, s->links.of,  s->after.of};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sqlite3_finalize(all[i]);
    sl_words_free(&s->words);
    sl_outline_free(&s->outline);
    sl_idmap_free(&s->sampled);
    sl_vec_free(&s->value);
    sl_vec_free(&s->event);
    sl_vec_free(&s->link);
    sl_arena_free(&s->values_arena);
    sl_arena_free(&s->span_arena);
    if (s->st)
        sl_store_rollback(s->st);
}

/* ---- spans ---- */

static void fill(struct sl_spans *s, sqlite3_stmt *row, struct sl_exported_span *out)
{
    int64_t type = sqlite3_column_int64(row, 1);

    *out = (struct sl_exported_span){.id = sqlite3_column_int64(row, 0),
                                     .type_id = type,
                                     .type = sl_words_name(&s->words, type),
                                     .key = sl_store_text(row, 2),
                                     .parent = sqlite3_column_int64(row, 3),
                                     .component = sl_words_component(&s->words, sqlite3_column_int64(row, 4)),
                                     .alike = sqlite3_column_int64(row, 5)};
}

int sl_spans_next(struct sl_spans *s, struct sl_exported_span *out, struct sl_err *err)
{
    int rc = sl_store_step(s->st, s->each, err);

    if (rc == 1)
        fill(s, s->each, out);
    return rc;
}

int sl_spans_get(struct sl_spans *s, int64_t id, struct sl_exported_span *out, struct sl_err *err)
{
    int rc;

    sqlite3_bind_int64(s->span, 1, id);
    rc = sl_store_step(s->st, s->span, err);
    if (rc == 1) {
        fill(s, s->span, out);
        sl_arena_reset(&s->span_arena); /* the statement is done with */
        out->key = sl_arena_copy(&s->span_arena, out->key, strlen(out->key));
    }
    sqlite3_reset(s->span);
    return rc;
}

/* ---- what belongs to one ---- */

/* The next row of the span; the first (first) of it.  1, 0, or negative. */
static int next_row(struct sl_spans *s, struct sl_span_rows *r, int64_t id, bool first, struct sl_err *err)
{
    bool all = s->in_order && !s->part;
    int rc = 1;

    if (!r->of && !(r->of = sl_store_prepare(s->st, all ? r->all : r->one, err)))
        return SL_ESTORE;
    if (!all) {
        if (first)
            sqlite3_bind_int64(r->of, 1, id);
        if ((rc = sl_store_step(s->st, r->of, err)) != 1)
            sqlite3_reset(r->of);
        return rc;
    }
    if (!first || !r->begun)
        rc = r->ended ? 0 : sl_store_step(s->st, r->of, err);
    r->begun = true;
    while (rc == 1 && !r->ended && sqlite3_column_int64(r->of, 0) < id) /* of what is no span */
        rc = sl_store_step(s->st, r->of, err);
    r->ended |= rc != 1;
    return rc < 0 ? rc : !r->ended && sqlite3_column_int64(r->of, 0) == id;
}

struct sl_exported_value sl_spans_value(sqlite3_stmt *row, int column)
{
    struct sl_exported_value v = {.type = sqlite3_column_type(row, column)};

    if (v.type == SQLITE_INTEGER) {
        v.i = sqlite3_column_int64(row, column);
        v.d = (double)v.i;
    } else if (v.type == SQLITE_FLOAT) {
        v.d = sqlite3_column_double(row, column);
    } else {
        v.type = SQLITE_TEXT;
        v.s = sl_store_text(row, column);
        v.n = (size_t)sqlite3_column_bytes(row, column);
    }
    return v;
}

static int by_name(const void *a, const void *b)
{
    const struct sl_exported_value *x = a, *y = b;
    int by = strcmp(x->name, y->name);

    if (!by)
        by = x->type - y->type;
    if (by)
        return by;
    if (x->type == SQLITE_TEXT) {
        by = memcmp(x->s, y->s, x->n < y->n ? x->n : y->n);
        return by ? by : (x->n > y->n) - (x->n < y->n);
    }
    return x->type == SQLITE_INTEGER ? (x->i > y->i) - (x->i < y->i) : (x->d > y->d) - (x->d < y->d);
}

static int add_values(struct sl_spans *s, sqlite3_stmt *row, struct sl_err *err)
{
    const char *list = sl_store_text(row, 2);
    size_t n = (size_t)sqlite3_column_bytes(row, 2);

    return sl_words_values(&s->words, sqlite3_column_int64(row, 1), sl_arena_copy(&s->values_arena, list, n), n, false,
                           &s->values_arena, &s->value, err);
}

/* Each thing once, whichever sources tell it. */
int sl_spans_values(struct sl_spans *s, const struct sl_exported_span *span, struct sl_err *err)
{
    int rc = 0;

    sl_vec_clear(&s->value);
    sl_arena_reset(&s->values_arena);
    for (bool first = true; !rc && (rc = next_row(s, &s->attributes, span->id, first, err)) == 1; first = false)
        rc = add_values(s, s->attributes.of, err);
    if (!rc && span->alike) {
        sqlite3_bind_int64(s->alike, 1, span->alike);
        if ((rc = sl_store_step(s->st, s->alike, err)) == 1)
            rc = add_values(s, s->alike, err);
        sqlite3_reset(s->alike);
    }
    if (s->value.n > 1) {
        size_t n = 1;
        qsort(s->value.v, s->value.n, sizeof *s->value.v, by_name);
        for (size_t i = 1; i < s->value.n; i++)
            if (by_name(&s->value.v[i], &s->value.v[n - 1]) != 0)
                s->value.v[n++] = s->value.v[i];
        s->value.n = n;
    }
    return rc;
}

int sl_spans_events(struct sl_spans *s, struct sl_exported_span *span, struct sl_err *err)
{
    int rc;

    sl_vec_clear(&s->event);
    for (bool first = true; (rc = next_row(s, &s->events, span->id, first, err)) == 1; first = false) {
        struct sl_exported_event e = {sqlite3_column_int64(s->events.of, 1),
                                      sl_words_name(&s->words, sqlite3_column_int64(s->events.of, 2))};
        if (!s->event.n || s->event.v[s->event.n - 1].time_ns != e.time_ns ||
            strcmp(s->event.v[s->event.n - 1].name, e.name) != 0)
            *sl_vec_add(&s->event) = e;
    }
    span->timed = s->event.n > 0;
    span->begin_ns = span->timed ? s->event.v[0].time_ns : 0;
    span->end_ns = span->timed ? s->event.v[s->event.n - 1].time_ns : 0;
    return rc;
}

int sl_spans_links(struct sl_spans *s, int64_t id, struct sl_err *err)
{
    int rc = 0;

    sl_vec_clear(&s->link);
    for (int after = 0; !rc && after <= s->outline.any_after; after++) {
        struct sl_span_rows *r = after ? &s->after : &s->links;
        for (bool first = true; (rc = next_row(s, r, id, first, err)) == 1; first = false) {
            struct sl_exported_link l = {(enum sl_link_kind)sqlite3_column_int(r->of, 1),
                                         sqlite3_column_int64(r->of, 2),
                                         sl_words_name(&s->words, sqlite3_column_int64(r->of, 3)),
                                         sqlite3_column_double(r->of, 4), sqlite3_column_type(r->of, 4) == SQLITE_NULL};
            if (l.kind >= SL_IN && l.kind <= SL_FLOW && sl_spans_index(s, l.other) != SL_NO_INDEX)
                *sl_vec_add(&s->link) = l;
        }
    }
    return rc;
}

bool sl_spans_begin_and_end(const struct sl_spans *s)
{
    size_t begins = 0, ends = 0;

    for (size_t i = 0; i < s->event.n; i++) {
        begins += !strcmp(s->event.v[i].name, "begin");
        ends += !strcmp(s->event.v[i].name, "end");
    }
    return begins == 1 && ends == 1 && !strcmp(s->event.v[0].name, "begin") &&
           !strcmp(s->event.v[s->event.n - 1].name, "end");
}

bool sl_spans_contained(struct sl_spans *s, int64_t id, int64_t *begin_ns, int64_t *end_ns)
{
    bool there;

    sqlite3_bind_int64(s->contained, 1, id);
    there = sl_store_step(s->st, s->contained, NULL) == 1 && sqlite3_column_type(s->contained, 0) != SQLITE_NULL;
    if (there) {
        *begin_ns = sqlite3_column_int64(s->contained, 0);
        *end_ns = sqlite3_column_int64(s->contained, 1);
    }
    sqlite3_reset(s->contained);
    return there;
}

bool sl_spans_reserved(const char *attribute)
{
    while (!strncmp(attribute, "args.", 5))
        attribute += 5;
    return !strncmp(attribute, "spanloom", 8) && (!attribute[8] || attribute[8] == '.');
}

const char *sl_spans_short_type(const char *type)
{
    const char *dot = strrchr(type, '.');

    return dot && dot[1] ? dot + 1 : type;
}

const char *sl_spans_label(struct sl_spans *s, const struct sl_exported_span *span, struct sl_buf *name)
{
    const char *label = sl_outline_label(&s->outline, sl_spans_index(s, span->id), true);

    if (label)
        return label;
    sl_buf_clear(name);
    sl_buf_adds(name, sl_spans_short_type(span->type));
    sl_buf_addc(name, ' ');
    sl_buf_adds(name, span->key);
    return name->s;
}
