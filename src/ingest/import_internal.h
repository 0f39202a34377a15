/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of an import: incremental.c (which files are new), scope.c (what files tell each other), import.c (the rest).
 */
#ifndef SL_INGEST_IMPORT_INTERNAL_H
#define SL_INGEST_IMPORT_INTERNAL_H

#include "bind/bind.h"
#include "engine/apply.h"
#include "ingest/import.h"
#include "writer/writer.h"

struct sl_import_part { /* one source to be: the file, or a table of it */
    const char *name;
    int64_t id, replaces;
    struct sl_source_row row;
};

struct sl_import_file {
    const struct sl_found *found;
    int64_t known;                      /* a source with this path and recipe, to be read again; 0: none */
    bool skip;                          /* unchanged, or a copy of what is known, or that cannot be told (rc) */
    const struct sl_import_file *twin;  /* the one of this import for which it is skipped */
    bool replaces;                      /* its content is another one than that of `known` */
    int64_t replaced;                   /* then: the source of the older version */
    int64_t since;                      /* the place from which on `known` is to be read again; 0: all of it */
    const char *tail_hash, *tail_spans; /* sl_source.tail */
    char context_hash[17];              /* of what else decides what its records mean; "": the file is not read on */
    char *context;
    char head_hash[33]; /* hash of its beginning, or that of what it holds if it is called as compressed files are; "":
                           it is short */
    char page_hash[33]; /* the same of more of it */
    char **extra;       /* shared fields and --set, pairs, ends with NULL */
    /* filled by the reading thread */
    struct sl_batch *head, **tail;
    int queued;
    bool done;
    int rc;
    struct sl_err err; /* of rc; or, before it is read, of what was to decide of it, or of asking what it shares */
    char hash[33];
    uint64_t bytes;
    bool adrift, unended;
    char *strange;         /* nothing in it is a record: why the first thing is none */
    const char *overruled; /* a field of --set that its records have */
    double seconds;
    SL_VEC(struct sl_import_part) parts;
};

struct sl_sources {
    SL_VEC(int64_t) v;
};

struct sl_moved { /* a folder that is a copy of another */
    const char *from, *to;
};

struct sl_importing {
    struct sl_store *st;
    struct sl_recipes *set;
    const struct sl_import_options *o;
    struct sl_import_result *out;
    struct sl_import_file *file;
    size_t n, left; /* left: to be read */
    pthread_mutex_t lock;
    pthread_cond_t pushed, popped;
    size_t next, merging; /* file to be taken next; file being merged */
    int waiting;          /* batches */
    atomic_bool cancel;
    atomic_ullong progress;
    uint64_t total;
    int64_t started, told;
    struct sl_writer *w;
    struct sl_arena arena;
    SL_VEC(struct sl_moved) moved;
    bool renamed;
    bool rebind; /* what is bound changes, even if no file does */
    struct sl_bind_scope scope;
    struct sl_err *direct; /* one thread only: batches go straight into the writer; its error */
    int direct_rc;
};

struct sl_shared_value {
    const char *field, *scope, *value;
    bool inside; /* told by a file inside of the scope's folder */
    bool known;  /* the store has it */
};

struct sl_shares {
    SL_VEC(struct sl_shared_value) v;
};

/* A column's text, "" for NULL. */
static inline const char *sl_import_text(sqlite3_stmt *q, int i)
{
    const char *s = (const char *)sqlite3_column_text(q, i);
    return s ? s : "";
}

/*
 * incremental.c: finds out which files are unchanged, grown, replaced, or copies of what the store or this import has.
 */
int sl_import_known(struct sl_importing *m, struct sl_err *err);

/* scope.c: what the files of a scope tell each other before they are read in earnest. */
int sl_import_gather_shared(struct sl_importing *m, struct sl_shares *to, struct sl_err *err);
/* Gives each file the shared fields of its scopes, and what --set says. */
int sl_import_spread_shared(struct sl_importing *m, const struct sl_shares *s, struct sl_err *err);
/* Roots that were known by their folder, and are now known by what is shared (their run id). */
void sl_import_rekey_roots(struct sl_importing *m, const struct sl_shares *s);

#endif
