/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of process.c (what started a process), worker.c, environment.c and flow.c: traced processes, and what is known
 * of them.  process.c calls the others, which use process_facts.c.
 */
#ifndef SL_BIND_PROCESS_INTERNAL_H
#define SL_BIND_PROCESS_INTERNAL_H

#include "base/intern.h"
#include "base/mem.h"
#include "bind/bind_internal.h"

enum fact { HOST, PID, PPID, PARENT_ID, SPAN_ID, PATH, TICKS, ANCESTORS, FACTS };

enum { SL_TICK_NS = 10000000 }; /* Linux tells when a process began in hundredths of a second, cut off */

/* t + tick, which is positive; stores and traces that are damaged have any time. */
static inline int64_t sl_tick_after(int64_t t, int64_t tick)
{
    return t > INT64_MAX - tick ? INT64_MAX : t + tick;
}

enum rule { BY_PARENT, BY_PID, BY_PATH, BY_FLOW, RULES };

struct process {
    bool anew;                                   /* it is to be bound; else it is one that others may lie in */
    int64_t id, start, end;                      /* end INT64_MAX: not known */
    int64_t latest;                              /* it may have begun later than start, up to this */
    int64_t first;                               /* what it recorded first */
    uint32_t fact[FACTS];                        /* texts; 0: not known */
    const uint32_t (*env)[SL_PROCESS_VARIABLES]; /* so are the variables that set->processes name */
    int64_t in_span,
        in_process; /* what it lies in: a span that is known, or a process, of which the call is looked for */
    enum rule rule;
    double confidence;
    const struct sl_process_decl *worker; /* it is one itself, of these tasks; else NULL */
    int64_t forked, before; /* of what a worker started: when that was, at the earliest and at the latest */
    bool awaited;           /* by the worker: the task of `first` is that of its beginning */
};

/* What a process may lie in. */
struct task {
    int64_t id, from, to;
};

typedef SL_VEC(struct task) task_list;

struct process_binding {
    struct sl_store *st;
    struct sl_err *err;
    const struct sl_recipes *set;
    struct sl_intern texts;
    struct sl_arena arena;
    SL_VEC(struct process) v;
    int64_t rule[RULES], *declared; /* names, of rules here and of set->processes; 0: unbound */
    sqlite3_stmt *link, *doubt;
};

/* process_facts.c */
int sl_processes_load(struct process_binding *s); /* and the statements that link them */
void sl_processes_free(struct process_binding *s);
const char *sl_process_fact(const struct process_binding *s, const struct process *p, enum fact f);
bool sl_process_any(const struct process_binding *s, enum fact f);
bool sl_process_is_bound(const struct process *p);
int sl_process_link(struct process_binding *s, enum sl_link_kind kind, int64_t left, int64_t right, int64_t rule,
                    double confidence);
int sl_process_doubt(struct process_binding *s, enum sl_link_kind kind, int64_t left, int64_t right, int64_t rule);
/* Calls of process ?1: id, thread, begin, end, by begin. */
extern const char *const sl_process_calls_sql;

/* Spans of traces that have the attribute, which is not of the user's: span, value, type, process. */
sqlite3_stmt *sl_process_with_attribute(struct process_binding *s, const char *name);
/* Of these, those where it has the value ?1. */
sqlite3_stmt *sl_process_called(struct process_binding *s, const char *name);

/* flow.c: flows from one process to another. */
int sl_bind_flows(struct process_binding *s);

/* environment.c: the spans that environments name, but for tasks of workers. */
int sl_bind_environment(struct process_binding *s);
/* The query of the declared spans, or pids, for what p's environment says. */
void sl_environment_ask(const struct process_binding *s, const struct process *p, size_t declared, sqlite3_stmt *q);
/* Rows of q: span, begin, end. */
int sl_tasks_load(struct process_binding *s, task_list *out, sqlite3_stmt *q);
/* When it ended, at the latest: logs of whole milliseconds say the last one before. */
int64_t sl_task_latest_end(const struct task *t);
/* Into the only one that was running somewhen from..to, else all of these into doubt. */
int sl_tasks_link(struct process_binding *s, const task_list *l, const struct process *p, int64_t from, int64_t to,
                  int64_t rule);

/* worker.c: which processes are workers, and when these started the others; then, in which tasks they lie. */
int sl_workers_find(struct process_binding *s);
int sl_workers_bind(struct process_binding *s);

#endif
