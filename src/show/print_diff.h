/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_SHOW_PRINT_DIFF_H
#define SL_SHOW_PRINT_DIFF_H

#include "show/show.h"

/* For people, of result/diff_tables.h.  all: every transition and ordering. */
void sl_show_diff(FILE *out, const struct sl_result *r, const char *by, bool all);

/* "+12 %", "-0.30 %"; "" where that is nothing, or of nothing.  buf holds 32 bytes. */
char *sl_show_change(double before, double now, char *buf);

#endif
