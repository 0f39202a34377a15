/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stretches of time of one width.  The i-th begins i widths after the epoch, so that those of different queries lie on
 * one another.  And changes in order of time, from which what is counted in bins comes.
 */
#ifndef SL_ANALYSE_BINS_H
#define SL_ANALYSE_BINS_H

#include "base/err.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_bins {
    int64_t width_ns;
    int64_t first, last; /* numbers of bins; first > last: there are none */
    int about;           /* 0: the width is known; else sl_bins_fit() finds it */
};

enum { SL_BINS_MOST = 10000000 };

/* The next larger number of seconds that people count in: 1, 2, 5, 10, 15, 30 s, 1, 2, 5, 10 min, ... */
double sl_round_seconds(double seconds);

/* The width that a user's argument means: seconds, or a text such as '36 bins', for about as many, of a round width. */
int sl_bins_width(struct sl_bins *b, sqlite3_value *seconds, struct sl_err *err);
void sl_bins_fit(struct sl_bins *b, int64_t from, int64_t to);
/* From the bin of a time to that of another, as far as they begin from min to max.  Too many are an error. */
int sl_bins_over(struct sl_bins *b, int64_t from, int64_t to, int64_t min, int64_t max, struct sl_err *err);
/* Where bin i begins; the one around INT64_MIN begins there. */
int64_t sl_bins_begin(const struct sl_bins *b, int64_t i);

/* The number of the bin of a time. */
static inline int64_t sl_bins_of(const struct sl_bins *b, int64_t time_ns)
{
    return time_ns / b->width_ns - (time_ns % b->width_ns < 0);
}
/* The same as begin, but exact. */
static inline __int128 sl_bins_edge(const struct sl_bins *b, int64_t i)
{
    return (__int128)i * b->width_ns;
}

struct sl_change {
    int64_t time_ns;
    uint32_t a, b; /* the caller's */
};
/* By time; those at the same time keep their order.  Radix sort: linear, and needs half as much memory again. */
void sl_changes_sort(struct sl_change *v, size_t n);

/* Something counted over time, and its integral since a bin began. */
struct sl_level {
    int64_t now;
    __int128 area; /* count times nanoseconds */
    __int128 since;
};
static inline void sl_level_until(struct sl_level *l, __int128 t)
{
    l->area += l->now * (t - l->since);
    l->since = t;
}
static inline void sl_level_add(struct sl_level *l, int64_t t, int64_t by)
{
    sl_level_until(l, t);
    l->now += by;
}

#endif
