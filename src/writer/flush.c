/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows to tables.  Rows are gathered, sorted by the table's key and handed to SQLite in one INSERT ... SELECT each,
 * which is what makes a million events a second possible.
 */
#include "writer/writer_internal.h"
#include "writer_flush.sql.h"

#include <stdio.h>
#include <stdlib.h>

enum { FLUSH_EVENTS = 64 * 1024, FLUSH_ROWS = 32 * 1024, FLUSH_BYTES = 16 << 20 };

/* ---- names and shapes ---- */

static void set_at(void *vec, uint32_t i, uint32_t value)
{
    SL_VEC(uint32_t) *v = vec;

    while (v->n <= i)
        sl_vec_add(v);
    v->v[i] = value;
}

uint32_t sl_write_name(struct sl_writer *w, uint32_t name)
{
    const char *s;
    size_t n;
    uint32_t at;

    if (!name)
        return 0;
    if (name < w->name_id.n && w->name_id.v[name])
        return w->name_id.v[name];
    pthread_mutex_lock(&w->set->lock); /* the parsing threads may be adding */
    s = sl_intern_text(&w->set->names, name);
    n = sl_intern_len(&w->set->names, name);
    pthread_mutex_unlock(&w->set->lock);
    at = sl_intern(&w->stored_names, s, n);
    if (at > w->stored_name_id.n) {
        *sl_vec_add(&w->stored_name_id) = ++w->next_name;
        *sl_vec_add(&w->new_names) = (typeof(*w->new_names.v)){w->next_name, s, n};
    }
    set_at(&w->name_id, name, w->stored_name_id.v[at - 1]);
    return w->stored_name_id.v[at - 1];
}

static int insert_shape(struct sl_writer *w, uint32_t id, const char *s, size_t n, struct sl_err *err)
{
    sqlite3_stmt *q = sl_store_prepare(w->st, "INSERT INTO sl_shape VALUES (?, ?, ?, ?)", err);
    const char *end = s + n;
    int rc = q ? 0 : SL_ESTORE;

    for (int pos = 0; s < end && !rc; s += strlen(s) + 1, pos++) {
        char path[32];
        snprintf(path, sizeof path, "$[%d]", pos);
        sqlite3_bind_int64(q, 1, id);
        sqlite3_bind_int(q, 2, pos);
        sqlite3_bind_text(q, 3, s, -1, SQLITE_STATIC);
        sqlite3_bind_text(q, 4, path, -1, SQLITE_TRANSIENT);
        rc = sl_store_write(w->st, q, err);
    }
    sqlite3_finalize(q);
    return rc;
}

/* Has the shape, a list of names, one by whose value traced processes and calls name each other? */
static bool names_spans(const char *s, size_t n)
{
    static const char *const handle[] = {"span_id",   "child_pid", "flow_in", "flow_out",
                                         "parent_id", "pid",       "ppid",    "instance_path"};

    for (const char *end = s + n; s < end; s += strlen(s) + 1)
        for (size_t i = 0; i < sizeof handle / sizeof *handle; i++)
            if (!strcmp(s, handle[i]))
                return true;
    return false;
}

int sl_write_shape(struct sl_writer *w, uint32_t shape, uint32_t *id, struct sl_err *err)
{
    const char *s;
    size_t n;
    uint32_t at;

    if (shape < w->shape_id.n && w->shape_id.v[shape]) {
        *id = w->shape_id.v[shape];
        return 0;
    }
    pthread_mutex_lock(&w->set->lock);
    s = sl_intern_text(&w->set->shapes, shape);
    n = sl_intern_len(&w->set->shapes, shape);
    pthread_mutex_unlock(&w->set->lock);
    at = sl_intern(&w->stored_shapes, s, n);
    if (at > w->stored_shape_id.n) {
        int rc = insert_shape(w, ++w->next_shape, s, n, err);
        if (rc)
            return rc;
        *sl_vec_add(&w->stored_shape_id) = w->next_shape;
    }
    *id = w->stored_shape_id.v[at - 1];
    set_at(&w->shape_id, shape, *id);
    if (names_spans(s, n))
        sl_set_add(&w->handles, *id);
    return 0;
}

/* ---- rows to tables ---- */

void sl_write_key(sqlite3_context *out, struct sl_key k)
{
    char digits[32];

    if (k.n != SL_KEY_INT) {
        size_t ok = sl_utf8_valid(k.s, k.n);
        if (ok == k.n) {
            sqlite3_result_text(out, k.s, (int)k.n, SQLITE_STATIC);
        } else {
            struct sl_buf b = {0};
            sl_buf_add_utf8(&b, k.s, k.n);
            sqlite3_result_text(out, b.s, (int)b.n, SQLITE_TRANSIENT);
            sl_buf_free(&b);
        }
    } else {
        sqlite3_result_text(out, digits, (int)sl_int_text(k.i, digits), SQLITE_TRANSIENT);
    }
}

static void span_column(const void *of, size_t row, int col, sqlite3_context *out)
{
    const struct sl_writer *w = of;
    const struct sl_span_row *r = &w->spans.v[row];
    const struct sl_id *s = &w->ids.v[r->index];

    switch (col) {
    case 0: sqlite3_result_int64(out, r->id); break;
    case 1: sqlite3_result_int64(out, w->name_id.v[s->type & SL_ID_TYPE]); break;
    case 2: sl_write_key(out, sl_ids_key(s)); break;
    case 3:
        if (s->parent)
            sqlite3_result_int64(out, w->ids.v[s->parent - 1].store);
        break;
    case 4: sqlite3_result_int64(out, r->source); break;
    case 5:
        if (r->alike)
            sqlite3_result_int64(out, r->place);
        break;
    case 6:
        if (r->alike)
            sqlite3_result_int64(out, r->alike);
        break;
    }
}

static void event_column(const void *of, size_t row, int col, sqlite3_context *out)
{
    const struct sl_event_row *r = &((const struct sl_writer *)of)->events.v[row];

    switch (col) {
    case 0: sqlite3_result_int64(out, r->span); break;
    case 1: sqlite3_result_int64(out, r->time_ns); break;
    case 2: sqlite3_result_int64(out, r->type); break;
    case 3: sqlite3_result_int64(out, r->source); break;
    case 4: sqlite3_result_int64(out, r->place); break;
    case 5:
        if (r->zone)
            sqlite3_result_int64(out, r->zone);
        break;
    }
}

static void link_column(const void *of, size_t row, int col, sqlite3_context *out)
{
    const struct sl_link_row *r = &((const struct sl_writer *)of)->links.v[row];

    switch (col) {
    case 0: sqlite3_result_int64(out, r->left); break;
    case 1: sqlite3_result_int64(out, r->kind); break;
    case 2: sqlite3_result_int64(out, r->right); break;
    case 3: sqlite3_result_int64(out, r->rule); break;
    case 4:
        if (r->source)
            sqlite3_result_int64(out, r->source);
        break;
    case 5:
        if (r->source)
            sqlite3_result_int64(out, r->place);
        break;
    case 6:
        if (r->weak)
            sqlite3_result_int(out, r->weak);
        break;
    }
}

static void values_column(const struct sl_values_row *r, int col, sqlite3_context *out)
{
    switch (col) {
    case 0: sqlite3_result_int64(out, r->span); break;
    case 1: sqlite3_result_int64(out, r->shape); break;
    case 2: sqlite3_result_int64(out, r->source); break;
    case 3: sqlite3_result_int64(out, r->place); break;
    case 4: sqlite3_result_text(out, r->json, (int)r->n, SQLITE_STATIC); break;
    case 5: sqlite3_result_int64(out, r->time_ns); break;
    case 6:
        if (r->zone)
            sqlite3_result_int64(out, r->zone);
        break;
    }
}

static void attr_column(const void *of, size_t row, int col, sqlite3_context *out)
{
    values_column(&((const struct sl_writer *)of)->attrs.v[row], col, out);
}

static void sample_column(const void *of, size_t row, int col, sqlite3_context *out)
{
    values_column(&((const struct sl_writer *)of)->samples.v[row], col, out);
}

#define CMP(a, b) ((a) < (b) ? -1 : (a) > (b))

static int compare_attrs(const void *x, const void *y)
{
    const struct sl_values_row *a = x, *b = y;
    int c = CMP(a->span, b->span);
    if (!c)
        c = CMP(a->time_ns, b->time_ns);
    if (!c)
        c = CMP(a->shape, b->shape);
    if (!c)
        c = CMP(a->source, b->source);
    return c ? c : CMP(a->place, b->place);
}

static int flush_names(struct sl_writer *w, struct sl_err *err)
{
    sqlite3_stmt *q;
    int rc = 0;

    if (!w->new_names.n)
        return 0;
    q = sl_store_prepare(w->st, "INSERT INTO sl_name VALUES (?, ?)", err);
    if (!q)
        return SL_ESTORE;
    for (size_t i = 0; i < w->new_names.n && !rc; i++) {
        sqlite3_bind_int64(q, 1, w->new_names.v[i].id);
        sqlite3_bind_text(q, 2, w->new_names.v[i].s, (int)w->new_names.v[i].n, SQLITE_STATIC);
        rc = sl_store_write(w->st, q, err);
    }
    sqlite3_finalize(q);
    sl_vec_clear(&w->new_names);
    return rc;
}

static int flush_spans(struct sl_writer *w, struct sl_err *err)
{
    struct sl_row_source rows = {w->spans.n, w, span_column};
    int rc = sl_store_insert(w->st,
                             "INSERT INTO sl_span (id, type, key, parent, source, place, alike) SELECT c0, c1, c2, c3, "
                             "c4, c5, c6 FROM sl_rows",
                             &rows, err);
    sl_vec_clear(&w->spans);
    return rc;
}

int sl_write_ghosts(struct sl_writer *w, struct sl_err *err)
{
    struct sl_row_source rows = {w->spans.n, w, span_column};
    int rc = sl_store_insert(w->st, "INSERT OR IGNORE INTO sl_ghost SELECT c0, c1, c2, c3 FROM sl_rows", &rows, err);
    sl_vec_clear(&w->spans);
    return rc;
}

static int flush_events(struct sl_writer *w, struct sl_err *err)
{
    struct sl_row_source rows = {w->events.n, w, event_column};
    int rc;

    if (!w->events.n)
        return 0;
    sl_sort_events(w->events.v, w->events.n);
    rc =
        sl_store_insert(w->st, "INSERT OR IGNORE INTO sl_event SELECT c0, c1, c2, c3, c4, c5 FROM sl_rows", &rows, err);
    w->counts.events += (uint64_t)sqlite3_changes64(w->st->db);
    sl_vec_clear(&w->events);
    return rc;
}

static int flush_links(struct sl_writer *w, struct sl_err *err)
{
    struct sl_row_source rows = {w->links.n, w, link_column};
    size_t added;
    int rc;

    if (!w->links.n)
        return 0;
    sl_sort_links(w->links.v, w->links.n);
    rc = sl_store_insert(w->st, sql_flush_links, &rows, err);
    added = (size_t)sqlite3_changes64(w->st->db);
    w->counts.links += added;
    if (!rc && added < rows.n) /* who else asserts them */
        rc = sl_store_insert(w->st, sql_insert_link_also, &rows, err);
    sl_vec_clear(&w->links);
    return rc;
}

/* Of the attributes, once they are written, those by which others name spans; how many. */
static size_t keep_handles(struct sl_writer *w)
{
    size_t n = 0;

    for (size_t i = 0; i < w->attrs.n && w->handles.v.n; i++)
        if (sl_set_has(&w->handles, w->attrs.v[i].shape))
            w->attrs.v[n++] = w->attrs.v[i];
    return n;
}

static int flush_values(struct sl_writer *w, struct sl_err *err)
{
    struct sl_row_source a = {w->attrs.n, w, attr_column}, s = {w->samples.n, w, sample_column};
    int rc;

    if (w->attrs.n)
        qsort(w->attrs.v, w->attrs.n, sizeof *w->attrs.v, compare_attrs);
    if (w->samples.n)
        qsort(w->samples.v, w->samples.n, sizeof *w->samples.v, compare_attrs);
    rc = sl_store_insert(w->st, "INSERT OR REPLACE INTO sl_attr SELECT c0, c1, c2, c3, c4 FROM sl_rows", &a, err);
    if (!rc && (a.n = keep_handles(w)))
        rc = sl_store_insert(w->st, sql_flush_handles, &a, err);
    if (!rc)
        rc = sl_store_insert(w->st, sql_flush_values, &s, err);
    sl_vec_clear(&w->attrs);
    sl_vec_clear(&w->samples);
    sl_arena_reset(&w->values);
    return rc;
}

int sl_write_flush(struct sl_writer *w, bool all, struct sl_err *err)
{
    int rc = flush_names(w, err);

    if (!rc)
        rc = sl_shared_attrs_flush(w, err);
    if (!rc && (all || w->spans.n > FLUSH_ROWS))
        rc = flush_spans(w, err);
    if (!rc && (all || w->events.n > FLUSH_EVENTS))
        rc = flush_events(w, err);
    if (!rc && (all || w->links.n > FLUSH_ROWS))
        rc = flush_links(w, err);
    if (!rc && (all || w->attrs.n + w->samples.n > FLUSH_ROWS || w->values.bytes > FLUSH_BYTES))
        rc = flush_values(w, err);
    return rc;
}
