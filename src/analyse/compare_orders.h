/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two sides compared: what changed from side 0 (A) to side 1 (B) in what their roots went through.  Events are the same
 * where their names are.
 */
#ifndef SL_ANALYSE_COMPARE_ORDERS_H
#define SL_ANALYSE_COMPARE_ORDERS_H

#include "analyse/event_steps.h"

/* A quantile of both samples; NaN of what is empty. */
struct sl_shift {
    double a, b, change;
    double low, high; /* 95 % interval of change (kernels/bootstrap.h); NaN: the samples are too small for any */
};

struct sl_diff_row {
    uint32_t from, to; /* common codes */
    size_t n[2];
    struct sl_shift median, p95, p99;
    bool alike;    /* both sides have it about as often a root (a tenth more or less): else other tasks are compared */
    double weight; /* |change of median| x how often it is in a root; of what one side has: its median instead */
};

/* An ordering that one side has. */
struct sl_diff_lone {
    int side;
    size_t ordering; /* index into t[side].seq.v */
};

struct sl_diff_event {
    const char *span_type, *event_type;
    bool in[2];
};

struct sl_diff {
    struct sl_transitions t[2];         /* with common codes: indices into event */
    SL_VEC(struct sl_diff_event) event; /* by the names */
    struct sl_diff_row history;         /* from the first event of a root to its last */
    SL_VEC(struct sl_diff_group {
        const char *name; /* of t[0] or t[1] */
        struct sl_diff_row row;
    })
    group;                                 /* the same of each group, by name */
    SL_VEC(struct sl_diff_row) transition; /* surely changed; not surely; then what one side has: each by weight */
    SL_VEC(struct sl_diff_lone) lone;      /* A's, then B's, as in seq.v */
};

/*
 * Fill d->t[0] and d->t[1] (sl_transitions_make()) before, all else is zero.  *d is to be freed, whatever came of it.
 */
void sl_diff_make(struct sl_diff *d);
void sl_diff_free(struct sl_diff *d);

/* Does the whole interval lie on one side of 0?  Then the change has its sign, else 0. */
static inline int sl_shift_sure(const struct sl_shift *s)
{
    return s->low > 0 ? 1 : s->high < 0 ? -1 : 0;
}

/* The same of a transition, of which it can only be said where both sides have it as often. */
static inline int sl_diff_sure(const struct sl_diff_row *r)
{
    return r->alike ? sl_shift_sure(&r->median) : 0;
}

#endif
