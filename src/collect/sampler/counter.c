/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/sampler/sampler_internal.h"

static const uint64_t TOP_32 = UINT64_C(1) << 32;

void counter_add(struct counter *c, uint64_t now, enum when_less less, struct oddities *odd)
{
    if (!c->begun) {
        c->begun = true;
    } else if (now >= c->last) {
        c->total += now - c->last;
    } else if (less == LESS_WRAP_32 && c->last < TOP_32) {
        c->total += now + TOP_32 - c->last;
        odd->wrapped++;
    } else if (less != LESS_IGNORE) { /* what a counter of 64 bits lost that did not begin anew, nobody knows */
        c->total += less == LESS_RESET ? now : 0;
        odd->reset++;
    }
    c->last = now;
}

void counter_add_pair(struct counter *c, uint64_t now, struct counter *with, uint64_t with_now, struct oddities *odd)
{
    counter_add(c, now, with->begun && with_now < with->last ? LESS_RESET : LESS_WRAP_32, odd);
    with->last = with_now;
    with->begun = true;
}
