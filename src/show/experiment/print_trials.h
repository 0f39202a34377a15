/* SPDX-License-Identifier: Apache-2.0 */
/* What people see of comparisons, searches and histories (result/trials.h): the answer first, in one line. */
#ifndef SL_SHOW_EXPERIMENT_PRINT_TRIALS_H
#define SL_SHOW_EXPERIMENT_PRINT_TRIALS_H

#include "result/trials.h"

#include <stdio.h>

void sl_show_comparison(FILE *out, const struct sl_result *r);
void sl_show_tuned(FILE *out, const struct sl_result *r);
void sl_show_suggested(FILE *out, const struct sl_result *r);
void sl_show_history(FILE *out, const struct sl_result *r);

#endif
