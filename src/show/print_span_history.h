/* SPDX-License-Identifier: Apache-2.0 */
/* What became of a span, for people. */
#ifndef SL_SHOW_PRINT_SPAN_HISTORY_H
#define SL_SHOW_PRINT_SPAN_HISTORY_H

#include "result/table.h"

#include <stdio.h>

/* The tables of sl_span_history() for the text view.  store: its path, for what else there is to see. */
int sl_show_span_history(FILE *out, const struct sl_result *r, const char *store, struct sl_err *err);
/* Its events alone, with waits pointed out. */
int sl_show_span_events(FILE *out, struct sl_table *events, struct sl_err *err);

#endif
