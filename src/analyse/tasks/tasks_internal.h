/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of tasks.c, find_tasks.c and segments.c: how a task's events become its segments. */
#ifndef SL_ANALYSE_TASKS_TASKS_INTERNAL_H
#define SL_ANALYSE_TASKS_TASKS_INTERNAL_H

#include "analyse/tasks/tasks.h"
#include "base/intern.h"

struct phase {
    const char *state, *component; /* component NULL: as before */
    enum sl_phase_kind kind;
    int rank;
    bool again;
    const char *last_component; /* the state that it was last with this one; NULL: never */
    uint32_t last_state;
};

struct working {
    struct sl_workflow *w;
    SL_VEC(struct phase) phase; /* [0] is none */
    uint16_t **phase_of;        /* by number of a span type, then of an event type; NULL: the type has no phases */
    bool *phased;               /* by rank of a type: it has phases */
    struct sl_intern state;     /* "component\0state\0kind"; id - 1 is the index */
    struct sl_intern after;     /* what happened and kind, as bytes; id - 1 is the index into after_state */
    SL_VEC(uint32_t) after_state;
    uint32_t call_type; /* rank of SL_CALL_TYPE, or SL_NO_INDEX */
    SL_VEC(struct sl_task) tasks;
    uint32_t *unit;        /* by span: the task that it is part of; SL_NO_INDEX: none */
    uint32_t *member;      /* by span: the task that it is a facet of; SL_NO_INDEX: none */
    struct sl_csr wait[2]; /* by span: on which others it waited (after), and who handed over to it (flow) */
    uint32_t *worker;      /* by span: of which worker it is a subspan; SL_NO_INDEX: of none */

    /* the task at hand */
    struct sl_closure r;
    SL_VEC(struct sl_timed_event) history;
    SL_VEC(struct { uint32_t span, left, state; }) open; /* spans without phases, innermost last */
    SL_VEC(struct { uint32_t span, code, times; }) told; /* of the task itself, and how often */
};

/* Reads sl_state; none where there is no such table. */
int sl_working_phases(struct working *k, struct sl_err *err);
/*
 * Which spans are tasks, and the segments of each: those that the recipes call so, or else what comes nearest, from the
 * most to the least certain (find_tasks.c).
 */
int sl_working_tasks(struct working *k, struct sl_err *err);
void sl_working_forget_tasks(struct working *k);
/* From k->history, sorted and not empty, to the segments of t, whose number is task. */
void sl_working_segments(struct working *k, uint32_t task, struct sl_task *t);
uint32_t sl_working_state(struct working *k, const char *component, const char *state, enum sl_phase_kind kind);

#endif
