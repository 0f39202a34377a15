/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the reader of plans: plan.c (what is asked of them), plan_parse.c (the document), plan_factors.c (factors
 * and what their levels do, groups, constraints). */
#ifndef SL_DESIGN_PLAN_PLAN_INTERNAL_H
#define SL_DESIGN_PLAN_PLAN_INTERNAL_H

#include "design/plan/plan.h"
#include "recipe/yaml_keys.h"

struct sl_plan_parse {
    struct sl_yaml_check check; /* first: what reads a key gets this alone */
    struct sl_plan *p;
};

/* plan_parse.c.  All texts are kept in the plan's arena; what is wrong is in c->check. */
const char *sl_plan_text(struct sl_plan_parse *c, const struct sl_yaml *y, const char *what);
double sl_plan_number(struct sl_plan_parse *c, const struct sl_yaml *y, const char *what);
const char *sl_plan_path(struct sl_plan_parse *c, const char *path); /* as it is to be opened */

/* A command that runs will need; once a line. */
void sl_plan_program(struct sl_plan_parse *c, const struct sl_yaml *at, const char *key, const char *text, bool shell);

/* plan_factors.c */
/* The keys of effects that y has; level: what {level} stands for, NULL: nothing.  Others are the caller's. */
void sl_plan_effects(struct sl_plan_parse *c, struct sl_effects *e, const struct sl_yaml *y, const char *level);
bool sl_plan_is_effect(const char *key);
void sl_plan_factors(struct sl_plan_parse *c, const struct sl_yaml *y);
void sl_plan_groups(struct sl_plan_parse *c, const struct sl_yaml *y);
void sl_plan_constraints(struct sl_plan_parse *c, const struct sl_yaml *y);

#define SL_PLAN_EFFECT_KEYS "environment argument wrapper edit patch setup teardown"

#endif
