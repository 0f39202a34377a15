/* SPDX-License-Identifier: Apache-2.0 */
/* Files of the project (recipes, SQL) that are compiled into the program; the arrays are made by tools/embed.py. */
#ifndef SL_BASE_EMBED_H
#define SL_BASE_EMBED_H

#include <stddef.h>

struct sl_embedded {
    const char *name; /* path relative to its folder: "parsl/log.yaml" */
    const char *data; /* NUL-terminated */
    size_t size;
};

/* Each ends with an entry whose name is NULL. */
extern const struct sl_embedded sl_embedded_recipes[], sl_embedded_schema[], sl_embedded_views[], sl_embedded_plots[],
    sl_embedded_findings[], sl_embedded_report[], sl_embedded_man[];
/* The recipes again, taken apart: sl_yaml_unpack() (recipe/yaml.h) makes trees of the data. */
extern const struct sl_embedded sl_embedded_recipe_trees[];

#endif
