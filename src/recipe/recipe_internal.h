/* SPDX-License-Identifier: Apache-2.0 */
/* What recipe.c, the set, asks of the files beside it. */
#ifndef SL_RECIPE_RECIPE_INTERNAL_H
#define SL_RECIPE_RECIPE_INTERNAL_H

#include "recipe/recipe.h"

/* compile.c */
int sl_recipe_compile(struct sl_recipes *set, struct sl_recipe *r, struct sl_err *err);
void sl_recipe_free(struct sl_recipe *r);

/* states.c */
/* Takes over what doc declares; its spans are declared already.  What it says of an event counts, whatever was said. */
int sl_states_declare(struct sl_recipes *set, const char *path, const struct sl_yaml *doc, struct sl_err *err);

#endif
