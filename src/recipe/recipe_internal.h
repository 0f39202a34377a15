/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of recipe.c (the set) and compile.c (one of them). */
#ifndef SL_RECIPE_RECIPE_INTERNAL_H
#define SL_RECIPE_RECIPE_INTERNAL_H

#include "recipe/recipe.h"

int sl_recipe_compile(struct sl_recipes *set, struct sl_recipe *r, struct sl_err *err);
void sl_recipe_free(struct sl_recipe *r);

#endif
