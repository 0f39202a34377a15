/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A workflow as work: its tasks, what each was doing from its first event until it was done, and what it waited for.
 * The critical path (path.h) and the replay (simulate.h) are made from it.
 *
 * Tasks are the spans of the role `task` (sl_role) that are named in the workflow or in a facet of it; where there are
 * none, such spans anywhere below it; where there are none either, all its direct subspans.  A span that is itself a
 * task, or of whose type phases are declared, is the only one.  Facets are one task.
 *
 * The states of a task come from sl_state; what it does not know appears as what it is: component = type of the span,
 * state = "after EVENT".  A span of which sl_state knows nothing lies over the others from its first to its last event.
 */
#ifndef SL_ANALYSE_TASKS_TASKS_H
#define SL_ANALYSE_TASKS_TASKS_H

#include "analyse/load/root_events.h"
#include "analyse/tasks/closure.h"
#include "base/buf.h"

enum sl_phase_kind { SL_PHASE_DEPEND, SL_PHASE_WAIT, SL_PHASE_RUN, SL_PHASE_WORK, SL_PHASE_DONE };
extern const char *const sl_phase_kinds[]; /* what sl_state calls them */

struct sl_phase_state {
    const char *component, *state;
    enum sl_phase_kind kind;
};

/* From its time until that of the next, or until the task is done. */
struct sl_segment {
    int64_t from_ns;
    uint32_t state : 31; /* index into states */
    uint32_t over : 1;   /* it lies over a declared state: sl_segment_under() */
    uint32_t span;       /* of the event that began it, also where something lay over it since; index into the graph */
};

/* What a segment lies over: the state, and the span of the event that began it. */
struct sl_under {
    uint32_t seg, state, span;
};

struct sl_task {
    uint32_t
        span; /* index into the graph: of its facets the one that is named in the workflow's own span, else the first */
    int64_t first_ns, done_ns;
    uint32_t seg, nseg;   /* its segments, at least one */
    uint32_t pred, npred; /* tasks that it waited for (after); into `pred` */
    uint32_t flow, nflow; /* tasks that handed over to it; into `pred` */
    bool depends;         /* it tells when it waits for others (SL_PHASE_DEPEND) */
    bool done;            /* something says that it was done */
    const char *ended;    /* how, in the words of sl_state: "done", "failed"; NULL: nothing says */
};

struct working;   /* how it is made */
struct sl_replay; /* simulate.h */

struct sl_workflow {
    struct sl_root_events s; /* raw, with parents; s.walk is the closure of root until sl_workflow_finish() */
    bool sources;            /* set before it is loaded: events with their sources */
    sqlite3_stmt *key;
    struct working *k;
    uint32_t root;
    bool alone;                /* the root is itself the only task */
    int64_t first_ns, last_ns; /* of all events of the workflow's closure */
    struct sl_task *task;      /* by first_ns */
    uint32_t n, undone;        /* how many there are, and of how many nothing says that they were done */
    SL_VEC(struct sl_segment) seg;
    SL_VEC(struct sl_under) under; /* by seg, ascending */
    uint32_t *pred;
    SL_VEC(struct sl_phase_state) states;
    uint32_t *by_done; /* tasks by done_ns, ascending */
    int64_t pause_ns;  /* the driver pauses so long by itself, at most: sl_driver_pause() */
    struct sl_arena arena;
    struct sl_task_attrs *told; /* what attributes say (task_attrs.h) */
    struct sl_replay *replay;   /* what sl_facts_open() has begun; NULL */
    unsigned char *role;        /* by rank of a type's name: enum sl_role */
    SL_VEC(uint32_t) workers;   /* spans of the role `worker` in the closure of root */
    uint32_t *worker;           /* by span: the worker of which it is a subspan; SL_NO_INDEX: of none */
};

/*
 * One workflow after another, from a zeroed *w.  The first call reads the whole store; the others cost what belongs to
 * the workflow.  workflow: a value of SQL, the id of a span.  Of NULL, of a span that does not exist, or that has no
 * events in its closure, there are no tasks, and first_ns is last_ns.  *w is to be freed, on failure too.
 */
int sl_workflow_load(struct sl_workflow *w, sqlite3 *db, sqlite3_value *workflow, struct sl_err *err);
/* Frees what only another sl_workflow_load() of w would need, 40 % of all; from now on it can be freed alone. */
void sl_workflow_finish(struct sl_workflow *w);
void sl_workflow_free(struct sl_workflow *w);

/* *out is what the program has loaded of this workflow (sl_workflow_share()), else *own, as by sl_workflow_load(). */
int sl_workflow_find(const struct sl_workflow **out, struct sl_workflow *own, sqlite3 *db, sqlite3_value *workflow,
                     struct sl_err *err);
/* Lends w, and what is loaded of its store, to the functions of the connection; NULL: no longer. */
void sl_workflow_share(sqlite3 *db, const struct sl_workflow *w);

/* The key of a span of the graph, copied into text; NULL: it has none. */
const char *sl_workflow_key(const struct sl_workflow *w, uint32_t span, struct sl_arena *text);
/* Of an element of an array of jobs: JOB_ELEMENT, appended to out; false: it is none. */
bool sl_workflow_array(const struct sl_workflow *w, uint32_t span, struct sl_buf *out);

/* When a segment of task t ends. */
static inline int64_t sl_segment_end(const struct sl_workflow *w, const struct sl_task *t, uint32_t i)
{
    return i + 1 < t->nseg ? w->seg.v[t->seg + i + 1].from_ns : t->done_ns;
}

/* NULL: it lies over nothing. */
const struct sl_under *sl_segment_under(const struct sl_workflow *w, uint32_t seg);

/* Tasks done at or before time_ns: how many; by_done[that - 1] is the latest. */
uint32_t sl_workflow_done_by(const struct sl_workflow *w, int64_t time_ns);

#endif
