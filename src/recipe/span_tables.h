/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Views for people who think in tables: one row a span, one column for each key, event and attribute.  Every type of
 * span has one, named after it (parsl.rundir.task: parsl_rundir_task); `tables:` of a names file declares more, which
 * put several views of one thing into one row.  docs/sql.md describes them for users.
 */
#ifndef SL_RECIPE_SPAN_TABLES_H
#define SL_RECIPE_SPAN_TABLES_H

#include "recipe/recipe.h"
#include "store/store.h"

/* Makes or changes these views, within a transaction; views and tables of the user that have such a name stay. */
int sl_tables_make(struct sl_store *st, const struct sl_recipes *set, struct sl_err *err);

/* The name of the table of a type: letters, digits and _; at most n - 1 of them. */
void sl_tables_name(const char *type, char *name, size_t n);

#endif
