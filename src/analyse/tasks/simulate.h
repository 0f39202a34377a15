/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A workflow once more with other durations, or another number of workers.  What a task does itself takes as long as it
 * did, times a factor; when it may go on is worked out anew: after the tasks that it waited for, when a place on a
 * worker is free for it (places.h), after the driver submitted it, who submits in the same order, and waits for the
 * tasks that it waited for (path.h).  With no change each event is when it was.
 */
#ifndef SL_ANALYSE_TASKS_SIMULATE_H
#define SL_ANALYSE_TASKS_SIMULATE_H

#include "analyse/tasks/apps.h"
#include "analyse/tasks/places.h"

struct sl_simulation {
    int64_t *first_ns, *done_ns; /* by task: when they would have been */
    int64_t last_ns;             /* the end of the workflow; its beginning stays */
    char *assumed;               /* what it takes for granted of workers, in words; NULL: their number is what it was */
    double bias; /* by which part of itself the run, as it was, comes out longer, or shorter (less than 0), where no
                    task waits longer than usual while a place is free: how far the replay can be off */
};

/* Once for a workflow, which it borrows; *out is to be freed, on failure too. */
struct sl_replay;
int sl_replay_make(struct sl_replay **out, struct sl_workflow *w, struct sl_err *err);
/*
 * The same, of a large workflow by a second thread, which reads what sl_workflow_load() made of *w and no attributes,
 * until sl_replay_wait() has returned what sl_replay_make() would, or sl_replay_free() has.
 */
enum { SL_REPLAY_BESIDE = 20000 }; /* tasks, 40 ms */
int sl_replay_begin(struct sl_replay **out, struct sl_workflow *w, struct sl_err *err);
int sl_replay_wait(struct sl_replay *r, struct sl_err *err);
void sl_replay_free(struct sl_replay *r);
const struct sl_workflow *sl_replay_workflow(const struct sl_replay *r);
const struct sl_places *sl_replay_places(const struct sl_replay *r);
int sl_replay_apps(const struct sl_apps **out, struct sl_replay *r, struct sl_err *err); /* borrowed */

/*
 * As often as wanted, changes as changes.h says.  On success *out is to be freed.  What means nothing of the workflow
 * is SL_ENOTFOUND, a text that is none SL_EUSAGE.
 */
int sl_replay_play(struct sl_simulation *out, struct sl_replay *r, const char *changes, struct sl_err *err);
/*
 * The same with what each segment takes multiplied by factor[], of as many as the workflow has (borrowed); NULL: as
 * sl_replay_play().
 */
int sl_replay_play_scaled(struct sl_simulation *out, struct sl_replay *r, const char *changes, const double *factor,
                          struct sl_err *err);
void sl_simulation_free(struct sl_simulation *r);

#endif
