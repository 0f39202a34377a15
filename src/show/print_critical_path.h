/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_SHOW_PRINT_CRITICAL_PATH_H
#define SL_SHOW_PRINT_CRITICAL_PATH_H

#include "show/show.h"

/* For people, of result/path_tables.h.  all: every part of the path, and every task. */
int sl_show_critical_path(FILE *out, struct sl_result *r, const char *by, bool all, struct sl_err *err);

#endif
