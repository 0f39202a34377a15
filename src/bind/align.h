/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two sequences of things that are the same, seen by two sources that share no name for them: the n-th of one is the
 * n-th of the other, but for those that only one of them has.  An alignment keeps the order of both, pairs only what
 * fits in time and label, and pays for what it leaves out.  A pair is certain if every alignment that costs little more
 * than the cheapest has it, and if nobody else was handing over something that fits as well at that moment.
 *
 * The recurrence is that of Needleman and Wunsch, J. Mol. Biol. 48 (1970) 443, forwards and backwards, in a band as
 * wide as what may be left out (Ukkonen, Information and Control 64 (1985) 100).
 */
#ifndef SL_BIND_ALIGN_H
#define SL_BIND_ALIGN_H

#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>

struct sl_align_item {
    int64_t id;
    double from_s, to_s; /* seen at these times at the earliest and the latest; NaN: not known */
    uint32_t label;      /* equal ones fit; 0 fits all */
    uint32_t skip;       /* what it costs to have no partner */
    uint32_t lane;       /* of b: who handed it over; what one hands over stays in order; 0: not known */
};

struct sl_align_pair {
    uint32_t a, b; /* indices */
    bool certain;
};

enum {
    SL_ALIGN_MARGIN = 1,   /* alignments that cost this much more than the cheapest count as possible */
    SL_ALIGN_NEVER = 1000, /* skip of what must have a partner: if the cheapest leaves it out, times or order lie, and
                              nothing is certain */
};

struct sl_align {
    SL_VEC(struct sl_align_pair) pair; /* by a; uncertain ones are all that are possible, up to SL_ALIGN_DOUBTS each */
    uint64_t cost;
    bool given_up; /* too many are left out to find out: no pairs */
};
enum { SL_ALIGN_DOUBTS = 8 };

/*
 * a[i] happens during b[j]: it is seen within [from_s, to_s] of b, slack_s more or less.  Both in their order; b from
 * the moment when it was handed over.  *out is
 * to be freed with sl_align_free().
 */
void sl_align(struct sl_align *out, const struct sl_align_item *a, uint32_t na, const struct sl_align_item *b,
              uint32_t nb, double slack_s);
void sl_align_free(struct sl_align *al);

#endif
