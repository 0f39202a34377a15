/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who runs tasks, for the replay (simulate.h): the stretches in which they ran, in the order in which they began, and
 * the places on workers that they took, in pools.
 *
 * A pool is the workers of one executor.  A run of which no log says on which worker it was is in the pool of another
 * one of its task, in the only one that there is unless it joins other tasks, or else in one of its own, as of one
 * worker.  A worker has as many
 * places as tasks ran on it at once, but for a fiftieth of its time.  A place is there from the worker's first own
 * event or, where the first task that it ran had waited for it since before, from when that began; of a worker that has
 * no own events, from the beginning of the workflow.  When a worker is idle for long while tasks wait for long, and
 * never runs one again, it was gone after its last.
 *
 * Whoever is ready takes the place that became free first.  Who waits is served in the order in which tasks were ready,
 * but as in the run where this began one after others that were ready later, such as newest first: it counts as ready
 * when the last of these is (behind).  What of its wait is not explained by that is its own (own_ns): to send it takes
 * time, or it waited at one manager while workers of another were free.  It is less than 0 where the run gave the place
 * to another one that had waited less.
 */
#ifndef SL_ANALYSE_TASKS_PLACES_H
#define SL_ANALYSE_TASKS_PLACES_H

#include "analyse/tasks/tasks.h"

/* Times are nanoseconds since the beginning of the workflow. */
struct sl_run {
    uint32_t task;
    uint32_t queue, first,
        last; /* segments: where its queue begins (first: it did not wait), the first and last of it */
    uint32_t pool : 31, lost : 1; /* lost: another followed, or the task failed after it */
    uint32_t behind; /* the run that was ready last of those that began before it, if after it was; SL_NO_INDEX */
    int64_t from_ns;
    int64_t own_ns; /* from when it was ready and a place was free */
};
/* When it was ready, and when it ended. */
int64_t sl_run_ready(const struct sl_workflow *w, const struct sl_run *r);
int64_t sl_run_until(const struct sl_workflow *w, const struct sl_run *r);

/* What passes until a worker is there, one after the other; all of it is SL_ARRIVAL_START where no log knows more. */
enum sl_arrival {
    SL_ARRIVAL_FIRST, /* until the first event of any block of its executor: of what lies directly in that */
    SL_ARRIVAL_LATER, /* from then until that of its own block */
    SL_ARRIVAL_QUEUE, /* from then until that of its manager: of what it lies in itself */
    SL_ARRIVAL_START, /* from then on */
    SL_ARRIVALS
};
extern const char *const sl_arrival_component[], *const sl_arrival_state[];

struct sl_worker {
    uint32_t span; /* SL_NO_INDEX: nobody says which */
    uint32_t pool, places;
    int64_t arrives_ns[SL_ARRIVAL_START]; /* until when each of these passes, ascending */
    size_t there;     /* its places are there from then on: into there_ns, `places` of them; INT64_MIN: always */
    int64_t first_ns; /* its first own event; INT64_MAX: it has none */
    int64_t began_ns; /* its first task began; INT64_MAX: never */
    int64_t until_ns; /* it was gone; INT64_MAX: never */
};

struct sl_pool {
    const char *name;       /* key of the executor, or of their manager within the workflow, else the type of the
                               workers; "" where none are known */
    uint32_t worker, n;     /* its workers, into worker */
    uint32_t runs, waited;  /* how many ran there; how many of them after others that had no place */
    int64_t typical_own_ns; /* the median of own_ns */
};

struct sl_places {
    SL_VEC(struct sl_run) run;       /* by from_ns */
    SL_VEC(struct sl_worker) worker; /* by pool, then by when they were there */
    SL_VEC(int64_t) there_ns;
    SL_VEC(struct sl_pool) pool;
    struct sl_arena names;
};

/* *out is to be freed. */
void sl_places_make(struct sl_places *out, const struct sl_workflow *w);
void sl_places_free(struct sl_places *p);
/* Appends the runs of one task, from the last to the first, without pool, behind_ns and own_ns. */
void sl_places_runs(struct sl_places *p, const struct sl_workflow *w, uint32_t task);

#endif
