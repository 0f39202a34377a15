/* SPDX-License-Identifier: Apache-2.0 */
/* What recipe.c, the set, asks of the files beside it. */
#ifndef SL_RECIPE_RECIPE_INTERNAL_H
#define SL_RECIPE_RECIPE_INTERNAL_H

#include "recipe/recipe.h"

/* compile.c */
int sl_recipe_compile(struct sl_recipes *set, struct sl_recipe *r, struct sl_err *err);
void sl_recipe_free(struct sl_recipe *r);

/* recipe.c: what a file declares.  What is wrong is in c->check. */
struct sl_declaring {
    struct sl_yaml_check check;
    struct sl_recipes *set;
    const struct sl_recipe *only; /* whose declarations they are; NULL: of all */
};
struct sl_declared {
    const char *key;
    enum sl_yaml_kind kind;
    const char *is;                                                                               /* "spans is ..." */
    void (*declare)(struct sl_declaring *c, const struct sl_yaml *name, const struct sl_yaml *y); /* an item */
};
void sl_declare_all(struct sl_declaring *c, const struct sl_yaml *doc, const struct sl_declared *d, size_t n);

/* states.c */
/* Takes over what doc declares; its spans are declared already.  What it says of an event counts, whatever was said. */
void sl_states_declare(struct sl_declaring *c, const struct sl_yaml *doc);

#endif
