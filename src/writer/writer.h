/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer: merges batches, in a fixed order, into one table of identities and into the store.  Links that wait for a
 * partner, facets and zones are settled at the end, so that the order of files does not matter.
 */
#ifndef SL_WRITER_WRITER_H
#define SL_WRITER_WRITER_H

#include "engine/batch.h"
#include "recipe/recipe.h"
#include "store/store.h"

struct sl_writer;

struct sl_source_row { /* one row of sl_source to be */
    int64_t id;        /* 0: a new one */
    const char *path, *part, *recipe, *component, *hash, *context, *recipe_hash, *head;
    uint64_t bytes;
    int64_t mtime_ns;
    uint64_t read, used, skipped, rejected;
    uint64_t spans, events, samples; /* what it added */
    int input;                       /* of the recipe */
    int64_t since;                   /* only records from this place on are new; 0: all of it */
    const char *context_hash; /* of what else decides what its records mean, where a longer file is read on; or NULL */
    bool written;             /* some of its spans lie in whoever wrote it */
};

/* Within a transaction on st (sl_store_begin), which the caller ends in case of NULL.  zone_s: the offset for local
 * times that nothing teaches, or INT32_MIN: the machine's. */
struct sl_writer *sl_writer_new(struct sl_store *st, struct sl_recipes *set, int32_t zone_s, struct sl_err *err);

/*
 * The source is read again: sl_writer_start() takes back everything that it asserted.  replaced: its file is another
 * one now, and its events are kept apart (sl_old_event).
 */
int sl_writer_redo(struct sl_writer *w, int64_t source, bool replaced, struct sl_err *err);
/* The source has grown: what its records say from the place `since` on is taken back, all of which is of these spans, a
 * JSON array of ids. */
int sl_writer_read_on(struct sl_writer *w, int64_t source, int64_t since, const char *spans, struct sl_err *err);

/* An id for a new source. */
int64_t sl_writer_source(struct sl_writer *w);
/* Merges b (owned by the caller) as assertions of the source; adds to the counts in row. */
int sl_writer_batch(struct sl_writer *w, const struct sl_batch *b, struct sl_source_row *row, struct sl_err *err);
/* Writes the source's row; replaced: the source that it replaces, or 0. */
int sl_writer_source_end(struct sl_writer *w, const struct sl_source_row *row, int64_t replaced, struct sl_err *err);
/* Tells what files of a scope share, (field, scope) -> value. */
int sl_writer_share(struct sl_writer *w, const char *field, const char *scope, const char *value, struct sl_err *err);
/* Roots of this type that were known by their directory, `from` or `from/...`, turn out to have an identity of their
 * own. */
void sl_writer_rekey_roots(struct sl_writer *w, uint32_t type, const char *from, const char *to);

/* After the last redo, before the first batch: takes back what redo named. */
int sl_writer_start(struct sl_writer *w, struct sl_err *err);
/* After the last batch: weak links, facets, zones; all rows are in their tables then. */
int sl_writer_resolve(struct sl_writer *w, struct sl_err *err);
/* Then: rules of this import that linked nothing, though others of the unknown type lie where it would; n: how many
 * spans they name that no record knows. */
typedef void sl_unresolved_fn(void *to, const char *rule, const char *unknown_type, uint64_t n);
void sl_writer_unresolved(struct sl_writer *w, sl_unresolved_fn *fn, void *to);
/* Ends what is temporary (or rolls back) and frees w; the transaction goes on. */
int sl_writer_finish(struct sl_writer *w, struct sl_err *err);
void sl_writer_abandon(struct sl_writer *w); /* rolls back and frees */

struct sl_writer_counts {
    uint64_t spans, events, links, assumed_zones;
    uint64_t told_twice; /* events that another form of their log told already: not among `events` */
    int32_t assumed_offset_s;
};
const struct sl_writer_counts *sl_writer_counts(const struct sl_writer *w);

#endif
