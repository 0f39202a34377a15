/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is worth asking a replay (changes.h), of whatever workflow: two, four and eight times as many workers; the apps
 * that took longest, twice as fast; the states, but for running, in which most time was spent, and those of the driver,
 * gone; failed tries gone; and the task that ran longest beyond the median of its app, where that is more than twice
 * it, as long as the median.
 */
#ifndef SL_ANALYSE_TASKS_SUSPECTS_H
#define SL_ANALYSE_TASKS_SUSPECTS_H

#include "analyse/tasks/simulate.h"

struct sl_suspects {
    SL_VEC(char *) v; /* changes */
};

/* On success *out is to be freed. */
int sl_suspects_find(struct sl_suspects *out, struct sl_replay *r, struct sl_err *err);
void sl_suspects_free(struct sl_suspects *s);

#endif
