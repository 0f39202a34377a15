/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reader knows a syntax: it turns a file into records, that is fields and a place, and hands them on.
 * To add one: read/SYNTAX/NAME.c with a struct sl_reader, and its line in the table of read/readers.c.
 */
#ifndef SL_RECIPE_READER_H
#define SL_RECIPE_READER_H

#include "base/err.h"
#include "recipe/value.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_parse; /* the engine's side of one file: apply.h */
struct sl_source_file;

struct sl_reader {
    const char *name;
    const char *keys; /* which keys of an input it understands, beside files, reader, times, text */
    /*
     * Reads the file to its end and pushes every record into p (sl_parse_text() and the like, engine/apply.h).  What
     * cannot be understood is data, not failure: sl_parse_reject() it and go on.  Returns 0, or negative (err filled)
     * where the file could not be read on: what was pushed before stays.
     */
    int (*run)(struct sl_parse *p, const char *path, struct sl_err *err);
    bool grows;   /* a longer file with the same beginning is the same source, grown (logs; not databases) */
    bool appends; /* and its records say what they say whatever follows, but for the last */
    bool tables;  /* each table of the file is a source of its own */
    /*
     * The suffix of files that a process writes through a mapping, which leaves size and time as they were, until
     * another file of the same stem takes their place; NULL: these are no such files.
     */
    const char *mapped;
};

extern const struct sl_reader *const sl_readers[]; /* ends with NULL */
const struct sl_reader *sl_reader_find(const char *name);

#endif
