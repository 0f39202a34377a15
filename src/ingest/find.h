/* SPDX-License-Identifier: Apache-2.0 */
/* Which files below some paths are known to which recipe. */
#ifndef SL_INGEST_FIND_H
#define SL_INGEST_FIND_H

#include "recipe/recipe.h"
#include "unpack/bytes.h"

#include <stdint.h>

struct sl_found {
    char *path;                     /* canonical; ARCHIVE/MEMBER within an archive */
    char *log;                      /* path as recipes see it: without .gz and the like; may be path itself */
    char *name;                     /* path, with bytes that are not UTF-8 escaped: what the store keeps */
    struct sl_region *region, *wal; /* within an archive, where its bytes lie, and those of its -wal; else NULL */
    const struct sl_recipe *recipe; /* NULL: nothing claims it */
    const struct sl_input *input;
    const struct sl_pattern *files;
    uint64_t bytes;
    int64_t mtime_ns;
};

struct sl_found_list {
    SL_VEC(struct sl_found) v; /* sorted: phase, path, recipe; each path once a recipe */
    SL_VEC(char *) problems;   /* what could not be looked into, ready to print */
    SL_VEC(char *) notes;      /* what was passed over, ready to print */
    int spool;                 /* the file that members of archives lie in; valid where spooled > 0 */
    uint64_t spooled;
};

/*
 * unclaimed: also list files that no recipe knows.  The patterns of recipes that claim files are made fast.  A path
 * that is an archive, or leads into one (ARCHIVE/FOLDER), stands for what it holds, which is unpacked into a temporary
 * file without a name as far as recipes know it; archives that only lie below a path are passed over.
 */
void sl_find(struct sl_found_list *out, const struct sl_recipes *set, char *const *paths, size_t n, bool unclaimed);
/* For those to whom all of it matters: what could not be looked into is an error. */
int sl_found_problem(const struct sl_found_list *l, struct sl_err *err);
/* Frees what f holds, of an entry that its owner takes out of the list. */
void sl_found_forget(struct sl_found *f);
void sl_found_free(struct sl_found_list *l);

#endif
