/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_SHOW_PRINT_SKEW_H
#define SL_SHOW_PRINT_SKEW_H

#include "show/show.h"

/* For people, of result/skew_tables.h. */
int sl_show_skew(FILE *out, struct sl_result *r, struct sl_err *err);

#endif
