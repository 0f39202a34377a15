/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_SHOW_PRINT_WHY_H
#define SL_SHOW_PRINT_WHY_H

#include "show/show.h"

/* What sl_why() found (findings/why.h), within a screen of so many columns; all: every finding, not only the first. */
int sl_show_why(FILE *out, const struct sl_result *r, int columns, bool all, struct sl_err *err);

/* What sl_why_compared() found. */
int sl_show_why_compared(FILE *out, const struct sl_result *r, int columns, struct sl_err *err);

/* What sl_failures() found (findings/failures.h): the first 20 rows of each table. */
int sl_show_task_failures(FILE *out, const struct sl_result *r, int columns, struct sl_err *err);

#endif
