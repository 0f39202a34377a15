/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clocks that disagree, judged by handovers (sl_handover): what was sent before it was received, whatever the times
 * say. A handover from source A to source B that took g by their times says: offset(A) - offset(B) <= g, where an
 * offset is what is to be added to the times of a source.  Handovers both ways bound an offset from both sides, as in
 * NTP (RFC 5905, section 8), and over any number of sources between, by shortest paths through these differences
 * (Bellman-Ford).
 *
 * Bounds are against one source, the reference: that which tells most of tasks.  The estimate is 0 where that is
 * possible, else the middle of the bounds, or the only bound.
 */
#ifndef SL_ANALYSE_CLOCK_OFFSETS_H
#define SL_ANALYSE_CLOCK_OFFSETS_H

#include "base/err.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_clock {
    int64_t source;
    int64_t reference;         /* the source whose clock is taken for right */
    uint64_t pairs, backwards; /* handovers to and from it; of these, how many end before they begin, uncorrected */
    bool has_lower, has_upper;
    int64_t lower_ns, upper_ns; /* of its offset */
    int64_t offset_ns;          /* the estimate: what is to be added to its times */
    int64_t relaxed_ns;         /* handovers contradict each other by so much; the bounds were widened */
};

/* The clocks of all sources that take part in handovers, by source.  On success free() *out. */
int sl_skew_estimate(struct sl_clock **out, size_t *n, sqlite3 *db, struct sl_err *err);

#endif
