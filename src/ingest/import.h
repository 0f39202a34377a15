/* SPDX-License-Identifier: Apache-2.0 */
/* An import: find, read in parallel, merge in a fixed order, commit. */
#ifndef SL_INGEST_IMPORT_H
#define SL_INGEST_IMPORT_H

#include "ingest/find.h"
#include "recipe/project.h"
#include "recipe/recipe.h"
#include "store/store.h"

struct sl_import_options {
    int jobs;                         /* reading threads; 1: none beside the caller's */
    int32_t zone_s;                   /* for local times that no record explains; INT32_MIN: the machine's */
    const char *campaign;             /* a name of what these runs are part of; NULL: none */
    const struct sl_project *project; /* whose bindings and lenses go into the store; NULL: none */
    const char *const *set;           /* pairs of field and value for all files, ends with NULL; or NULL */
    struct sl_call_sums *sums; /* calls of traces are added up there, with one job (base/call_sums.h); NULL: nowhere */
    /* Called about ten times a second, from the caller's thread; may be NULL.  file: whose records come in now. */
    void (*progress)(void *to, uint64_t bytes, uint64_t of_bytes, uint64_t spans, uint64_t events, double seconds,
                     const char *file);
    /* A problem with a file that does not stop the import. */
    void (*warn)(void *to, const char *text);
    bool hints; /* warn of rules that linked nothing, too */
    void *to;
};

struct sl_import_recipe { /* what one recipe brought */
    const char *name;
    uint64_t files, records, used, skipped, rejected, spans, events;
    double seconds; /* of reading, CPU of the thread */
};

struct sl_import_result {
    SL_VEC(struct sl_import_recipe) recipe;
    uint64_t files, known, bytes, spans, events, problems;
    uint64_t twins;           /* of those that were known, copies of others of this import */
    uint64_t strange;         /* files that hold no record of their recipe's syntax, but something else */
    uint64_t told_twice;      /* events that were told already by another form of their log */
    uint64_t adrift;          /* files whose times count from a moment that they do not say */
    const char *first_adrift; /* name of the first; the list's */
    uint64_t unended;         /* traces of processes that did not end in order, and have no .pfw */
    const char *first_unended;
    double seconds;
    uint64_t assumed_zones;
    int32_t assumed_offset_s;
};

/*
 * Reads what l holds into st.  All or nothing: on an error nothing has changed.  Files that cannot be read are
 * problems, told by warn and counted; the rest is imported.  The caller frees out->recipe with sl_vec_free.
 */
int sl_import(struct sl_import_result *out, struct sl_store *st, struct sl_recipes *set, const struct sl_found_list *l,
              const struct sl_import_options *o, struct sl_err *err);

#endif
