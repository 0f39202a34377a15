/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_SHOW_PRINT_PLAN_H
#define SL_SHOW_PRINT_PLAN_H

#include "result/table.h"

#include <stdio.h>

/* What sl_plan() says, in lines of so many columns. */
void sl_show_plan(FILE *out, const struct sl_result *r, int columns);

#endif
