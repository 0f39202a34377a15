/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_SHOW_PRINT_WHAT_IF_H
#define SL_SHOW_PRINT_WHAT_IF_H

#include "result/what_if_tables.h"
#include "show/show.h"

/* The table change for people; helps: of what_helps(), those that save something. */
int sl_show_what_if(FILE *out, struct sl_result *r, bool helps, struct sl_err *err);

#endif
