/* SPDX-License-Identifier: Apache-2.0 */
/* Settings as people write them. */
#ifndef SL_DESIGN_SETTING_H
#define SL_DESIGN_SETTING_H

#include "design/plan/plan.h"

/*
 * "none" (or "base": all factors at theirs), or treatments: "no_log,prefetch=100" (blanks will do, too), where a factor
 * by itself is its second level, of those that have two.  setting: a level of each factor of the plan.
 * sl_trial_name() writes them so.  SL_EUSAGE: no such factor or level, a factor twice, or a constraint that it breaks.
 */
int sl_setting_parse(const struct sl_plan *p, const char *text, int32_t *setting, struct sl_err *err);

#endif
