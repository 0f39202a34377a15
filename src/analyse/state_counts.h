/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many roots are in which state over time.  A root's state is its latest event: of those at one time the last by
 * name.  It has none before its first event, and keeps its last for ever.
 *
 * When an event of the root, of a facet of it or of an attempt at it says that it is over (kind 'done' in sl_state),
 * what is told later is no state of it: logs of workers end after the task has.  Another such event is, if its rank is
 * no less; and all is again from an event on that may come `again`.
 */
#ifndef SL_ANALYSE_STATE_COUNTS_H
#define SL_ANALYSE_STATE_COUNTS_H

#include "analyse/bins.h"
#include "analyse/groups.h"
#include "analyse/load/root_events.h"

struct sl_occupancy {
    struct sl_change *v; /* in order of time: from state a (SL_NO_INDEX: none) to state b; b with SL_OVER: for ever */
    size_t n;
    uint32_t *code;  /* what a state is, as the histories number it */
    uint32_t *group; /* of which spans; NULL: of all */
    uint32_t states; /* by group, in the order of their names */
};

#define SL_OVER 0x80000000u

/*
 * Of the histories that are left, which it frees but for their names.  groups: by these, each has states of its own;
 * NULL: all together.  On success *out is to be freed.
 */
int sl_occupancy_make(struct sl_occupancy *out, struct sl_root_events *from, struct sl_groups *groups,
                      struct sl_err *err);
void sl_occupancy_free(struct sl_occupancy *o);

#endif
