/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the roots of a type went through, grouped: a transition is from one event of a root's history (root_events.h) to
 * the next.
 */
#ifndef SL_ANALYSE_EVENT_STEPS_H
#define SL_ANALYSE_EVENT_STEPS_H

#include "analyse/event_orders.h"
#include "analyse/groups.h"

struct sl_transition {
    uint32_t from, to; /* codes */
    double *v;         /* seconds, ascending */
    size_t n;
};

struct sl_transitions {
    SL_VEC(struct sl_transition) kind; /* by the names: from, then to */
    struct sl_sequences seq;
    uint64_t roots;   /* those without events included */
    double *history;  /* seconds from the first event of a root to its last, ascending */
    size_t histories; /* roots that have events */
    SL_VEC(struct sl_history_group {
        char *name;
        double *v; /* of history, ascending */
        size_t n, cap;
    })
    group;            /* by name, none last; none without `by` */
    int64_t first_ns; /* of all events of the roots; undefined without any */
    int64_t last_ns;

    struct sl_root_events names; /* of which the names of codes are left */
    double *seconds;             /* what kind.v[i].v points into */
};

/* within: the id of a span to which the roots belong; 0: any.  *out is to be freed, on failure too. */
int sl_transitions_make(struct sl_transitions *out, sqlite3 *db, const char *type, int64_t within, enum sl_by by,
                        struct sl_err *err);
void sl_transitions_free(struct sl_transitions *t);

#endif
