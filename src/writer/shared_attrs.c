/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes that many records of a source have in common (`alike:` of a rule) are kept once, in sl_alike.  The row of
 * a span has room for those of the record that made it; of a span that was there they are kept as all others are.
 */
#include "base/mem.h"
#include "writer/writer_internal.h"

#include <stdlib.h>

enum { MOST = 64 * 1024 }; /* of a source: beyond, its records are not alike */

/* The index of these values, new if need be; 0: there are too many. */
static uint32_t intern(struct sl_shared_attrs *a, uint32_t shape, const char *json, size_t n)
{
    sl_buf_clear(&a->text);
    sl_buf_add(&a->text, (const char *)&shape, sizeof shape);
    sl_buf_add(&a->text, json, n);
    return a->known.of.n < MOST ? sl_intern(&a->known, a->text.s, a->text.n)
                                : sl_intern_find(&a->known, a->text.s, a->text.n);
}

static int load(void *of, sqlite3_stmt *q, struct sl_err *err)
{
    struct sl_shared_attrs *a = of;
    const char *json = sl_store_text(q, 2);

    (void)err;
    if (intern(a, (uint32_t)sqlite3_column_int64(q, 1), json, (size_t)sqlite3_column_bytes(q, 2)) > a->id.n)
        *sl_vec_add(&a->id) = (uint32_t)sqlite3_column_int64(q, 0);
    return 0;
}

/* *id of the store; 0: there are too many. */
static int find(struct sl_writer *w, uint32_t source, uint32_t shape, const struct sl_batch_values *v, uint32_t *id,
                struct sl_err *err)
{
    struct sl_shared_attrs *a = &w->shared;
    uint32_t at;
    int rc = 0;

    if (a->source != source) { /* those of the last one are written: a batch is of one source */
        sl_intern_free(&a->known);
        sl_vec_clear(&a->id);
        a->source = source;
        if (source <= a->stored)
            rc = sl_store_each(w->st, "SELECT id, shape, vals FROM sl_alike WHERE source = ?1 ORDER BY id", load, a,
                               err, "i", (int64_t)source);
        a->written = a->id.n;
    }
    at = intern(a, shape, v->json, v->n);
    if (at > a->id.n)
        *sl_vec_add(&a->id) = ++w->next_alike;
    *id = at ? a->id.v[at - 1] : 0;
    return rc;
}

/* One row of sl_attr, as if the rule had not said that they are alike. */
static int together(struct sl_writer *w, struct sl_batch_values v, const struct sl_batch_values *rest, uint32_t source,
                    struct sl_err *err)
{
    struct sl_buf names = {0}, json = {0};
    int rc;

    if (!rest)
        return sl_merge_attrs(w, &v, source, err);
    pthread_mutex_lock(&w->set->lock);
    sl_buf_add(&names, sl_intern_text(&w->set->shapes, v.shape), sl_intern_len(&w->set->shapes, v.shape));
    sl_buf_add(&names, sl_intern_text(&w->set->shapes, rest->shape), sl_intern_len(&w->set->shapes, rest->shape));
    pthread_mutex_unlock(&w->set->lock);
    sl_buf_add(&json, v.json, v.n - 1); /* [1,2] and [3] */
    sl_buf_addc(&json, ',');
    sl_buf_add(&json, rest->json + 1, rest->n - 1);
    v.shape = sl_recipes_shape(w->set, names.s, names.n);
    v.json = json.s;
    v.n = (uint32_t)json.n;
    rc = sl_merge_attrs(w, &v, source, err);
    sl_buf_free(&names);
    sl_buf_free(&json);
    return rc;
}

int sl_shared_attrs_keep(struct sl_writer *w, const struct sl_batch *b, size_t i, uint32_t source, struct sl_err *err)
{
    const struct sl_batch_values *v = &b->attrs.v[i], *rest = v + 1;
    struct sl_span_row *r = w->made.v[v->span] ? &w->spans.v[w->made.v[v->span] - 1] : NULL;
    uint32_t shape, id = 0;
    int rc = sl_write_shape(w, v->shape, &shape, err);

    if (rc)
        return rc;
    if (i + 1 == b->attrs.n || rest->alike || rest->span != v->span || rest->place != v->place)
        rest = NULL;
    if (r && !sl_set_has(&w->handles, shape) && (!r->alike || (r->place == v->place && r->shape == shape)) &&
        (rc = find(w, source, shape, v, &id, err)))
        return rc;
    if (!id) {
        rc = together(w, *v, rest, source, err);
        return rc ? rc : rest ? 2 : 1;
    }
    r->alike = id;
    r->shape = shape;
    r->place = v->place;
    sl_merge_seen(w, v->span, shape);
    return 1;
}

static void column(const void *of, size_t row, int col, sqlite3_context *out)
{
    const struct sl_shared_attrs *a = of;
    const char *text = sl_intern_text(&a->known, (uint32_t)(a->written + row + 1));
    size_t n = sl_intern_len(&a->known, (uint32_t)(a->written + row + 1));
    uint32_t shape;

    memcpy(&shape, text, sizeof shape);
    switch (col) {
    case 0: sqlite3_result_int64(out, a->id.v[a->written + row]); break;
    case 1: sqlite3_result_int64(out, a->source); break;
    case 2: sqlite3_result_int64(out, shape); break;
    case 3: sqlite3_result_text(out, text + sizeof shape, (int)(n - sizeof shape), SQLITE_STATIC); break;
    }
}

int sl_shared_attrs_flush(struct sl_writer *w, struct sl_err *err)
{
    struct sl_shared_attrs *a = &w->shared;
    struct sl_row_source rows = {a->known.of.n - a->written, a, column};
    int rc = sl_store_insert(w->st, "INSERT INTO sl_alike SELECT c0, c1, c2, c3 FROM sl_rows", &rows, err);

    a->written = a->known.of.n;
    return rc;
}
