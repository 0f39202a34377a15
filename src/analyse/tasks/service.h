/* SPDX-License-Identifier: Apache-2.0 */
/* Runs get their places (places.h), in order of time: a list schedule. */
#ifndef SL_ANALYSE_TASKS_SERVICE_H
#define SL_ANALYSE_TASKS_SERVICE_H

#include "analyse/tasks/places.h"

struct sl_item {
    int64_t at_ns;
    uint32_t what, which;
};
/*
 * The first by all three is taken first.  Most come in order: those stand in line, and what comes before the last of
 * these is in a heap.
 */
struct sl_queue {
    SL_VEC(struct sl_item) line, heap;
    size_t taken; /* of the line */
};

struct sl_service;
/* Run i begins; at_ns: when it was ready and had a place. */
typedef void sl_begin_fn(struct sl_service *s, uint32_t run, int64_t at_ns, void *to);

struct sl_place {        /* several that are alike */
    uint32_t pool, left; /* left: of how many nobody had one yet */
    int64_t until_ns;
};

struct sl_service {
    const struct sl_places *p;
    SL_VEC(struct sl_place) place;
    struct sl_queue events;
    struct sl_queue *waiting, *free; /* by pool */
    uint32_t *place_of;              /* by run: SL_NO_INDEX: it has none */
    int64_t *ready_ns;               /* by run */
    int64_t *since_ns;               /* by run: it counts as ready from then on; INT64_MAX: not yet */
    uint32_t *first, *next;          /* by run: those that are ready but for it, one after the other; SL_NO_INDEX */
    bool *touched;                   /* by pool */
    uint32_t parked;                 /* how many are ready but for another one */
    SL_VEC(uint32_t) serve;
    const int64_t *length_ns; /* by run, borrowed: of those who wait the longest is served first; NULL */
    sl_begin_fn *begin;
    void *to;
};

/*
 * workers[pool]: how many each pool is to have, at least 1; those that are more are as those that there were, in turn.
 * Borrowed; NULL: as many as there were.  later_ns[pool]: how much later those that are more are there; NULL: not at
 * all.  arrival: factors, by enum sl_arrival; NULL: 1.  s->length_ns may be set before the first event.
 */
void sl_service_init(struct sl_service *s, const struct sl_places *p, const uint32_t *workers, const int64_t *later_ns,
                     const double *arrival, sl_begin_fn *begin, void *to);
void sl_service_free(struct sl_service *s);
void sl_service_ready(struct sl_service *s, uint32_t run, int64_t at_ns);
/* Run i takes no place; at_ns: when it would have been ready. */
void sl_service_passed(struct sl_service *s, uint32_t run, int64_t at_ns);
void sl_service_done(struct sl_service *s, uint32_t run, int64_t at_ns);
/* The next event: who is ready and finds a place begins.  No: there is none. */
bool sl_service_next(struct sl_service *s);

#endif
