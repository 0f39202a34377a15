/* SPDX-License-Identifier: Apache-2.0 */
/* Which files below some paths are known to which recipe. */
#ifndef SL_INGEST_FIND_H
#define SL_INGEST_FIND_H

#include "recipe/recipe.h"

#include <stdint.h>

struct sl_found {
    char *path;                     /* canonical */
    char *name;                     /* path, with bytes that are not UTF-8 escaped: what the store keeps */
    const struct sl_recipe *recipe; /* NULL: nothing claims it */
    const struct sl_input *input;
    const struct sl_pattern *files;
    uint64_t bytes;
    int64_t mtime_ns;
};

struct sl_found_list {
    SL_VEC(struct sl_found) v; /* sorted: phase, path, recipe; each path once a recipe */
    SL_VEC(char *) problems;   /* what could not be looked into, ready to print */
};

/* unclaimed: also list files that no recipe knows.  The patterns of recipes that claim files are made fast. */
void sl_find(struct sl_found_list *out, const struct sl_recipes *set, char *const *paths, size_t n, bool unclaimed);
void sl_found_free(struct sl_found_list *l);

#endif
