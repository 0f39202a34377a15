/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The critical path of a workflow: from its last event back to its first, every moment is given to what the end was
 * then waiting for.  A task is followed back through its states; where it waited for other tasks, the path goes on in
 * the one that was done last; where it was submitted, with the driver.
 *
 * The driver (who submits tasks) is known by what it did only:
 *   - no task was submitted and not done: the time since the last one was done is the driver's (idle), and before it
 * the path goes on in that task, since the driver can have waited for it;
 *   - it submitted nothing for a while (SL_DRIVER_WAITS_NS at least), and then right after a task was done, within a
 * tenth of that while: it waited for that task;
 *   - else the time since the submission before is the driver's (between submissions).
 * A driver that pauses by itself waits for nothing, whatever is done meanwhile (sl_driver_pause()).
 */
#ifndef SL_ANALYSE_TASKS_PATH_H
#define SL_ANALYSE_TASKS_PATH_H

#include "analyse/tasks/tasks.h"

enum { SL_DRIVER_WAITS_NS = 10000000, SL_DRIVER_REACTS = 10, SL_DRIVER_PAUSES = 5 };

struct sl_path_part {
    int64_t start_ns, end_ns;
    uint32_t task; /* index; SL_NO_INDEX: the driver's time */
    uint32_t span; /* index into the graph: of the event that began the state, or the workflow */
    const char *component, *state;
};

struct sl_path {
    SL_VEC(struct sl_path_part) v; /* in order of time; each starts where the last ended */
};

/* *out is to be freed; its texts belong to w. */
void sl_path_make(struct sl_path *out, const struct sl_workflow *w);
void sl_path_free(struct sl_path *p);

/*
 * For each task, how many nanoseconds later it could have been done, with all else as it was, before the last task
 * would have been done later: by dependencies, and by what the driver waited for.  That workers are taken longer is not
 * reckoned (simulate.h does).  free() it.
 */
int64_t *sl_slack_make(const struct sl_workflow *w);

/* ---- shared with simulate.c ---- */

/* Why the driver submitted at time_ns, and not earlier. */
enum sl_driver_why { SL_DRIVER_FIRST, SL_DRIVER_IDLE, SL_DRIVER_REACTED, SL_DRIVER_BUSY, SL_DRIVER_AFTER };
extern const char *const sl_driver_states[]; /* by why */
struct sl_driver {
    enum sl_driver_why why;
    int64_t since_ns; /* its own time began then */
    uint32_t task;    /* the one that was done then (idle, reacted); the one that was submitted then (busy) */
};
struct sl_driver sl_driver_at(const struct sl_workflow *w, int64_t time_ns);
/*
 * How long the driver pauses between two submissions by itself, in nanoseconds; 0: nothing shows that it does.  Pauses
 * are SL_DRIVER_WAITS_NS at least.  In those in which no task was done it can have waited for none: where there are
 * SL_DRIVER_PAUSES of these it is their third quartile.  Where there are fewer, it is that of the pauses that look as
 * if it had waited, when these are alike (quartiles within a twentieth of the median) and twice as alike as what is
 * left of them after the task was done: who waits for tasks pauses for as long as those take.  A quarter more is still
 * one.
 */
int64_t sl_driver_pause(const struct sl_workflow *w);

/*
 * What a task waited for in its segment i: of its predecessors that which was done last, but before the segment ended.
 * SL_NO_INDEX: none was done during it.  i SL_NO_INDEX: before its first event, for tasks that have no state of
 * waiting. *at_ns: when the wait was over.
 */
uint32_t sl_awaited(const struct sl_workflow *w, const struct sl_task *t, uint32_t i, int64_t *at_ns);

#endif
