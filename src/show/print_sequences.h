/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_SHOW_PRINT_SEQUENCES_H
#define SL_SHOW_PRINT_SEQUENCES_H

#include "show/show.h"

/*
 * For people, as dnpcsql does, of result/over_time/sequences_tables.h.  Without all it ends after the most common one
 * with events. note: a line below the first; NULL: none.
 */
int sl_show_sequences(FILE *out, struct sl_result *r, const char *root_type, const char *note, bool all,
                      struct sl_err *err);

#endif
