/* SPDX-License-Identifier: Apache-2.0 */
/* Spans of one type, grouped by the order in which the events below them happened. */
#ifndef SL_ANALYSE_EVENT_ORDERS_H
#define SL_ANALYSE_EVENT_ORDERS_H

#include "analyse/load/root_events.h"
#include "base/map.h"

/* Time from the previous event of the same root to this one, over the roots of an ordering.  0 at the first. */
struct sl_step {
    unsigned __int128 sum_ns; /* 64 bits would do for 500,000 tasks of ten hours, and no more */
    uint64_t min_ns, max_ns;
};

struct sl_ordering {
    uint64_t count; /* roots */
    size_t at;      /* its steps are code[at] and step[at] up to, not including, at + n */
    uint32_t n;     /* events; 0: roots that have none */
    uint64_t hash;
};

struct sl_sequences {
    struct sl_ordering *v; /* most frequent first; equally frequent by the names, step for step, the shorter first */
    size_t n, cap;
    uint64_t roots;
    uint32_t *code; /* what happened at a step, as the histories number it */
    struct sl_step *step;
    size_t steps, code_cap, step_cap;
};

void sl_sequences_free(struct sl_sequences *s);

/*
 * Groups histories, one at a time: .s is a zeroed sl_sequences, all else zero; finish() frees what it needed.  Roots
 * without events form the empty ordering.
 */
struct sl_sequencing {
    struct sl_sequences *s;
    SL_VEC(uint32_t) codes; /* of the root at hand */
    struct sl_map by_code;  /* indices of s->v */
};
void sl_sequences_add(struct sl_sequencing *m, const struct sl_timed_event *v, size_t n);
void sl_sequences_finish(struct sl_sequencing *m);

#endif
