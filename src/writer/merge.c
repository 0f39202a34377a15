/* SPDX-License-Identifier: Apache-2.0 */
/* Batches to rows: identities, links, local times. */
#include "base/clock.h"
#include "store/retract.h"
#include "writer/lookup.h"
#include "writer_merge.sql.h"

#include <stdio.h>
#include <stdlib.h>

enum { SPILL = 512 * 1024 };

/* ---- identities ---- */

/* Brings a span and its naming ancestors into being. */
void sl_merge_make_real(struct sl_writer *w, uint32_t i, uint32_t source, struct sl_source_row *row)
{
    struct sl_id *s = &w->ids.v[i];

    s->type |= SL_ID_MENTIONED;
    if (s->type & SL_ID_REAL)
        return;
    if (s->parent)
        sl_merge_make_real(w, s->parent - 1, source, row);
    s->type |= SL_ID_REAL;
    if (s->type & SL_ID_STORED)
        *sl_vec_add(&w->risen) = i;
    sl_write_name(w, s->type & SL_ID_TYPE);
    if (!s->store)
        s->store = ++w->next_span;
    *sl_vec_add(&w->spans) = (struct sl_span_row){.id = s->store, .index = i, .source = source};
    w->counts.spans++;
    if (row)
        row->spans++;
}

static bool is_real(const struct sl_writer *w, uint32_t i)
{
    return w->ids.v[i].type & SL_ID_REAL;
}

void sl_merge_touch(struct sl_writer *w, uint32_t i)
{
    while (w->ids.v[i].parent)
        i = w->ids.v[i].parent - 1;
    sl_set_add(&w->touched, i);
}

void sl_merge_link(struct sl_writer *w, struct sl_weak k)
{
    if (k.kind == SL_FACET && !sl_ids_pair(&w->ids, k.left, k.right)) {
        *sl_vec_add(&w->again) = (typeof(*w->again.v)){k.left, k.right}; /* maybe with the sides changed */
    } else if (k.kind == SL_FACET && w->ids.v[k.left].type & w->ids.v[k.right].type & SL_ID_STORED) {
        sl_lookup_below(w, k.left); /* what lies in them has facets, too */
        sl_lookup_below(w, k.right);
    }
    *sl_vec_add(&w->links) = (struct sl_link_row){
        .left = w->ids.v[k.left].store,
        .right = w->ids.v[k.right].store,
        .rule = sl_write_name(w, k.rule),
        .source = k.source,
        .place = k.place,
        .kind = (uint8_t)k.kind,
        .weak = (uint8_t)k.weak,
    };
}

/* ---- zones ---- */

/* What records say of a root's zone, or of a facet's, in place of what was assumed; NULL: nothing (yet). */
struct sl_zone_steps *sl_merge_zone(struct sl_writer *w, uint32_t root)
{
    struct sl_zone_steps *z = sl_zones_get(&w->zones, root);
    uint32_t at = 0, other;

    if (z && z->learned)
        return z;
    while ((other = sl_ids_partner(&w->ids, root, &at)) != UINT32_MAX)
        if ((z = sl_zones_get(&w->zones, other)) && z->learned)
            return sl_zones_copy(&w->zones, root, z, "facet");
    return NULL;
}

int64_t sl_merge_utc(struct sl_writer *w, struct sl_zone_steps *z, int64_t local_ns, uint32_t *zone)
{
    struct sl_zone_step *s = sl_zone_step_of(z, local_ns);

    if (!s->id)
        s->id = ++w->next_zone;
    *zone = s->id;
    return sl_time_sub(local_ns, s->offset_s * SL_SECOND_NS);
}

static int spill(struct sl_writer *w, struct sl_err *err);

void sl_merge_event(struct sl_writer *w, struct sl_zone_steps *z, const struct sl_deferred *d)
{
    uint32_t zone;
    int64_t t = sl_merge_utc(w, z, d->time_ns, &zone);

    *sl_vec_add(&w->events) = (struct sl_event_row){
        .span = d->span,
        .type = d->type,
        .time_ns = t,
        .place = d->place,
        .source = d->source,
        .zone = zone,
    };
}

static int place_event(struct sl_writer *w, uint32_t root, struct sl_deferred d, struct sl_err *err)
{
    struct sl_zone_steps *z = sl_merge_zone(w, root);

    if (z) {
        sl_merge_event(w, z, &d);
        return 0;
    }
    *sl_vec_add(&w->deferred) = d;
    return w->deferred.n > SPILL ? spill(w, err) : 0;
}

/* Where local times wait in large numbers for their zone, they wait on disk. */
static void deferred_column(const void *of, size_t row, int col, sqlite3_context *out)
{
    const struct sl_deferred *d = &((const struct sl_writer *)of)->deferred.v[row];
    const int64_t v[] = {d->root, d->span, d->type, d->source, d->time_ns, d->place};

    if (col < 6)
        sqlite3_result_int64(out, v[col]);
}

static int spill(struct sl_writer *w, struct sl_err *err)
{
    struct sl_row_source rows = {w->deferred.n, w, deferred_column};
    int rc = sl_store_exec(
        w->st, "CREATE TEMP TABLE IF NOT EXISTS sl_deferred (root, span, type, source, time_ns, place)", err);

    if (!rc)
        rc = sl_store_insert(w->st, "INSERT INTO temp.sl_deferred SELECT c0, c1, c2, c3, c4, c5 FROM sl_rows", &rows,
                             err);
    w->spilled = true;
    sl_vec_clear(&w->deferred);
    return rc;
}

/* ---- a batch ---- */

/* Records before this place are known, and only named. */
static int64_t since(const struct sl_source_row *row)
{
    return row->since ? row->since : INT64_MIN;
}

static int merge_events(struct sl_writer *w, const struct sl_batch *b, uint32_t source, struct sl_source_row *row,
                        struct sl_err *err)
{
    int rc = 0;

    for (size_t i = 0; i < b->events.n && !rc; i++) {
        const struct sl_batch_event *e = &b->events.v[i];
        uint32_t s = w->local.v[e->span], id, type;
        if (e->place < since(row))
            continue;
        id = w->ids.v[s].store;
        type = sl_write_name(w, e->type);
        sl_set_add(&w->seen, (uint64_t)(w->ids.v[s].type & SL_ID_TYPE) << 32 | e->type);
        if (e->naive) {
            uint32_t root = sl_ids_root(&w->ids, s);
            rc = place_event(w, root,
                             (struct sl_deferred){
                                 .root = root,
                                 .span = id,
                                 .type = type,
                                 .source = source,
                                 .time_ns = e->time_ns,
                                 .place = e->place,
                             },
                             err);
        } else {
            *sl_vec_add(&w->events) = (struct sl_event_row){
                .span = id,
                .type = type,
                .time_ns = e->time_ns,
                .place = e->place,
                .source = source,
                .zone = 0,
            };
        }
    }
    row->events += b->events.n;
    row->samples += b->samples.n;
    return rc;
}

void sl_merge_seen(struct sl_writer *w, uint32_t span, uint32_t shape)
{
    sl_set_add(&w->seen, (uint64_t)(w->ids.v[w->local.v[span]].type & SL_ID_TYPE) << 32 | SL_SEEN_SHAPE | shape);
}

int sl_merge_attrs(struct sl_writer *w, const struct sl_batch_values *v, uint32_t source, struct sl_err *err)
{
    struct sl_values_row r = {
        .span = w->ids.v[w->local.v[v->span]].store,
        .source = source,
        .place = v->place,
        .json = sl_arena_copy(&w->values, v->json, v->n),
        .n = v->n,
    };
    int rc = sl_write_shape(w, v->shape, &r.shape, err);

    sl_merge_seen(w, v->span, r.shape);
    *sl_vec_add(&w->attrs) = r;
    return rc;
}

static int merge_values(struct sl_writer *w, const struct sl_batch *b, uint32_t source, int64_t from,
                        struct sl_err *err)
{
    int rc = 0;

    for (size_t i = 0; i < b->attrs.n && rc >= 0;) {
        const struct sl_batch_values *v = &b->attrs.v[i];
        if (v->place < from)
            rc = 1;
        else if (v->alike)
            rc = sl_shared_attrs_keep(w, b, i, source, err);
        else if (!(rc = sl_merge_attrs(w, v, source, err)))
            rc = 1;
        i += (size_t)rc;
    }
    rc = rc < 0 ? rc : 0;
    for (size_t i = 0; i < b->samples.n && !rc; i++) {
        const struct sl_batch_values *v = &b->samples.v[i];
        uint32_t s = w->local.v[v->span], root;
        struct sl_zone_steps *z;
        struct sl_values_row r = {
            .source = source,
            .time_ns = v->time_ns,
            .place = v->place,
            .n = v->n,
        };
        if (v->place < from)
            continue;
        root = sl_ids_root(&w->ids, s);
        z = v->naive ? sl_merge_zone(w, root) : NULL;
        r.span = w->ids.v[s].store;
        rc = sl_write_shape(w, v->shape, &r.shape, err);
        if (v->naive && !z) {
            r.json = sl_arena_copy(&w->deferred_values, v->json, v->n);
            *sl_vec_add(&w->deferred_samples) = (struct sl_deferred_sample){root, r};
            continue;
        }
        r.json = sl_arena_copy(&w->values, v->json, v->n);
        if (z)
            r.time_ns = sl_merge_utc(w, z, v->time_ns, &r.zone);
        *sl_vec_add(&w->samples) = r;
    }
    return rc;
}

static int write_few(struct sl_writer *w, const struct sl_batch *b, uint32_t source, int64_t from, struct sl_err *err)
{
    sqlite3_stmt *q;
    int rc = 0;

    if (b->rejects.n) {
        if (!(q = sl_store_prepare(w->st, "INSERT OR IGNORE INTO sl_reject VALUES (?, ?, ?, ?)", err)))
            return SL_ESTORE;
        for (size_t i = 0; i < b->rejects.n && !rc; i++) {
            const struct sl_batch_reject *r = &b->rejects.v[i];
            if (r->place < from)
                continue;
            sqlite3_bind_int64(q, 1, source);
            sqlite3_bind_int64(q, 2, r->place);
            sqlite3_bind_text(q, 3, r->reason, -1, SQLITE_STATIC);
            sqlite3_bind_text(q, 4, r->text, -1, SQLITE_STATIC);
            rc = sl_store_write(w->st, q, err);
        }
        sqlite3_finalize(q);
    }
    if (b->raws.n && !rc) {
        if (!(q = sl_store_prepare(w->st, "INSERT OR REPLACE INTO sl_raw VALUES (?, ?, ?, ?)", err)))
            return SL_ESTORE;
        for (size_t i = 0; i < b->raws.n && !rc; i++) {
            const struct sl_batch_raw *r = &b->raws.v[i];
            if (r->place < from)
                continue;
            sqlite3_bind_int64(q, 1, source);
            sqlite3_bind_int64(q, 2, r->place);
            if (r->span >= 0 && w->ids.v[w->local.v[r->span]].store)
                sqlite3_bind_int64(q, 3, w->ids.v[w->local.v[r->span]].store);
            else
                sqlite3_bind_null(q, 3);
            sqlite3_bind_text(q, 4, r->json, -1, SQLITE_STATIC);
            rc = sl_store_write(w->st, q, err);
        }
        sqlite3_finalize(q);
    }
    return rc;
}

static int merge_wrotes(struct sl_writer *w, const struct sl_batch *b, const struct sl_source_row *row,
                        struct sl_err *err)
{
    sqlite3_stmt *q;
    int rc = 0;

    if (!b->wrotes.n)
        return 0;
    if (!(q = sl_store_prepare(w->st, "INSERT OR IGNORE INTO sl_wrote VALUES (?, ?, ?, ?, ?, ?)", err)))
        return SL_ESTORE;
    for (size_t i = 0; i < b->wrotes.n && !rc; i++) {
        const struct sl_batch_wrote *v = &b->wrotes.v[i];
        if (v->place < since(row))
            continue;
        sqlite3_bind_text(q, 1, v->path, -1, SQLITE_STATIC);
        sqlite3_bind_int64(q, 2, w->ids.v[w->local.v[v->span]].store);
        sqlite3_bind_int64(q, 3, row->id);
        sqlite3_bind_int64(q, 4, v->place);
        sqlite3_bind_int64(q, 5, sl_write_name(w, v->rule));
        sqlite3_bind_null(q, 6);
        if (v->of_type)
            sqlite3_bind_int64(q, 6, sl_write_name(w, v->of_type));
        rc = sl_store_write(w->st, q, err);
    }
    sqlite3_finalize(q);
    return rc;
}

/* ---- files that have grown ---- */

static void need(struct sl_writer *w, const struct sl_batch *b, int64_t span)
{
    for (; span >= 0 && !w->needed.v[span]; span = b->spans.v[span].parent)
        w->needed.v[span] = 1;
}

/* Which spans of the batch what is new speaks of; roots are few, and a source's are known. */
static void find_needed(struct sl_writer *w, const struct sl_batch *b, int64_t from)
{
    sl_vec_clear(&w->needed);
    for (size_t i = 0; i < b->spans.n; i++)
        *sl_vec_add(&w->needed) = from == INT64_MIN || b->spans.v[i].parent < 0;
    if (from == INT64_MIN)
        return;
#define NEED(what, span)                                                                                               \
    for (size_t i = 0; i < b->what.n; i++)                                                                             \
        if (b->what.v[i].place >= from)                                                                                \
    need(w, b, b->what.v[i].span)
    NEED(events, span);
    NEED(attrs, span);
    NEED(samples, span);
    NEED(wrotes, span);
    NEED(raws, span);
    NEED(links, left);
    NEED(links, right);
}

/* Notes the spans of the batch's last record: a longer file begins again there. */
static void note_tail(struct sl_writer *w, const struct sl_batch *b, struct sl_source_row *row)
{
    struct sl_tail *t;

    if (!row->context_hash || b->last_record == INT64_MIN)
        return;
    if (!w->tails.n || w->tails.v[w->tails.n - 1].source != row->id)
        *sl_vec_add(&w->tails) = (struct sl_tail){.source = row->id, .hash = row->context_hash};
    t = &w->tails.v[w->tails.n - 1];
    sl_vec_clear(&t->spans);
    t->place = b->last_record;
#define TAIL(what, span)                                                                                               \
    for (size_t i = 0; i < b->what.n; i++)                                                                             \
        if (b->what.v[i].place >= t->place)                                                                            \
    *sl_vec_add(&t->spans) = w->local.v[b->what.v[i].span]
    TAIL(events, span);
    TAIL(attrs, span);
    TAIL(samples, span);
    TAIL(wrotes, span);
    TAIL(links, left);
    TAIL(links, right);
}

/* ---- a batch ---- */

static void merge_spans(struct sl_writer *w, const struct sl_batch *b, struct sl_source_row *row)
{
    uint32_t source = (uint32_t)row->id;

    sl_vec_clear(&w->local);
    sl_vec_clear(&w->made);
    find_needed(w, b, since(row));
    for (size_t i = 0; i < b->spans.n; i++) {
        const struct sl_batch_span *s = &b->spans.v[i];
        uint32_t parent = s->parent < 0 ? UINT32_MAX : w->local.v[s->parent];
        uint32_t at = w->needed.v[i]                           ? sl_lookup_add(w, parent, s->type, s->key)
                      : s->parent >= 0 && parent == UINT32_MAX ? UINT32_MAX
                                                               : sl_ids_find(&w->ids, parent, s->type, s->key);
        uint32_t *made = sl_vec_add(&w->made);
        size_t rows = w->spans.n;
        *sl_vec_add(&w->local) = at;
        row->written |= s->written;
        if (!w->needed.v[i]) {
            if (at != UINT32_MAX && s->strong && is_real(w, at))
                w->ids.v[at].type |= SL_ID_MENTIONED;
            continue;
        }
        if (!s->strong && s->parent < 0)
            sl_set_add(&w->weak_roots, (uint64_t)source << 32 | at);
        if (!s->strong)
            continue;
        sl_merge_make_real(w, at, source, row);
        if (w->spans.n > rows)
            *made = (uint32_t)w->spans.n;
        if (s->parent < 0)
            sl_set_add(&w->roots, (uint64_t)source << 32 | w->ids.v[at].store);
        if (s->written)
            sl_set_add(&w->written, (uint64_t)w->ids.v[at].store << 32 | source);
    }
}

int sl_writer_batch(struct sl_writer *w, const struct sl_batch *b, struct sl_source_row *row, struct sl_err *err)
{
    uint32_t source = (uint32_t)row->id;
    int rc;

    merge_spans(w, b, row);
    note_tail(w, b, row);
    rc = merge_wrotes(w, b, row, err);
    for (size_t i = 0; i < b->zones.n; i++)
        sl_zones_learn(&w->zones, w->local.v[b->zones.v[i].root], b->zones.v[i].since_ns, b->zones.v[i].until_ns,
                       b->zones.v[i].offset_s);
    for (size_t i = 0; i < b->links.n; i++) {
        const struct sl_batch_link *l = &b->links.v[i];
        struct sl_weak k = {
            .rule = l->rule,
            .kind = l->kind,
            .weak = l->weak,
            .source = source,
            .place = l->place,
        };
        if (l->place < since(row))
            continue;
        k.left = w->local.v[l->left];
        k.right = w->local.v[l->right];
        if (is_real(w, k.left) && is_real(w, k.right))
            sl_merge_link(w, k);
        else
            *sl_vec_add(&w->weak) = k;
    }
    if (!rc)
        rc = merge_events(w, b, source, row, err);
    if (!rc)
        rc = merge_values(w, b, source, since(row), err);
    if (!rc)
        rc = write_few(w, b, source, since(row), err);
    for (size_t i = 0; i < b->shares.n && !rc; i++)
        rc = sl_writer_share(w, b->shares.v[i].field, b->shares.v[i].scope, b->shares.v[i].value, err);
    row->read += b->read;
    row->used += b->used;
    row->skipped += b->skipped;
    row->rejected += b->rejected;
    if (!rc)
        rc = sl_lookup_failed(w, err);
    return rc ? rc : sl_write_flush(w, false, err);
}

/* ---- sources ---- */

int64_t sl_writer_source(struct sl_writer *w)
{
    return ++w->next_source;
}

int sl_writer_redo(struct sl_writer *w, int64_t source, bool replaced, struct sl_err *err)
{
    int rc = sl_retract_source(w->st, source, INT64_MIN, NULL, err);

    *sl_vec_add(&w->redo) = (uint32_t)source;
    if (!rc && replaced) /* by which version is set once that is known */
        rc = sl_store_run(w->st, sql_writer_redo, err, "i", source);
    return rc;
}

int sl_writer_read_on(struct sl_writer *w, int64_t source, int64_t since, const char *spans, struct sl_err *err)
{
    *sl_vec_add(&w->redo) = (uint32_t)source;
    return sl_retract_source(w->st, source, since, spans, err);
}

int sl_writer_source_end(struct sl_writer *w, const struct sl_source_row *r, int64_t replaced, struct sl_err *err)
{
    bool timed = r->events || r->samples;
    char sql[120];
    int rc =
        sl_store_run(w->st, sql_writer_source_end, err, timed ? "ittttiittiiiiitti" : "ittttiittiiiiitt",
                     (int64_t)r->id, r->path, r->part, r->recipe, r->component, (int64_t)r->bytes, (int64_t)r->mtime_ns,
                     r->hash, r->context, (int64_t)sl_clock_now_ns(), (int64_t)r->read, (int64_t)r->used,
                     (int64_t)r->skipped, (int64_t)r->rejected, r->recipe_hash, r->head, (int64_t)r->input);

    if (r->written && w->tails.n && w->tails.v[w->tails.n - 1].source == r->id) { /* times decide where they lie */
        w->tails.n--;
        sl_vec_free(&w->tails.v[w->tails.n].spans);
    }
    if (!rc && replaced) {
        snprintf(sql, sizeof sql, "UPDATE sl_source SET replaced_by = %lld WHERE id = %lld", (long long)r->id,
                 (long long)replaced);
        rc = sl_store_exec(w->st, sql, err);
    }
    return rc;
}

int sl_writer_share(struct sl_writer *w, const char *field, const char *scope, const char *value, struct sl_err *err)
{
    return sl_store_run(w->st, "INSERT OR REPLACE INTO sl_shared (field, scope, value) VALUES (?, ?, ?)", err, "ttt",
                        field, scope, value);
}

/* One root: false where the new identity exists as well. */
static bool rekey(struct sl_writer *w, uint32_t old, const char *to, size_t n)
{
    struct sl_key key = {(uint32_t)n, {.s = to}};
    uint32_t new = sl_lookup_find(w, UINT32_MAX, w->ids.v[old].type & SL_ID_TYPE, key);
    struct sl_id_text *x;

    sl_merge_touch(w, old);
    if (new != UINT32_MAX && is_real(w, new)) { /* both exist: they are views of one thing */
        sl_merge_touch(w, new);
        sl_merge_link(w, (struct sl_weak){
                             .left = old,
                             .right = new,
                             .rule = sl_recipes_name(w->set, "same root", 9),
                             .kind = SL_FACET,
                             .weak = 0,
                             .source = 0,
                             .place = 0,
                         });
        return false;
    }
    if (new != UINT32_MAX)
        return false;
    x = sl_arena_alloc(&w->ids.arena, sizeof *x + n + 1);
    x->n = (uint32_t)n;
    memcpy(x->s, to, n);
    x->s[n] = 0;
    w->ids.v[old].key.s = x;
    sl_store_run(
        w->st, is_real(w, old) ? "UPDATE sl_span SET key = ? WHERE id = ?" : "UPDATE sl_ghost SET key = ? WHERE id = ?",
        NULL, "ti", x->s, (int64_t)w->ids.v[old].store);
    return true;
}

void sl_writer_rekey_roots(struct sl_writer *w, uint32_t type, const char *from, const char *to)
{
    size_t nf = strlen(from);
    struct sl_buf key = {0};
    bool any = false;

    sl_lookup_roots(w, type, from);
    for (uint32_t i = 0, n = w->ids.n; i < n; i++) {
        const struct sl_id *s = &w->ids.v[i];
        struct sl_key k = sl_ids_key(s);
        if (s->parent || (s->type & SL_ID_TYPE) != type || !(s->type & SL_ID_TEXT) || k.n < nf ||
            memcmp(k.s, from, nf) != 0 || (k.n > nf && k.s[nf] != '/'))
            continue;
        sl_buf_clear(&key);
        sl_buf_adds(&key, to);
        sl_buf_add(&key, k.s + nf, k.n - nf);
        any |= rekey(w, i, key.s, key.n);
    }
    if (any)
        sl_ids_rehash(&w->ids);
    sl_buf_free(&key);
}
