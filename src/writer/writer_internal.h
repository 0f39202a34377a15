/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the writer: open.c (the beginning, and the end of it), lookup.c (what is stored), merge.c (batches to
 * rows), flush.c (rows to tables), sort_rows.c, shared_attrs.c, resolve.c and facets.c (the end). */
#ifndef SL_WRITER_WRITER_INTERNAL_H
#define SL_WRITER_WRITER_INTERNAL_H

#include "base/buf.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/set.h"
#include "writer/ids.h"
#include "writer/writer.h"
#include "writer/zone.h"

#define SL_SECOND_NS ((int64_t)1000000000)

/* In sl_writer.seen: attributes of a shape (an id of the store); else an event (a name of the set). */
enum { SL_SEEN_SHAPE = 1u << 31 };

struct sl_span_row {
    uint32_t id, index;
    uint32_t source;
    uint32_t alike, shape; /* sl_alike, 0: none; and its shape */
    int64_t place;         /* of the record that it is of */
};
struct sl_event_row {
    uint32_t span, type;
    int64_t time_ns, place;
    uint32_t source, zone;
};
struct sl_link_row {
    uint32_t left, right, rule, source;
    int64_t place;
    uint8_t kind, weak;
};
struct sl_values_row {
    uint32_t span, shape, source, zone;
    int64_t time_ns, place;
    const char *json;
    uint32_t n;
};
struct sl_deferred {
    uint32_t root, span, type, source;
    int64_t time_ns, place;
}; /* root: index; span, type: the store's */
struct sl_deferred_sample {
    uint32_t root;
    struct sl_values_row v;
};
struct sl_weak {
    uint32_t left, right, rule : 26, kind : 4, weak : 2, source;
    int64_t place;
}; /* left, right: indices */

struct sl_tail { /* of a file that may grow: its last record */
    int64_t source, place;
    const char *hash;
    SL_VEC(uint32_t) spans; /* identities */
};

enum sl_lookup_query {
    SL_LOOKUP_SPAN,
    SL_LOOKUP_GHOST,
    SL_LOOKUP_ID,
    SL_LOOKUP_FACETS,
    SL_LOOKUP_ZONE,
    SL_LOOKUP_WEAK,
    SL_LOOKUP_BELOW,
    SL_LOOKUP_INSIDE,
    SL_LOOKUP_QUERIES,
};

struct sl_lookup {             /* lookup.c */
    bool some;                 /* the store has spans that are not loaded */
    bool loading_all;          /* all of them, right now */
    int64_t last;              /* the last id that is stored */
    uint64_t n, most;          /* look-ups so far; from how many on all are loaded */
    struct sl_map by_store;    /* ids of the store -> identities that were looked up */
    uint32_t all_from, all_to; /* identities that were loaded at once, in order of their ids */
    SL_VEC(uint32_t) set_name; /* ids of names in the store -> ids in the set */
    sqlite3_stmt *query[SL_LOOKUP_QUERIES];
    int rc; /* the first error */
    struct sl_err err;
};

/* Attributes that records of the source at hand have in common: sl_alike. */
struct sl_shared_attrs {
    uint32_t source, stored; /* stored: the last source that was there before */
    struct sl_intern known;  /* shape and values ... */
    SL_VEC(uint32_t) id;     /* ... and their ids */
    size_t written;          /* of them */
    struct sl_buf text;
};

struct sl_writer {
    struct sl_store *st;
    struct sl_recipes *set;
    struct sl_ids ids;
    uint32_t next_span, next_source, next_shape, next_zone, next_alike;
    struct sl_intern stored_names;      /* texts of sl_name ... */
    SL_VEC(uint32_t) stored_name_id;    /* ... and their ids */
    SL_VEC(uint32_t) name_id, shape_id; /* ids in the set -> ids in the store, 0: not yet */
    uint32_t next_name;
    struct sl_intern stored_shapes;
    SL_VEC(uint32_t) stored_shape_id;
    SL_VEC(struct {
        uint32_t id;
        const char *s;
        size_t n;
    })
    new_names;
    struct sl_shared_attrs shared;
    SL_VEC(struct sl_span_row) spans;
    SL_VEC(struct sl_event_row) events;
    SL_VEC(struct sl_link_row) links;
    SL_VEC(struct sl_values_row) attrs, samples;
    struct sl_arena values; /* texts of attrs and samples */
    SL_VEC(struct sl_deferred) deferred;
    SL_VEC(struct sl_deferred_sample) deferred_samples;
    struct sl_arena deferred_values;
    bool spilled;
    SL_VEC(struct sl_weak) weak;
    SL_VEC(struct { uint32_t a, b; }) again; /* facets (indices) that were known when a record said so */
    struct sl_set seen, roots, written;      /* for sl_seen, sl_root, sl_written: two numbers in one */
    struct sl_set handles;                   /* shapes (ids of the store) by which others name spans: sl_handle */
    struct sl_set weak_roots;                /* roots (indices) that no record knows, with the source, too */
    struct sl_set touched;                   /* roots (indices) that no record of this import need have named */
    struct sl_zones zones;
    int32_t zone_s;
    int32_t stored_offset;  /* one of those that earlier imports learned ... */
    int stored_offsets;     /* ... and how many: 0, 1, 2 for more */
    SL_VEC(uint32_t) local; /* spans of the batch -> indices */
    SL_VEC(uint32_t) made;  /* spans of the batch: their rows, from 1; 0: they were there */
    SL_VEC(uint8_t) needed; /* spans of the batch: something that is new speaks of it */
    SL_VEC(struct sl_tail) tails;
    SL_VEC(uint32_t) redo;  /* sources that are read again, or replaced */
    SL_VEC(uint32_t) risen; /* identities that came from sl_ghost, and are real now */
    struct sl_lookup lookup;
    int64_t waiting; /* events that waited for another form of their log, and are judged anew */
    struct sl_writer_counts counts;
};

/* flush.c */
uint32_t sl_write_name(struct sl_writer *w, uint32_t name); /* id in the set -> id in the store */
int sl_write_shape(struct sl_writer *w, uint32_t shape, uint32_t *id, struct sl_err *err);
int sl_write_flush(struct sl_writer *w, bool all, struct sl_err *err); /* not all: only what is many */
int sl_write_ghosts(struct sl_writer *w, struct sl_err *err);          /* what is gathered in spans */
void sl_write_key(sqlite3_context *out, struct sl_key k);

/* shared_attrs.c: attributes i and what follows of one record; the number of those that it took, or a negative error.
 */
int sl_shared_attrs_keep(struct sl_writer *w, const struct sl_batch *b, size_t i, uint32_t source, struct sl_err *err);
int sl_shared_attrs_flush(struct sl_writer *w, struct sl_err *err);

/* sort_rows.c: by span, then by time, type, source, place, where equal ones stay in order; by left, kind, right,
 * source, place */
void sl_sort_events(struct sl_event_row *v, size_t n);
void sl_sort_links(struct sl_link_row *v, size_t n);

/* merge.c */
void sl_merge_make_real(struct sl_writer *w, uint32_t i, uint32_t source, struct sl_source_row *row);
void sl_merge_link(struct sl_writer *w, struct sl_weak k); /* both spans are real */
void sl_merge_touch(struct sl_writer *w, uint32_t i);      /* something of the root of identity i changes */
/* Attributes to a row; and: spans of that type have some of this shape (of the store).  span: of the batch. */
int sl_merge_attrs(struct sl_writer *w, const struct sl_batch_values *v, uint32_t source, struct sl_err *err);
void sl_merge_seen(struct sl_writer *w, uint32_t span, uint32_t shape);
struct sl_zone_steps *sl_merge_zone(struct sl_writer *w, uint32_t root);
int64_t sl_merge_utc(struct sl_writer *w, struct sl_zone_steps *z, int64_t local_ns, uint32_t *zone);
/* An event whose local time is of this zone. */
void sl_merge_event(struct sl_writer *w, struct sl_zone_steps *z, const struct sl_deferred *d);

/* facets.c */
int sl_facets_spread(struct sl_writer *w, struct sl_err *err); /* to children of facets */
int sl_facets_once(struct sl_writer *w, struct sl_err *err);   /* one row a pair, once all rows are written */

#endif
