/* SPDX-License-Identifier: Apache-2.0 */
/* The beginning of an import: what the store knows already. */
#include "store/retract.h"
#include "writer/lookup.h"

static int load_name(void *of, sqlite3_stmt *q, struct sl_err *err)
{
    struct sl_writer *w = of;
    uint32_t id = (uint32_t)sqlite3_column_int64(q, 0);
    uint32_t known = (uint32_t)w->stored_names.of.n;
    const char *name = sl_store_text(q, 1);

    if (sl_intern(&w->stored_names, name, (size_t)sqlite3_column_bytes(q, 1)) <= known)
        return sl_store_damaged(w->st, "sl_name", name, "name, told before,", err);
    *sl_vec_add(&w->stored_name_id) = id;
    if (id > w->next_name)
        w->next_name = id;
    return 0;
}

static int load_shapes(struct sl_writer *w, struct sl_err *err)
{
    sqlite3_stmt *q = sl_store_prepare(w->st, "SELECT id, name FROM sl_shape ORDER BY id, pos", err);
    struct sl_buf names = {0};
    uint32_t now = 0;
    int rc = q ? 0 : SL_ESTORE, more = 1;

    while (!rc && more) {
        uint32_t id = 0;
        more = sl_store_step(w->st, q, err);
        if (more < 0) {
            rc = more;
            break;
        }
        if (more)
            id = (uint32_t)sqlite3_column_int64(q, 0);
        if (id != now && now) {
            if (sl_intern(&w->stored_shapes, names.s, names.n) > w->stored_shape_id.n) /* else a shape told twice */
                *sl_vec_add(&w->stored_shape_id) = now;
            w->next_shape = now;
            sl_buf_clear(&names);
        }
        now = id;
        if (more)
            sl_buf_add(&names, sl_store_text(q, 1), strlen(sl_store_text(q, 1)) + 1);
    }
    sqlite3_finalize(q);
    sl_buf_free(&names);
    return rc;
}

static void free_writer(struct sl_writer *w)
{
    sl_set_free(&w->seen);
    sl_set_free(&w->roots);
    sl_set_free(&w->weak_roots);
    sl_set_free(&w->touched);
    sl_set_free(&w->handles);
    sl_set_free(&w->written);
    sl_ids_free(&w->ids);
    sl_intern_free(&w->stored_names);
    sl_intern_free(&w->stored_shapes);
    sl_vec_free(&w->stored_name_id);
    sl_vec_free(&w->stored_shape_id);
    sl_vec_free(&w->name_id);
    sl_vec_free(&w->shape_id);
    sl_vec_free(&w->new_names);
    sl_vec_free(&w->spans);
    sl_vec_free(&w->events);
    sl_vec_free(&w->links);
    sl_vec_free(&w->attrs);
    sl_vec_free(&w->samples);
    sl_arena_free(&w->values);
    sl_vec_free(&w->deferred);
    sl_vec_free(&w->deferred_samples);
    sl_arena_free(&w->deferred_values);
    sl_vec_free(&w->weak);
    sl_vec_free(&w->again);
    sl_zones_free(&w->zones);
    sl_vec_free(&w->local);
    sl_vec_free(&w->redo);
    sl_vec_free(&w->risen);
    sl_vec_free(&w->needed);
    sl_vec_free(&w->made);
    sl_intern_free(&w->shared.known);
    sl_vec_free(&w->shared.id);
    sl_buf_free(&w->shared.text);
    for (size_t i = 0; i < w->tails.n; i++)
        sl_vec_free(&w->tails.v[i].spans);
    sl_vec_free(&w->tails);
    sl_lookup_close(w);
    free(w);
}

void sl_writer_abandon(struct sl_writer *w)
{
    sl_store_rollback(w->st);
    free_writer(w);
}

struct sl_writer *sl_writer_new(struct sl_store *st, struct sl_recipes *set, int32_t zone_s, struct sl_err *err)
{
    struct sl_writer *w = sl_alloc(sizeof *w);
    int rc = sl_retract_begin(st, err);

    w->st = st;
    w->set = set;
    w->zone_s = zone_s;
    w->next_source = (uint32_t)sl_store_int(st, "SELECT max(id) FROM sl_source", 0);
    w->shared.stored = w->next_source;
    w->next_alike = (uint32_t)sl_store_int(st, "SELECT max(id) FROM sl_alike", 0);
    if (!rc)
        rc = sl_store_each(st, "SELECT id, name FROM sl_name", load_name, w, err, "");
    if (!rc)
        rc = load_shapes(w, err);
    if (!rc)
        rc = sl_lookup_open(w, err);
    if (rc) {
        sl_writer_abandon(w);
        return NULL;
    }
    return w;
}

int sl_writer_start(struct sl_writer *w, struct sl_err *err)
{
    int rc = w->redo.n ? sl_retract_rows(w->st, &w->waiting, err) : 0;

    if (!rc)
        rc = sl_lookup_tails(w, err);
    return rc;
}

int sl_writer_finish(struct sl_writer *w, struct sl_err *err)
{
    int rc = sl_retract_end(w->st, err);

    if (!rc)
        rc = sl_store_exec(w->st, "DROP TABLE IF EXISTS temp.sl_deferred", err);
    if (rc)
        sl_store_rollback(w->st);
    free_writer(w); /* building the indexes wants memory, too */
    return rc;
}

const struct sl_writer_counts *sl_writer_counts(const struct sl_writer *w)
{
    return &w->counts;
}
