/* SPDX-License-Identifier: Apache-2.0 */
/* The beginning of an import, what the store knows already, and the end of a writer. */
#include "store/dedup.h"
#include "store/retract.h"
#include "writer/writer_internal.h"
#include "writer_open.sql.h"

#include <stdio.h>
#include <stdlib.h>

/* Ids above are no import's; it counts up from the last. */
static const int64_t LAST_ID = 4000000000;

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

uint32_t sl_load_index(const struct sl_writer *w, uint32_t store)
{
    uint32_t lo = 0, hi = w->first_new;

    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (w->ids.v[mid].store < store)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < w->first_new && w->ids.v[lo].store == store ? lo : UINT32_MAX;
}

/* The span that a column names; UINT32_MAX: none that is known. */
static uint32_t column_index(const struct sl_writer *w, sqlite3_stmt *q, int column)
{
    int64_t id = sqlite3_column_int64(q, column);

    return id < 0 || id > UINT32_MAX ? UINT32_MAX : sl_load_index(w, (uint32_t)id);
}

struct span_row {
    uint32_t id, type, parent;
};

/* Reads the row at hand; what of it no import writes, NULL: nothing. */
static const char *read_span(const struct sl_writer *w, sqlite3_stmt *q, const uint32_t *set_name, size_t names,
                             struct span_row *out)
{
    int64_t id = sqlite3_column_int64(q, 0), type = sqlite3_column_int64(q, 1);
    bool root = sqlite3_column_type(q, 3) == SQLITE_NULL;

    if (id <= w->next_span || id > LAST_ID)
        return "id";
    if (type < 0 || (uint64_t)type >= names || !set_name[type])
        return "type";
    if (sqlite3_column_type(q, 2) == SQLITE_NULL)
        return "key";
    *out = (struct span_row){(uint32_t)id, set_name[type], root ? UINT32_MAX : column_index(w, q, 3)};
    return root || out->parent != UINT32_MAX ? NULL : "parent";
}

static int load_spans(struct sl_writer *w, struct sl_err *err)
{
    sqlite3_stmt *q = sl_store_prepare(w->st, sql_load_spans, err);
    SL_VEC(uint32_t) set_name = {0}; /* id in the store -> id in the set */
    int rc = q ? 0 : SL_ESTORE;

    for (size_t i = 0; i < w->stored_name_id.n; i++) {
        uint32_t id = w->stored_name_id.v[i];
        while (set_name.n <= id)
            sl_vec_add(&set_name);
        set_name.v[id] = sl_intern(&w->set->names, sl_intern_text(&w->stored_names, (uint32_t)i + 1),
                                   sl_intern_len(&w->stored_names, (uint32_t)i + 1));
    }
    while (!rc && (rc = sl_store_step(w->st, q, err)) > 0) {
        int64_t id = sqlite3_column_int64(q, 0);
        struct span_row row;
        const char *fault;
        uint32_t at, before = w->ids.n;
        rc = 0;
        if ((id <= 0 || id > LAST_ID) && sqlite3_column_type(q, 5) == SQLITE_INTEGER && !sqlite3_column_int64(q, 5))
            continue; /* a dnpcsql user's, who chose it; no record names it */
        w->first_new = w->ids.n;
        if ((fault = read_span(w, q, set_name.v, set_name.n, &row))) {
            char text[24];
            snprintf(text, sizeof text, "%lld", (long long)id);
            rc = sl_store_damaged(w->st, sqlite3_column_int(q, 4) ? "sl_span" : "sl_ghost", text, fault, err);
            break;
        }
        w->next_span = row.id;
        at = sl_ids_add(&w->ids, row.parent, row.type,
                        sl_key_of(sl_store_text(q, 2), (size_t)sqlite3_column_bytes(q, 2)));
        if (w->ids.n == before)
            continue; /* a dnpcsql user's span of the same name; ours comes first */
        w->ids.v[at].store = row.id;
        if (sqlite3_column_int(q, 4))
            w->ids.v[at].type |= SL_ID_REAL;
        else
            *sl_vec_add(&w->loaded_ghosts) = at;
    }
    w->first_new = w->ids.n;
    sqlite3_finalize(q);
    sl_vec_free(&set_name);
    return rc;
}

static int load_facet(void *of, sqlite3_stmt *q, struct sl_err *err)
{
    struct sl_writer *w = of;
    uint32_t a = column_index(w, q, 0), b = column_index(w, q, 1);

    (void)err;
    if (a != UINT32_MAX && b != UINT32_MAX)
        sl_ids_pair(&w->ids, a, b);
    return 0;
}

/* Zones that records taught stay; assumed ones are open to better knowledge. */
static int load_zone(void *of, sqlite3_stmt *q, struct sl_err *err)
{
    struct sl_writer *w = of;
    uint32_t id = (uint32_t)sqlite3_column_int64(q, 0), root = column_index(w, q, 1);
    const char *how = sl_store_text(q, 4);
    struct sl_zone_steps *z = root == UINT32_MAX ? NULL : sl_zones_get(&w->zones, root);

    (void)err;
    if (id > w->next_zone)
        w->next_zone = id;
    if (root == UINT32_MAX)
        return 0;
    if (!z) {
        z = sl_zones_set(&w->zones, root, 0, "learned", strcmp(how, "assumed") != 0 && strcmp(how, "given") != 0);
        z->how = !strcmp(how, "facet")      ? "facet"
                 : !strcmp(how, "inferred") ? "inferred"
                 : !strcmp(how, "given")    ? "given"
                 : !strcmp(how, "assumed")  ? "assumed"
                                            : "learned";
        sl_vec_clear(&z->step);
    }
    *sl_vec_add(&z->step) =
        (struct sl_zone_step){sqlite3_column_int64(q, 2), sqlite3_column_int64(q, 5), sqlite3_column_int(q, 3), id};
    return 0;
}

static int load_weak(void *of, sqlite3_stmt *q, struct sl_err *err)
{
    struct sl_writer *w = of;
    uint32_t a = column_index(w, q, 0), b = column_index(w, q, 2);

    (void)err;
    if (a != UINT32_MAX && b != UINT32_MAX)
        *sl_vec_add(&w->weak) = (struct sl_weak){
            .left = a,
            .right = b,
            .rule = sl_intern(&w->set->names, sl_store_text(q, 3), (size_t)sqlite3_column_bytes(q, 3)),
            .kind = (uint32_t)sqlite3_column_int(q, 1) & 15,
            .weak = (uint32_t)sqlite3_column_int(q, 6) & 3,
            .source = (uint32_t)sqlite3_column_int64(q, 4),
            .place = sqlite3_column_int64(q, 5),
        };
    return 0;
}

static void free_writer(struct sl_writer *w)
{
    sl_set_free(&w->seen);
    sl_set_free(&w->roots);
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
    sl_vec_free(&w->loaded_ghosts);
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
    if (!rc)
        rc = sl_retract_bindings(st, err);
    w->next_source = (uint32_t)sl_store_int(st, "SELECT max(id) FROM sl_source", 0);
    w->waiting = sl_dedup_waiting(st);
    if (!rc && w->waiting)
        rc = sl_dedup_join(st, err);
    if (!rc)
        rc = sl_store_each(st, "SELECT id, name FROM sl_name", load_name, w, err, "");
    if (!rc)
        rc = load_shapes(w, err);
    if (!rc)
        rc = load_spans(w, err);
    if (!rc)
        rc = sl_store_each(st, sql_load_facets, load_facet, w, err, "");
    if (!rc)
        rc = sl_store_each(st, sql_load_zones, load_zone, w, err, "");
    if (rc) {
        sl_writer_abandon(w);
        return NULL;
    }
    return w;
}

int sl_writer_start(struct sl_writer *w, struct sl_err *err)
{
    int rc = w->redo.n ? sl_retract_rows(w->st, err) : 0;

    if (!rc && w->first_new)
        rc = sl_store_each(w->st, sql_load_weak, load_weak, w, err, "");
    return !rc && w->first_new ? sl_store_exec(w->st, "DELETE FROM sl_weak", err) : rc;
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
