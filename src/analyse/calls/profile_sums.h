/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls (calls.h), added up: flat, a row a function, or as a tree, a row a path of functions.  Both merge threads,
 * processes and ranks, unless the calls were loaded `by` one of these: then each of them has rows of its own.
 *
 * inclusive  from begin to end.  Flat: of the outermost calls of the function only, so that recursion counts once.
 * exclusive  of this, the time in which nothing that it called was running: what overlaps, as calls in several
 *            processes may, is taken off once, and what a child did before its caller's begin or after its end is not.
 *            On one thread it is the usual inclusive time less that of the children.
 * Both are times of threads: two processes that ran at once count twice, so that sums may exceed the time by the clock.
 */
#ifndef SL_ANALYSE_CALLS_PROFILE_SUMS_H
#define SL_ANALYSE_CALLS_PROFILE_SUMS_H

#include "analyse/calls/calls.h"

struct sl_profile_row {
    uint32_t parent; /* tree: the row of the caller; SL_NO_INDEX: a root */
    uint32_t depth;  /* tree: 0: a root */
    uint32_t name, part;
    uint64_t calls, unfinished;
    uint64_t unknown; /* of the unfinished: nothing is known after their begin, so that the times are at least these */
    int64_t inclusive_ns, exclusive_ns;
    int64_t min_ns, max_ns, sum_ns; /* of finished calls; min_ns > max_ns: there are none */
};

struct sl_profile {
    struct sl_profile_row *v;
    size_t n, cap;
    int64_t exclusive_ns; /* of all */
};

/* Flat: the function of the most exclusive time first, with its parts one after another. */
void sl_profile_flat(struct sl_profile *p, const struct sl_calls *c);
/* A tree: callers before what they call, among these the function of the longest inclusive time first. */
void sl_profile_tree(struct sl_profile *p, const struct sl_calls *c);
void sl_profile_free(struct sl_profile *p);

#endif
