/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of compiling a recipe: one file for each large key, and what these share. */
#ifndef SL_RECIPE_COMPILE_COMPILE_INTERNAL_H
#define SL_RECIPE_COMPILE_COMPILE_INTERNAL_H

#include "recipe/recipe.h"

struct sl_compile {
    struct sl_recipes *set;
    struct sl_recipe *r;
    struct sl_yaml_check check;
    char where[300];
};

/* compile.c */
/* Of the recipe, and zeroed. */
void *sl_compile_alloc(struct sl_compile *c, size_t n, size_t size);
/* v, with room for one more behind its n: room doubles at powers of two. */
void *sl_compile_grow(struct sl_compile *c, void *v, int n, size_t size);
const char *sl_compile_text(struct sl_compile *c, const struct sl_yaml *y, const char *what);
bool sl_compile_flag(struct sl_compile *c, const struct sl_yaml *y, const char *what);
/* Fails where nothing stands behind a key of the map y. */
void sl_compile_filled(struct sl_compile *c, const struct sl_yaml *y, const char *what);

/* compile_template.c */
/* The slot of a field. */
int sl_compile_field(struct sl_compile *c, const char *name, size_t n);
int sl_compile_field_of(struct sl_compile *c, const struct sl_yaml *y, const char *what);
struct sl_template sl_compile_template(struct sl_compile *c, const struct sl_yaml *y, const char *s);
struct sl_named sl_compile_name(struct sl_compile *c, const struct sl_yaml *y, const char *s);
typedef int sl_compile_pattern_fn(struct sl_pattern *p, const char *text, const char *where, struct sl_err *err);
/* p stays where it is, until the recipe is freed. */
void sl_compile_pattern(struct sl_compile *c, sl_compile_pattern_fn *compile, struct sl_pattern *p,
                        const struct sl_yaml *y, const char *text);
/* The index of what the recipe says of spans of this alias. */
int sl_compile_mention(struct sl_compile *c, const struct sl_yaml *y, const char *alias);
/* An alias, or ~alias. */
struct sl_ref sl_compile_ref(struct sl_compile *c, const struct sl_yaml *y, const char *text);

/* compile_input.c */
void sl_compile_input(struct sl_compile *c, struct sl_input *in, const struct sl_yaml *y);
/* Inputs whose every record says both absolute and local time teach the zone of the others, and are read first. */
void sl_compile_phase(struct sl_input *in);

/* compile_rule.c */
void sl_compile_rule(struct sl_compile *c, struct sl_rule *u, const struct sl_yaml *y, bool naming);
/* Fails where a rule of the recipe y can never do anything. */
void sl_compile_idle(struct sl_compile *c, const struct sl_yaml *y);
/* A log has many lines of few kinds, and a recipe many rules: most need not be looked at. */
void sl_compile_index(struct sl_compile *c);

/* compile_fields.c */
void sl_compile_fields(struct sl_compile *c);

#endif
