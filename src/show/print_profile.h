/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_SHOW_PRINT_PROFILE_H
#define SL_SHOW_PRINT_PROFILE_H

#include "show/show.h"

/*
 * For people, of result/profile_tables.h.  top: rows of each table; 0: all.  lives: does the process of this key still
 * run? 1: shown; 0: there are no calls and no asynchronous spans, and nothing was printed; negative.
 */
int sl_show_profile(FILE *out, struct sl_result *r, size_t top, bool (*lives)(const char *process), struct sl_err *err);

#endif
