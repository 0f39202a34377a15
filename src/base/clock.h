/* SPDX-License-Identifier: Apache-2.0 */
/* Times: nanoseconds since the Unix epoch, UTC. */
#ifndef SL_BASE_CLOCK_H
#define SL_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

int64_t sl_clock_now_ns(void);
int64_t sl_clock_mono_ns(void); /* for durations; epoch unspecified */

/* Of any clock that clock_gettime(2) has; 0: this kernel does not have it. */
static inline int64_t sl_clock_ns(clockid_t clock)
{
    struct timespec t = {0, 0};

    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Sums and differences of times that a store may hold anything for: the largest or smallest where there is no room. */
static inline int64_t sl_time_add(int64_t a, int64_t b)
{
    int64_t t;
    return !__builtin_add_overflow(a, b, &t) ? t : b < 0 ? INT64_MIN : INT64_MAX;
}

static inline int64_t sl_time_sub(int64_t a, int64_t b)
{
    int64_t t;
    return !__builtin_sub_overflow(a, b, &t) ? t : b < 0 ? INT64_MAX : INT64_MIN;
}

enum { SL_TIME_TEXT = 48 };
/* Formats ns as 2026-11-20T08:11:30.537000000Z into buf[SL_TIME_TEXT]; returns buf. */
char *sl_time_text(int64_t ns, char *buf);

enum { SL_SECONDS_TEXT = 32 };
/* Seconds as people read them: "412 us", "3.2 s", "1 h 02 min".  Into buf[SL_SECONDS_TEXT]; returns buf. */
char *sl_seconds_text(double s, char *buf);
/*
 * The same beside longer ones, of which `most` seconds is the longest, so that they can be compared by eye: all in ms,
 * or in s ("0.406 s" beside 31.4 s), or from 120 s on in s, min and s, or h and min.  What is less than 0.5 ms of more
 * than a second keeps its own unit.
 */
char *sl_seconds_beside(double s, double most, char *buf);

#endif
