/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_SHOW_PRINT_PLAN_H
#define SL_SHOW_PRINT_PLAN_H

#include "base/buf.h"
#include "result/plan_tables.h"
#include "result/table.h"

#include <stdio.h>

/* What sl_plan() says, in lines of so many columns. */
void sl_show_plan(FILE *out, const struct sl_result *r, int columns);

/* How a plan ends: why there are no more steps, and what bounds the run time. end_s: after the last step. */
void sl_show_plan_end(struct sl_buf *b, const struct plan_run *x, double end_s, bool steps);

#endif
