/* SPDX-License-Identifier: Apache-2.0 */
/* What a simulation changes (simulate.h describes the language): the factor of every segment. */
#ifndef SL_ANALYSE_TASKS_CHANGES_H
#define SL_ANALYSE_TASKS_CHANGES_H

#include "analyse/tasks/critical_path.h"

struct sl_changes;

/* On success *out is to be freed.  SL_EUSAGE: the text is none; SL_ENOTFOUND: nothing in w is meant by it. */
int sl_changes_parse(struct sl_changes **out, const struct sl_workflow *w, const char *text, struct sl_err *err);
void sl_changes_free(struct sl_changes *c);
/* Is the text one of changes, of whatever workflow?  0, or SL_EUSAGE. */
int sl_changes_check(const char *changes, struct sl_err *err);

double sl_changes_factor(const struct sl_changes *c, uint32_t seg);
double sl_changes_driver(const struct sl_changes *c, enum sl_driver_why why);

#endif
