/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/sampler/sampler_internal.h"

static const uint64_t TOP_32 = UINT64_C(1) << 32, LEAP = UINT64_C(1) << 60;

static void add(struct counter *c, uint64_t step, struct oddities *odd)
{
    if (step > LEAP || c->total > LEAP) /* no device is as fast */
        odd->reset++;
    else
        c->total += step;
}

void counter_add(struct counter *c, uint64_t now, enum when_less less, struct oddities *odd)
{
    if (!c->begun) {
        c->begun = true;
    } else if (now >= c->last) {
        add(c, now - c->last, odd);
    } else if (less == LESS_WRAP_32 && c->last < TOP_32) {
        add(c, now + TOP_32 - c->last, odd);
        odd->wrapped++;
    } else if (less != LESS_IGNORE) { /* what a counter of 64 bits lost that did not begin anew, nobody knows */
        add(c, less == LESS_RESET ? now : 0, odd);
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
