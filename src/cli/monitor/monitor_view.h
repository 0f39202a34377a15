/* SPDX-License-Identifier: Apache-2.0 */
/* What people see of a monitor: a view that is drawn anew at each reading, and a summary. */
#ifndef SL_CLI_MONITOR_VIEW_H
#define SL_CLI_MONITOR_VIEW_H

#include "collect/monitor.h"

#include <stdio.h>

struct monitor_view {
    FILE *out;
    int lines; /* that were drawn last */
    struct monitor_readings before;
};
/* For struct monitor_options: arg is a struct monitor_view. */
void monitor_view_draw(void *arg, const struct monitor *m, const struct monitor_readings *r);

void monitor_summary(FILE *out, const struct monitor *m);

#endif
