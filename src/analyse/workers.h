/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When workers were there, and what they ran.  A worker is a span of a type.  What it runs are its direct subspans:
 *
 *   - where the table sl_state has events of kind 'run' for the type of the subspan, from such an event to its next
 *     event that sl_state has with another kind; without one, to the worker's own next event (it died, or left), or
 *     the last that is heard of it;
 *   - else from the first to the last event of the subspan; not at all where workers (of that role) of the type have
 *     subspans of the kind above, too: what else lies in them, as files do, is not what they run.
 *
 * A subspan of several workers, as a task that was lost and ran again, was run by the one that a record had put it into
 * last, where links and events come from the same records.
 *
 * A worker is there from its first to its last event, those of its closure (graph.h) included; of subspans with 'run'
 * only while they run, since they may have waited before there was a worker.  A span of the role `worker` that is named
 * in something other than a workflow, as in a manager of Parsl or a pool of threads, ends with that: it is there until
 * the last that is heard of that (but for that it was `lost`, which is noticed late) and of the workers in it.
 * Not through the lens; clocks corrected.
 */
#ifndef SL_ANALYSE_WORKERS_H
#define SL_ANALYSE_WORKERS_H

#include "analyse/bins.h"
#include "analyse/load/events.h"

enum sl_worker_is { SL_WORKER_THERE, SL_WORKER_BUSY, SL_WORKER_RUNS, SL_WORKER_COUNTS };

struct sl_utilisation {
    struct sl_change *v; /* in order of time: a is an sl_worker_is; b is 1 or -1 */
    size_t n;
};

/* within, NULL: a value of SQL, the id of a span to which workers belong.  On success *out is to be freed. */
int sl_utilisation_make(struct sl_utilisation *out, sqlite3 *db, const char *type, sqlite3_value *within,
                        struct sl_err *err);
void sl_utilisation_free(struct sl_utilisation *u);

/* What a worker ran, or, without is_run, when it was there.  worker, span, task: ids of the store. */
struct sl_worker_run {
    int64_t worker, from_ns, to_ns;
    bool is_run, has_task; /* task: of the workflow that is looked in (tasks/tasks.h), else of the role `task` in
                              sl_role the innermost, in whose closure the span is */
    union {
        struct {
            int64_t span, task;
        };
        struct { /* without is_run: of all that it ran how many, how many at once, at most, and
                    the seconds in which it ran any */
            double busy_s;
            uint32_t runs, places;
        };
    };
};
struct sl_worker_runs {
    struct sl_worker_run *v; /* each worker before its runs, these by their begin */
    size_t n;
};

/* As sl_utilisation_make(). */
int sl_worker_runs_make(struct sl_worker_runs *out, sqlite3 *db, const char *type, sqlite3_value *within,
                        struct sl_err *err);
void sl_worker_runs_free(struct sl_worker_runs *r);

#endif
