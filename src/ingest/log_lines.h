/* SPDX-License-Identifier: Apache-2.0 */
/* The log lines that name spans, found again in the files: for show --lines and events --lines. */
#ifndef SL_INGEST_LOG_LINES_H
#define SL_INGEST_LOG_LINES_H

#include "base/set.h"
#include "recipe/project.h"
#include "recipe/recipe.h"
#include "store/store.h"

struct sl_line {
    int64_t source, place;
    int64_t time_ns;  /* UTC */
    bool timed;       /* the record has a time */
    const char *text; /* the whole record, may hold newlines; borrowed */
    size_t n;
    const uint32_t *span; /* the spans that it names, ids in the store */
    size_t nspans;
};

/*
 * Reads the sources of st whose id the query `which` yields (one column) again, and calls line() for every record that
 * names a span of the store; wanted: where these are few, ids, those that name others alone may be left out; NULL: none
 * is.  Files that are gone
 * or cannot be read are told by problem() and passed over.  project: whose fields (set:) were given to all files; NULL:
 * none.
 */
int sl_lines(struct sl_store *st, struct sl_recipes *set, const struct sl_project *project, const char *which,
             const struct sl_set *wanted, void (*line)(void *to, const struct sl_line *l),
             void (*problem)(void *to, const char *text), void *to, struct sl_err *err);

#endif
