/* SPDX-License-Identifier: Apache-2.0 */
/* What `spanloom diff` says to people. */
#ifndef SL_CLI_DIFF_SHOW_H
#define SL_CLI_DIFF_SHOW_H

#include "show/show.h"

/* Of result/diff.h.  all: every transition and ordering. */
void diff_show(FILE *out, const struct sl_result *r, bool all);

/* "+12 %", "-0.30 %"; "" where that is nothing, or of nothing.  buf holds 32 bytes. */
char *diff_percent(double before, double now, char *buf);

#endif
