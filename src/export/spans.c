/* SPDX-License-Identifier: Apache-2.0 */
#include "export/spans.h"
#include "base/hash.h"
#include "export_spans.sql.h"

#include <stdlib.h>

enum { IDENTITIES = 1 << 14, DEPTH = 64, NAME_DEPTH = 6 };

int sl_spans_open(struct sl_spans *s, struct sl_store *st, int64_t run, struct sl_err *err)
{
    struct {
        sqlite3_stmt **to;
        const char *sql;
    } want[] = {{&s->each, sql_each},
                {&s->span, sql_span},
                {&s->contained, sql_contained},
                {&s->events, sql_events},
                {&s->attributes, sql_attributes},
                {&s->samples, sql_samples},
                {&s->sampled, sql_sampled},
                {&s->links, sql_links},
                {&s->named, sql_named},
                {&s->around, sql_around},
                {&s->known, sql_identity}};
    int rc;

    *s = (struct sl_spans){.st = st, .identity = sl_alloc(IDENTITIES * sizeof *s->identity)};
    sl_store_exec(st, "PRAGMA cache_size = -65536", NULL); /* KiB; what is asked for lies all over the store */
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
    if (!rc)
        rc = sl_store_temporary(st, sql_names, err);
    if (!rc)
        rc = sl_store_temporary(st, sql_fill_names, err);
    for (size_t i = 0; !rc && i < sizeof want / sizeof *want; i++)
        if (!(*want[i].to = sl_store_prepare(st, want[i].sql, err)))
            rc = SL_ESTORE;
    return rc;
}

void sl_spans_close(struct sl_spans *s)
{
    sqlite3_stmt *all[] = {s->each,    s->span,  s->contained, s->events, s->attributes, s->samples,
                           s->sampled, s->links, s->named,     s->around, s->known};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sqlite3_finalize(all[i]);
    sl_vec_free(&s->value);
    sl_vec_free(&s->event);
    sl_vec_free(&s->link);
    sl_arena_free(&s->values_arena);
    sl_arena_free(&s->events_arena);
    sl_arena_free(&s->links_arena);
    sl_arena_free(&s->span_arena);
    free(s->identity);
}

static void fill(sqlite3_stmt *row, struct sl_arena *arena, struct sl_exported_span *out)
{
    const char *type = sl_store_text(row, 1), *key = sl_store_text(row, 2), *component = sl_store_text(row, 5);

    *out = (struct sl_exported_span){.id = sqlite3_column_int64(row, 0),
                                     .parent = sqlite3_column_int64(row, 3),
                                     .type_id = sqlite3_column_int64(row, 4),
                                     .timed = sqlite3_column_type(row, 6) != SQLITE_NULL,
                                     .begin_ns = sqlite3_column_int64(row, 6),
                                     .end_ns = sqlite3_column_int64(row, 7)};
    if (arena) { /* the statement is done with */
        sl_arena_reset(arena);
        type = sl_arena_copy(arena, type, strlen(type));
        key = sl_arena_copy(arena, key, strlen(key));
        component = sl_arena_copy(arena, component, strlen(component));
    }
    out->type = type;
    out->key = key;
    out->component = *component ? component : "spanloom";
}

int sl_spans_next(struct sl_spans *s, struct sl_exported_span *out, struct sl_err *err)
{
    int rc = sl_store_step(s->st, s->each, err);

    if (rc == 1)
        fill(s->each, NULL, out);
    return rc;
}

int sl_spans_get(struct sl_spans *s, int64_t id, struct sl_exported_span *out, struct sl_err *err)
{
    int rc;

    sqlite3_bind_int64(s->span, 1, id);
    rc = sl_store_step(s->st, s->span, err);
    if (rc == 1)
        fill(s->span, &s->span_arena, out);
    sqlite3_reset(s->span);
    return rc;
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

/* Each thing once, whichever sources tell it. */
int sl_spans_values(struct sl_spans *s, int64_t id, struct sl_err *err)
{
    int rc;

    sl_vec_clear(&s->value);
    sl_arena_reset(&s->values_arena);
    sqlite3_bind_int64(s->attributes, 1, id);
    while ((rc = sl_store_step(s->st, s->attributes, err)) == 1) {
        struct sl_exported_value v = sl_spans_value(s->attributes, 1);
        const char *name = sl_store_text(s->attributes, 0);
        v.name = sl_arena_copy(&s->values_arena, name, strlen(name));
        if (v.s)
            v.s = sl_arena_copy(&s->values_arena, v.s, v.n);
        *sl_vec_add(&s->value) = v;
    }
    sqlite3_reset(s->attributes);
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

int sl_spans_events(struct sl_spans *s, int64_t id, struct sl_err *err)
{
    int rc;

    sl_vec_clear(&s->event);
    sl_arena_reset(&s->events_arena);
    sqlite3_bind_int64(s->events, 1, id);
    while ((rc = sl_store_step(s->st, s->events, err)) == 1) {
        const char *name = sl_store_text(s->events, 1);
        if (s->event.n && s->event.v[s->event.n - 1].time_ns == sqlite3_column_int64(s->events, 0) &&
            !strcmp(s->event.v[s->event.n - 1].name, name))
            continue;
        *sl_vec_add(&s->event) = (struct sl_exported_event){sqlite3_column_int64(s->events, 0),
                                                            sl_arena_copy(&s->events_arena, name, strlen(name))};
    }
    sqlite3_reset(s->events);
    return rc;
}

int sl_spans_links(struct sl_spans *s, int64_t id, struct sl_err *err)
{
    int rc;

    sl_vec_clear(&s->link);
    sl_arena_reset(&s->links_arena);
    sqlite3_bind_int64(s->links, 1, id);
    while ((rc = sl_store_step(s->st, s->links, err)) == 1) {
        const char *rule = sl_store_text(s->links, 2);
        *sl_vec_add(&s->link) = (struct sl_exported_link){
            (enum sl_link_kind)sqlite3_column_int(s->links, 0), sqlite3_column_int64(s->links, 1),
            sl_arena_copy(&s->links_arena, rule, strlen(rule)), sqlite3_column_double(s->links, 3)};
    }
    sqlite3_reset(s->links);
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

bool sl_spans_sampled(struct sl_spans *s, int64_t id)
{
    bool there;

    sqlite3_bind_int64(s->sampled, 1, id);
    there = sl_store_step(s->st, s->sampled, NULL) == 1;
    sqlite3_reset(s->sampled);
    return there;
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

static bool named(struct sl_spans *s, int64_t id, int depth, struct sl_buf *name)
{
    bool found;
    SL_VEC(int64_t) around = {0};

    sqlite3_bind_int64(s->named, 1, id);
    found = sl_store_step(s->st, s->named, NULL) == 1 && *sl_store_text(s->named, 0);
    if (found) {
        sl_buf_clear(name);
        sl_buf_adds(name, sl_store_text(s->named, 0));
    }
    sqlite3_reset(s->named);
    if (found || depth == 0)
        return found;
    sqlite3_bind_int64(s->around, 1, id);
    while (sl_store_step(s->st, s->around, NULL) == 1)
        *sl_vec_add(&around) = sqlite3_column_int64(s->around, 0);
    sqlite3_reset(s->around);
    for (size_t i = 0; i < around.n && !found; i++)
        found = named(s, around.v[i], depth - 1, name);
    sl_vec_free(&around);
    return found;
}

bool sl_spans_named(struct sl_spans *s, int64_t id, bool around, struct sl_buf *name)
{
    return named(s, id, around ? NAME_DEPTH : 0, name);
}

const char *sl_spans_short_type(const char *type)
{
    const char *dot = strrchr(type, '.');

    return dot && dot[1] ? dot + 1 : type;
}

const char *sl_spans_label(struct sl_spans *s, const struct sl_exported_span *span, struct sl_buf *name)
{
    if (!named(s, span->id, NAME_DEPTH, name)) {
        sl_buf_clear(name);
        sl_buf_adds(name, sl_spans_short_type(span->type));
        sl_buf_addc(name, ' ');
        sl_buf_adds(name, span->key);
    }
    return name->s;
}

/* The UUID that a text begins with, as two words; a run id is one. */
static bool uuid(const char *s, uint64_t to[2])
{
    int digits = 0;

    to[0] = to[1] = 0;
    for (int i = 0; i < 36; i++) {
        static const char hex[] = "0123456789abcdef";
        const char *digit = s[i] ? strchr(hex, s[i]) : NULL;
        if (i == 8 || i == 13 || i == 18 || i == 23) {
            if (s[i] != '-')
                return false;
            continue;
        }
        if (!digit)
            return false;
        to[digits / 16] = to[digits / 16] << 4 | (uint64_t)(digit - hex);
        digits++;
    }
    return !s[36] || s[36] == '/';
}

static struct sl_exported_identity identity(struct sl_spans *s, int64_t id, int depth, struct sl_err *err)
{
    struct sl_identity_slot *slot = &s->identity[(uint64_t)id % IDENTITIES];
    struct sl_exported_identity is = {{0, 1}, 1};
    const char *type, *key;
    uint64_t own, hash;
    int64_t parent;

    if (slot->id == id)
        return slot->is;
    sqlite3_bind_int64(s->known, 1, id);
    if (sl_store_step(s->st, s->known, err) != 1) {
        sqlite3_reset(s->known);
        return is;
    }
    type = sl_store_text(s->known, 0);
    key = sl_store_text(s->known, 1);
    parent = sqlite3_column_int64(s->known, 2);
    hash = XXH3_64bits(type, strlen(type));
    own = XXH3_64bits_withSeed(key, strlen(key), hash);
    if (!parent && !uuid(key, is.trace)) {
        XXH128_hash_t h = XXH3_128bits_withSeed(key, strlen(key), hash);
        is.trace[0] = h.high64;
        is.trace[1] = h.low64 | 1; /* never zero */
    }
    sqlite3_reset(s->known);
    is.span = own;
    if (parent && depth < DEPTH) {
        is = identity(s, parent, depth + 1, err);
        is.span = sl_hash_mix(own, is.span);
    }
    is.span += !is.span;
    *slot = (struct sl_identity_slot){id, is};
    return is;
}

struct sl_exported_identity sl_spans_identity(struct sl_spans *s, int64_t id, struct sl_err *err)
{
    return identity(s, id, 0, err);
}
