/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes that many records of a source have in common (`alike:` of a rule) are kept once, in sl_alike.  The row of
 * a span has room for those of the record that made it; of a span that was there they are kept as all others are.
 */
#include "base/mem.h"
#include "writer/writer_internal.h"

#include <stdlib.h>

enum { MOST = 64 * 1024 }; /* of a source: beyond, its records are not alike */

/* In sl_alikes.known: the shape, then the values. */
static uint32_t shape_of(const struct sl_alikes *a, uint32_t id)
{
    uint32_t shape;

    memcpy(&shape, sl_intern_text(&a->known, id - a->first), sizeof shape);
    return shape;
}

/* Its id of the store; 0: there are too many. */
static uint32_t find(struct sl_writer *w, uint32_t source, uint32_t shape, const struct sl_batch_values *v)
{
    struct sl_alikes *a = &w->alikes;
    uint32_t at;

    if (a->source != source) { /* those of the last one are written: a batch is of one source */
        sl_intern_free(&a->known);
        *a = (struct sl_alikes){.text = a->text, .source = source, .first = w->next_alike};
    }
    sl_buf_clear(&a->text);
    sl_buf_add(&a->text, (const char *)&shape, sizeof shape);
    sl_buf_add(&a->text, v->json, v->n);
    at = a->known.of.n < MOST ? sl_intern(&a->known, a->text.s, a->text.n)
                              : sl_intern_find(&a->known, a->text.s, a->text.n);
    w->next_alike = a->first + (uint32_t)a->known.of.n;
    return at ? a->first + at : 0;
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

int sl_alike_values(struct sl_writer *w, const struct sl_batch *b, size_t i, uint32_t source, struct sl_err *err)
{
    const struct sl_batch_values *v = &b->attrs.v[i], *rest = v + 1;
    struct sl_span_row *r = w->made.v[v->span] ? &w->spans.v[w->made.v[v->span] - 1] : NULL;
    uint32_t shape, id = 0;
    int rc = sl_write_shape(w, v->shape, &shape, err);

    if (rc)
        return rc;
    if (i + 1 == b->attrs.n || rest->alike || rest->span != v->span || rest->place != v->place)
        rest = NULL;
    if (r && !sl_set_has(&w->handles, shape) &&
        (!r->alike || (r->place == v->place && shape_of(&w->alikes, r->alike) == shape)))
        id = find(w, source, shape, v);
    if (!id) {
        rc = together(w, *v, rest, source, err);
        return rc ? rc : rest ? 2 : 1;
    }
    r->alike = id;
    r->place = v->place;
    sl_merge_seen(w, v->span, shape);
    return 1;
}

static void column(const void *of, size_t row, int col, sqlite3_context *out)
{
    const struct sl_alikes *a = of;
    uint32_t at = (uint32_t)(a->written + row + 1), id = a->first + at;

    switch (col) {
    case 0: sqlite3_result_int64(out, id); break;
    case 1: sqlite3_result_int64(out, a->source); break;
    case 2: sqlite3_result_int64(out, shape_of(a, id)); break;
    case 3:
        sqlite3_result_text(out, sl_intern_text(&a->known, at) + sizeof(uint32_t),
                            (int)(sl_intern_len(&a->known, at) - sizeof(uint32_t)), SQLITE_STATIC);
        break;
    }
}

int sl_alike_flush(struct sl_writer *w, struct sl_err *err)
{
    struct sl_alikes *a = &w->alikes;
    struct sl_rows rows = {a->known.of.n - a->written, a, column};
    int rc = sl_store_insert(w->st, "INSERT INTO sl_alike SELECT c0, c1, c2, c3 FROM sl_rows", &rows, err);

    a->written = a->known.of.n;
    return rc;
}
