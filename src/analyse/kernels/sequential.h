/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How large is a shift, when one looks after every pair and may stop at any time?
 *
 * Two things are measured beside each other, again and again, which of them first decided by a coin each time.  What
 * the second scores by the first, less the true shift, is then as likely d as -d, whatever else goes on: tails,
 * trends, errors that come together, what the first leaves to the second.  So a game of bets on the sign is fair, and
 * he who plays it at a wrong shift grows rich.  The interval has all shifts at which nobody has: a test martingale for
 * each (Ville, Etude critique de la notion de collectif, 1939), with
 *
 *     mean over k of prod_i (1 + lambda_k psi((d_i - shift) / c_i))
 *
 * as capital (Waudby-Smith & Ramdas, JRSS B 86 (2024) 1, who bet on means; mixtures: Howard et al., Annals of
 * Statistics 49 (2021) 1055).  psi is the identity up to +-1 and then flat (Huber's), so that what lies far out counts
 * but is not ruinous; c_i is 1.5 standard deviations, by the median absolute deviation of the differences before i.
 * The chance that the interval ever does not have the true shift is at most alpha, however often and why ever one
 * looks.  It costs 1.3 to 1.8 times the pairs of a test whose number of pairs is fixed before.
 *
 * Where differences are not as likely d as -d (the second varies in another way than the first), it is of the shift at
 * which psi is 0 on average, which lies between their median and their mean, and holds as far as c has settled.
 */
#ifndef SL_ANALYSE_KERNELS_SEQUENTIAL_H
#define SL_ANALYSE_KERNELS_SEQUENTIAL_H

#include "base/mem.h"

#include <stdbool.h>

/* Zeroed: no pair yet. */
struct sl_sequential {
    SL_VEC(double) difference, clip;
};

struct sl_shift_interval {
    double estimate, low, high; /* low, high: infinite as long as nothing is known; estimate: NaN without pairs */
};

/* The next pair's; finite. O(n). */
void sl_sequential_add(struct sl_sequential *s, double difference);
void sl_sequential_free(struct sl_sequential *s);

/* O(n) for each of some hundred steps, ends to 1e-9 of what the differences span.  The estimate is the shift at which
 * no bet was won, always inside. */
struct sl_shift_interval sl_sequential_shift(const struct sl_sequential *s, double alpha);

/* Is the true shift above (side 1) or below (-1) this one for sure?  As the interval has it.  O(n). */
bool sl_sequential_passed(const struct sl_sequential *s, double alpha, double shift, int side);

/* So many pairs more, if they are as those so far, until it is; 0: it is; infinite: it does not look like that. */
double sl_sequential_more(const struct sl_sequential *s, double alpha, double shift, int side);

#endif
