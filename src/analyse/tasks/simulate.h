/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A workflow once more with other durations.  What a task does itself takes as long as it did, times a factor; when it
 * may go on is worked out anew: after the tasks that it waited for, after the task that had its place on the worker
 * before it (the same places, taken in the same order as in the run), after the driver submitted it, who submits in the
 * same order, and waits for the tasks that it waited for (critical_path.h).  With no change each event is when it was.
 */
#ifndef SL_ANALYSE_TASKS_SIMULATE_H
#define SL_ANALYSE_TASKS_SIMULATE_H

#include "analyse/tasks/critical_path.h"

/*
 * "PATTERN xFACTOR, ...": factor from 0 to a million, for what is spent in states whose component, state,
 * COMPONENT/STATE, or whose event's SPAN_TYPE or SPAN_TYPE/EVENT matches PATTERN (* is any text), or "driver"; what
 * lies over such a state is meant, too. "NAME=PATTERN xFACTOR": what tasks that have such an attribute spend on
 * workers.  Where several match, factors multiply.
 */
struct sl_simulation {
    int64_t *first_ns, *done_ns; /* by task: when they would have been */
    int64_t last_ns;             /* the end of the workflow; its beginning stays */
};

/* On success *out is to be freed.  A pattern that nothing matches is SL_ENOTFOUND, a text that is none SL_EUSAGE. */
int sl_simulate(struct sl_simulation *out, struct sl_workflow *w, const char *changes, struct sl_err *err);
void sl_simulation_free(struct sl_simulation *r);

#endif
