/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of an import: weak links find their partners, facets spread (facets.c), and local times that waited for a
 * zone get one.
 */
#include "base/clock.h"
#include "store/dedup.h"
#include "store/retract.h"
#include "writer/lookup.h"
#include "writer_resolve.sql.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MANY_SPANS = 200 }; /* of one record: then the whole file is read again when it grows */

static int resolve_weak(struct sl_writer *w, struct sl_err *err)
{
    int rc = sl_lookup_weak(w, w->risen.v, w->risen.n, err);
    size_t kept = 0;

    for (size_t i = 0; i < w->weak.n; i++) {
        struct sl_weak k = w->weak.v[i];
        if (!(w->ids.v[k.left].type & w->ids.v[k.right].type & SL_ID_REAL)) {
            w->weak.v[kept++] = k;
            continue;
        }
        sl_merge_touch(w, k.left);
        sl_merge_touch(w, k.right);
        sl_merge_link(w, k);
    }
    w->weak.n = kept;
    return rc ? rc : sl_lookup_failed(w, err);
}

/* The machine's own offset at a local time. */
static int32_t system_offset(int64_t local_ns)
{
    time_t t = (time_t)(local_ns / SL_SECOND_NS);
    struct tm tm;

    localtime_r(&t, &tm);
    t -= tm.tm_gmtoff;
    localtime_r(&t, &tm);
    return (int32_t)tm.tm_gmtoff;
}

/*
 * Two faceted roots begin at about the same time: the first local time on one, and the first absolute time on the
 * other, to the nearest quarter of an hour.  INT32_MIN: they do not tell.
 */
static int32_t inferred_offset(struct sl_writer *w, uint32_t root)
{
    const int64_t quarter = 900 * SL_SECOND_NS;
    int64_t local = INT64_MAX, absolute, d;
    char sql[120];

    if (!w->ids.v[root].partner)
        return INT32_MIN;
    for (size_t i = 0; i < w->deferred.n; i++)
        if (w->deferred.v[i].span == w->ids.v[root].store && w->deferred.v[i].time_ns < local)
            local = w->deferred.v[i].time_ns;
    snprintf(sql, sizeof sql, "SELECT min(time_ns) FROM sl_event WHERE zone IS NULL AND span = %u",
             w->ids.v[w->ids.v[root].partner - 1].store);
    absolute = sl_store_int(w->st, sql, INT64_MIN);
    if (local == INT64_MAX || absolute == INT64_MIN || __builtin_sub_overflow(local, absolute, &d) ||
        __builtin_add_overflow(d, quarter / 2, &d))
        return INT32_MIN;
    d = (d >= 0 ? d : d - quarter + 1) / quarter * 900;
    return d > 15 * 3600 || d < -15 * 3600 ? INT32_MIN : (int32_t)d;
}

/* Where nothing tells at all: what all others have, else the machine's zone. */
static int32_t assumed_offset(struct sl_writer *w, int64_t local_ns)
{
    int32_t offset = w->stored_offset;
    bool one = w->stored_offsets > 0, many = w->stored_offsets > 1;

    for (size_t i = 0; i < w->zones.v.n; i++)
        for (size_t k = 0; w->zones.v.v[i]->learned && k < w->zones.v.v[i]->step.n; k++) {
            int32_t o = w->zones.v.v[i]->step.v[k].offset_s;
            many |= one && o != offset;
            offset = o;
            one = true;
        }
    return one && !many ? offset : system_offset(local_ns);
}

/* The offsets that earlier imports learned: how many, and one of them. */
static int learned_offsets(struct sl_writer *w, struct sl_err *err)
{
    sqlite3_stmt *q = sl_store_prepare(w->st, sql_learned_offsets, err);
    int rc = q ? sl_store_step(w->st, q, err) : SL_ESTORE;

    if (rc > 0) {
        w->stored_offset = sqlite3_column_int(q, 0);
        w->stored_offsets = (sqlite3_column_type(q, 0) != SQLITE_NULL) + (sqlite3_column_int(q, 1) != w->stored_offset);
    }
    sqlite3_finalize(q);
    return rc < 0 ? rc : 0;
}

/* What a root's local times are taken for: learned, inferred, --zone, assumed. */
static struct sl_zone_steps *assume_zone(struct sl_writer *w, uint32_t root, int64_t local_ns)
{
    struct sl_zone_steps *z = sl_merge_zone(w, root);
    int32_t offset;

    if (z || (z = sl_zones_get(&w->zones, root)))
        return z;
    if ((offset = inferred_offset(w, root)) != INT32_MIN)
        return sl_zones_set(&w->zones, root, offset, "inferred", true);
    if (w->zone_s != INT32_MIN)
        return sl_zones_set(&w->zones, root, w->zone_s, "given", false);
    offset = assumed_offset(w, local_ns);
    w->counts.assumed_zones++;
    w->counts.assumed_offset_s = offset;
    return sl_zones_set(&w->zones, root, offset, "assumed", false);
}

static int resolve_event(struct sl_writer *w, struct sl_deferred d, struct sl_err *err)
{
    sl_merge_event(w, assume_zone(w, d.root, d.time_ns), &d);
    return sl_write_flush(w, false, err);
}

static int resolve_times(struct sl_writer *w, struct sl_err *err)
{
    sqlite3_stmt *q;
    int rc = 0;

    for (size_t i = 0; i < w->deferred.n && !rc; i++)
        rc = resolve_event(w, w->deferred.v[i], err);
    if (w->spilled && !rc) {
        if (!(q = sl_store_prepare(w->st, "SELECT root, span, type, source, time_ns, place FROM temp.sl_deferred",
                                   err)))
            return SL_ESTORE;
        while (!rc && (rc = sl_store_step(w->st, q, err)) > 0)
            rc = resolve_event(w,
                               (struct sl_deferred){
                                   .root = (uint32_t)sqlite3_column_int64(q, 0),
                                   .span = (uint32_t)sqlite3_column_int64(q, 1),
                                   .type = (uint32_t)sqlite3_column_int64(q, 2),
                                   .source = (uint32_t)sqlite3_column_int64(q, 3),
                                   .time_ns = sqlite3_column_int64(q, 4),
                                   .place = sqlite3_column_int64(q, 5),
                               },
                               err);
        sqlite3_finalize(q);
    }
    for (size_t i = 0; i < w->deferred_samples.n && !rc; i++) {
        struct sl_deferred_sample *d = &w->deferred_samples.v[i];
        d->v.time_ns = sl_merge_utc(w, assume_zone(w, d->root, d->v.time_ns), d->v.time_ns, &d->v.zone);
        d->v.json = sl_arena_copy(&w->values, d->v.json, d->v.n);
        *sl_vec_add(&w->samples) = d->v;
        rc = sl_write_flush(w, false, err);
    }
    return rc;
}

/*
 * Local times that an earlier import had to place by assumption, where now a record teaches: taken out, and placed
 * again.
 */
static int correct_assumed(struct sl_writer *w, struct sl_err *err)
{
    sqlite3_stmt *q = sl_store_prepare(w->st, sql_correct_assumed, err);
    SL_VEC(struct {
        uint32_t id, root;
        int64_t offset_s;
    })
    wrong = {0};
    int rc = q ? 0 : SL_ESTORE;
    char sql[300];

    while (!rc && (rc = sl_store_step(w->st, q, err)) > 0) {
        uint32_t root = sl_lookup_loaded(w, (uint32_t)sqlite3_column_int64(q, 1));
        struct sl_zone_steps *z;
        rc = 0;
        if (root == UINT32_MAX) { /* nor was a facet looked up that may know better */
            if (!sqlite3_column_int(q, 3) ||
                assumed_offset(w, sqlite3_column_int64(q, 4)) == sqlite3_column_int(q, 2) ||
                (root = sl_lookup_id(w, sqlite3_column_int64(q, 1))) == UINT32_MAX)
                continue;
        }
        z = sl_zones_get(&w->zones, root);
        if (z && !z->learned && !sl_merge_zone(w, root)) { /* only assumed by itself, and no facet knows better */
            if (!sqlite3_column_int(q, 3) || assumed_offset(w, sqlite3_column_int64(q, 4)) == z->step.v[0].offset_s)
                continue;
            sl_zones_drop(&w->zones, root); /* what all others have is something else now: assume anew */
        }
        sl_merge_touch(w, root);
        *sl_vec_add(&wrong) =
            (typeof(*wrong.v)){(uint32_t)sqlite3_column_int64(q, 0), root, sqlite3_column_int64(q, 2)};
    }
    sqlite3_finalize(q);
    for (size_t i = 0; i < wrong.n && !rc; i++) {
        snprintf(sql, sizeof sql, "SELECT span, type, source, time_ns, place FROM sl_event WHERE zone = %u",
                 wrong.v[i].id);
        if (!(q = sl_store_prepare(w->st, sql, err)))
            rc = SL_ESTORE;
        while (!rc && (rc = sl_store_step(w->st, q, err)) > 0) {
            *sl_vec_add(&w->deferred) = (struct sl_deferred){
                .root = wrong.v[i].root,
                .span = (uint32_t)sqlite3_column_int64(q, 0),
                .type = (uint32_t)sqlite3_column_int64(q, 1),
                .source = (uint32_t)sqlite3_column_int64(q, 2),
                .time_ns = sl_time_add(sqlite3_column_int64(q, 3), wrong.v[i].offset_s * SL_SECOND_NS),
                .place = sqlite3_column_int64(q, 4),
            };
            rc = 0;
        }
        sqlite3_finalize(q);
        if (rc)
            break;
        snprintf(sql, sizeof sql, "SELECT span, shape, source, time_ns, place, vals FROM sl_sample WHERE zone = %u",
                 wrong.v[i].id);
        if (!(q = sl_store_prepare(w->st, sql, err)))
            rc = SL_ESTORE;
        while (!rc && (rc = sl_store_step(w->st, q, err)) > 0) {
            uint32_t n = (uint32_t)sqlite3_column_bytes(q, 5);
            struct sl_values_row v = {
                .span = (uint32_t)sqlite3_column_int64(q, 0),
                .shape = (uint32_t)sqlite3_column_int64(q, 1),
                .source = (uint32_t)sqlite3_column_int64(q, 2),
                .zone = 0,
                .time_ns = sl_time_add(sqlite3_column_int64(q, 3), wrong.v[i].offset_s * SL_SECOND_NS),
                .place = sqlite3_column_int64(q, 4),
                .json = sl_arena_copy(&w->deferred_values, sl_store_text(q, 5), n),
                .n = n,
            };
            *sl_vec_add(&w->deferred_samples) = (struct sl_deferred_sample){wrong.v[i].root, v};
            rc = 0;
        }
        sqlite3_finalize(q);
        if (rc)
            break;
        snprintf(sql, sizeof sql, sql_delete_event, wrong.v[i].id, wrong.v[i].id, wrong.v[i].id);
        rc = sl_store_exec(w->st, sql, err);
    }
    sl_vec_free(&wrong);
    return rc;
}

static int write_zones(struct sl_writer *w, struct sl_err *err)
{
    sqlite3_stmt *q = sl_store_prepare(w->st, "INSERT OR REPLACE INTO sl_zone VALUES (?, ?, ?, ?, ?, ?)", err);
    int rc = q ? 0 : SL_ESTORE;

    for (size_t i = 0; i < w->zones.v.n && !rc; i++) {
        struct sl_zone_steps *z = w->zones.v.v[i];
        for (size_t k = 0; k < z->step.n && !rc && w->ids.v[z->root].store; k++) {
            if (!z->step.v[k].id)
                z->step.v[k].id = ++w->next_zone;
            sqlite3_bind_int64(q, 1, z->step.v[k].id);
            sqlite3_bind_int64(q, 2, w->ids.v[z->root].store);
            sqlite3_bind_null(q, 3);
            sqlite3_bind_null(q, 4);
            if (z->learned && z->step.v[k].since_ns != INT64_MIN) {
                sqlite3_bind_int64(q, 3, z->step.v[k].since_ns);
                sqlite3_bind_int64(q, 4, z->step.v[k].until_ns);
            }
            sqlite3_bind_int64(q, 5, z->step.v[k].offset_s);
            sqlite3_bind_text(q, 6, z->how, -1, SQLITE_STATIC);
            rc = sl_store_write(w->st, q, err);
        }
    }
    sqlite3_finalize(q);
    return rc;
}

/* Ghosts that a weak link still waits for are remembered for the next import, with their ancestors. */
static void add_ghost(struct sl_writer *w, uint32_t i)
{
    struct sl_id *s = &w->ids.v[i];

    if (s->type & SL_ID_REAL || s->store) /* it is there, or was written */
        return;
    if (s->parent)
        add_ghost(w, s->parent - 1);
    sl_write_name(w, s->type & SL_ID_TYPE);
    s->store = ++w->next_span;
    *sl_vec_add(&w->spans) = (struct sl_span_row){.id = s->store, .index = i};
}

static void weak_column(const void *of, size_t row, int col, sqlite3_context *out)
{
    const struct sl_writer *w = of;
    const struct sl_weak *k = &w->weak.v[row];

    switch (col) {
    case 0: sqlite3_result_int64(out, w->ids.v[k->left].store); break;
    case 1: sqlite3_result_int64(out, k->kind); break;
    case 2: sqlite3_result_int64(out, w->ids.v[k->right].store); break;
    case 3: sqlite3_result_int64(out, w->name_id.v[k->rule]); break;
    case 4: sqlite3_result_int64(out, k->source); break;
    case 5: sqlite3_result_int64(out, k->place); break;
    case 6: sqlite3_result_int64(out, k->weak); break;
    }
}

/* All other rows are written. */
static int write_weak(struct sl_writer *w, struct sl_err *err)
{
    struct sl_row_source rows = {w->weak.n, w, weak_column};
    int rc = 0;

    for (size_t i = 0; i < w->risen.n && !rc; i++)
        rc = sl_store_run(w->st, "DELETE FROM sl_ghost WHERE id = ?", err, "i", (int64_t)w->ids.v[w->risen.v[i]].store);
    for (size_t i = 0; i < w->weak.n; i++) {
        add_ghost(w, w->weak.v[i].left);
        add_ghost(w, w->weak.v[i].right);
        sl_write_name(w, w->weak.v[i].rule);
    }
    if (!rc)
        rc = sl_write_ghosts(w, err);
    return rc ? rc
              : sl_store_insert(
                    w->st,
                    "INSERT OR IGNORE INTO sl_weak (left_span, kind, right_span, rule, source, place, weak) "
                    "SELECT c0, c1, c2, c3, c4, c5, c6 FROM sl_rows",
                    &rows, err);
}

struct naming {
    struct sl_writer *w;
    sqlite3_stmt *insert;
};

/* A span that this import made, or mentions. */
static int note_named(void *of, sqlite3_stmt *row, struct sl_err *err)
{
    struct naming *n = of;
    struct sl_writer *w = n->w;
    int64_t id = sqlite3_column_int64(row, 0);
    uint32_t i = id > 0 && id <= w->lookup.last ? sl_lookup_loaded(w, (uint32_t)id) : UINT32_MAX;

    if (id > 0 && id <= w->lookup.last && (i == UINT32_MAX || !(w->ids.v[i].type & SL_ID_MENTIONED)))
        return 0;
    sqlite3_bind_int64(n->insert, 1, id);
    return sl_store_write(w->st, n->insert, err);
}

/* Spans that a source read again had named, and that may be named no more. */
static int drop_unnamed(struct sl_writer *w, struct sl_err *err)
{
    struct naming n = {w, NULL};
    int rc;

    if (!w->redo.n)
        return 0;
    if (!(n.insert = sl_store_prepare(w->st, "INSERT OR IGNORE INTO temp.sl_named VALUES (?)", err)))
        return SL_ESTORE;
    rc = sl_retract_each(w->st, note_named, &n, err);
    sqlite3_finalize(n.insert);
    return rc ? rc : sl_retract_spans(w->st, err);
}

static int write_pairs(struct sl_writer *w, const struct sl_set *s, const char *sql, struct sl_err *err)
{
    sqlite3_stmt *q = sl_store_prepare(w->st, sql, err);
    int rc = q ? 0 : SL_ESTORE;

    for (size_t i = 0; i < s->v.n && !rc; i++) {
        sqlite3_bind_int64(q, 1, (sqlite3_int64)(s->v.v[i] >> 32));
        sqlite3_bind_int64(q, 2, (sqlite3_int64)(s->v.v[i] & UINT32_MAX));
        rc = sl_store_write(w->st, q, err);
    }
    sqlite3_finalize(q);
    return rc;
}

static int write_weak_roots(struct sl_writer *w, struct sl_err *err)
{
    int rc = 0;

    for (size_t i = 0; i < w->weak_roots.v.n && !rc; i++) {
        int64_t source = (int64_t)(w->weak_roots.v.v[i] >> 32),
                root = w->ids.v[w->weak_roots.v.v[i] & UINT32_MAX].store;
        if (root)
            rc = sl_store_run(w->st, "INSERT OR IGNORE INTO sl_root VALUES (?, ?, 1)", err, "ii", source, root);
    }
    return rc;
}

/* What was seen on which type of span, which roots a source names, which spans lie in the writer of their file. */
static int write_sets(struct sl_writer *w, struct sl_err *err)
{
    int rc;

    for (size_t i = 0; i < w->seen.v.n; i++) {
        uint64_t what = w->seen.v.v[i] & UINT32_MAX, type = sl_write_name(w, (uint32_t)(w->seen.v.v[i] >> 32));
        w->seen.v.v[i] = type << 32 | (what & SL_SEEN_SHAPE ? what : sl_write_name(w, (uint32_t)what));
    }
    rc = write_pairs(w, &w->seen,
                     "INSERT OR IGNORE INTO sl_seen VALUES (?1, iif(?2 & 0x80000000, 2, 1), ?2 & 0x7fffffff)", err);
    if (!rc)
        rc = write_pairs(w, &w->roots,
                         "INSERT INTO sl_root (source, root) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET weak = NULL",
                         err);
    if (!rc)
        rc = write_weak_roots(w, err);
    return rc ? rc : write_pairs(w, &w->written, "INSERT OR IGNORE INTO sl_written VALUES (?1, ?2)", err);
}

/* Where longer files begin to be read again. */
static int write_tails(struct sl_writer *w, struct sl_err *err)
{
    struct sl_buf json = {0};
    int rc = 0;

    for (size_t i = 0; i < w->tails.n && !rc; i++) {
        const struct sl_tail *t = &w->tails.v[i];
        bool known = t->spans.n <= MANY_SPANS;
        sl_buf_clear(&json);
        sl_buf_addf(&json, "{\"place\":%lld,\"hash\":\"%s\",\"spans\":[", (long long)t->place, t->hash);
        for (size_t k = 0; k < t->spans.n && known; k++) {
            known = t->spans.v[k] != UINT32_MAX;
            if (known)
                sl_buf_addf(&json, "%s%u", k ? "," : "", w->ids.v[t->spans.v[k]].store);
        }
        sl_buf_adds(&json, "]}");
        if (known)
            rc = sl_store_run(w->st, "UPDATE sl_source SET tail = ?2 WHERE id = ?1", err, "it", t->source, json.s);
    }
    sl_buf_free(&json);
    return rc;
}

static int touch(struct sl_writer *w, sqlite3_stmt *q, uint32_t store, struct sl_err *err)
{
    sqlite3_bind_int64(q, 1, store);
    return store ? sl_store_write(w->st, q, err) : 0;
}

/* The roots of which rows were written, or changed: temp.sl_touched. */
static int write_touched(struct sl_writer *w, struct sl_err *err)
{
    sqlite3_stmt *q = sl_store_prepare(w->st, "INSERT OR IGNORE INTO temp.sl_touched VALUES (?)", err);
    int rc = q ? 0 : SL_ESTORE;

    for (size_t i = 0; i < w->roots.v.n && !rc; i++)
        rc = touch(w, q, (uint32_t)w->roots.v.v[i], err);
    for (size_t i = 0; i < w->weak_roots.v.n && !rc; i++)
        rc = touch(w, q, w->ids.v[(uint32_t)w->weak_roots.v.v[i]].store, err);
    for (size_t i = 0; i < w->touched.v.n && !rc; i++)
        rc = touch(w, q, w->ids.v[w->touched.v.v[i]].store, err);
    sqlite3_finalize(q);
    return rc;
}

/* Events that two forms of a log tell. */
static int part_forms(struct sl_writer *w, struct sl_err *err)
{
    int64_t apart = 0;
    int rc = sl_dedup_part(w->st, &apart, err);

    w->counts.told_twice = apart > w->waiting ? (uint64_t)(apart - w->waiting) : 0;
    w->counts.events -= (uint64_t)(apart - w->waiting); /* they came with this import, or are back */
    return rc;
}

int sl_writer_resolve(struct sl_writer *w, struct sl_err *err)
{
    int rc;

    rc = learned_offsets(w, err);
    if (!rc)
        rc = resolve_weak(w, err);
    if (!rc)
        rc = sl_write_flush(w, false, err);
    if (!rc)
        rc = sl_facets_spread(w, err);
    if (!rc)
        rc = correct_assumed(w, err);
    if (!rc && (w->deferred.n || w->deferred_samples.n))
        rc = sl_write_flush(w, true, err); /* the first absolute times may be asked for */
    if (!rc)
        rc = resolve_times(w, err);
    if (!rc)
        rc = sl_write_flush(w, true, err);
    if (!rc)
        rc = sl_facets_once(w, err);
    if (!rc)
        rc = write_weak(w, err);
    if (!rc)
        rc = write_zones(w, err);
    if (!rc)
        rc = write_sets(w, err);
    if (!rc)
        rc = sl_write_flush(w, true, err); /* names that the last steps used */
    if (!rc)
        rc = drop_unnamed(w, err);
    if (!rc)
        rc = write_touched(w, err);
    if (!rc)
        rc = part_forms(w, err);
    if (!rc)
        rc = write_tails(w, err);
    return rc;
}
