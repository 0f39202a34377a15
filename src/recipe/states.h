/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What analyses of time take spans and events for: `roles:` and `phases:` of a recipe or a file of names, and the
 * tables sl_role and sl_state (store/schema/003-states.sql), from which analyses know it.
 */
#ifndef SL_RECIPE_STATES_H
#define SL_RECIPE_STATES_H

#include "recipe/recipe.h"

/* Replaces the rows of both tables by what the set says; schema: main or temp. */
int sl_states_write(struct sl_store *st, const char *schema, const struct sl_recipes *set, struct sl_err *err);

#endif
