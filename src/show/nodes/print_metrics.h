/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_SHOW_PRINT_METRICS_H
#define SL_SHOW_PRINT_METRICS_H

#include "result/metrics_tables.h"
#include "show/show.h"

/* Of nodes: a column a node where there are few, else a row a node with what matters most. */
int sl_show_metrics(FILE *out, struct sl_result *r, enum sl_metrics_by by, struct sl_err *err);

#endif
