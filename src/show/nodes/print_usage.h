/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_SHOW_PRINT_USAGE_H
#define SL_SHOW_PRINT_USAGE_H

#include "result/usage_tables.h"
#include "show/show.h"

/* The first `most` rows, what the others have together, and what is unattributed. */
int sl_show_usage(FILE *out, struct sl_result *r, int most, struct sl_err *err);

#endif
