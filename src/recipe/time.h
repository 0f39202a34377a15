/* SPDX-License-Identifier: Apache-2.0 */
/* Times as logs write them -> integer nanoseconds, exactly (floating point only where the log has it). */
#ifndef SL_RECIPE_TIME_H
#define SL_RECIPE_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sl_time_kind {
    SL_TIME_UNIX, /* decimal seconds since the epoch */
    SL_TIME_UNIX_MS,
    SL_TIME_UNIX_US,
    SL_TIME_UNIX_NS,
    SL_TIME_UNIX_ROUND, /* seconds as a program prints its double, rounded to so many digits as printf does */
    SL_TIME_ISO,        /* 2026-11-20 08:11:30.537, T or blank, '.' or ',', Z or +hh:mm or nothing (naive) */
    SL_TIME_PATTERN,    /* a strptime pattern of %Y %m %d %H %M %S %f %b %y %j %z %% and literal text */
};

struct sl_time_format {
    enum sl_time_kind kind;
    const char *pattern; /* SL_TIME_PATTERN; borrowed */
    const char *lacks;   /* a pattern without year, month or day says nothing of when: what its times are; else NULL */
    int digits;          /* SL_TIME_UNIX_ROUND */
};

/* Fills f from `unix`, `unix_ms`, `unix_us`, `unix_ns`, `unix.N`, `iso` or a pattern with a %; false: none of these. */
bool sl_time_format(struct sl_time_format *f, const char *spec);

/*
 * s[0..n) -> *ns since the epoch.  *naive: the text has no zone, *ns is local time read as if it were UTC.
 * False: not a time of this format, or outside 1678..2261, or the format lacks the date.
 */
bool sl_time_parse(const struct sl_time_format *f, const char *s, size_t n, int64_t *ns, bool *naive);

/* Is s[0..n) a time of day and nothing else, 08:11:36.5?  Why it is no time, for people. */
bool sl_time_of_day(const char *s, size_t n);
#define SL_TIME_OF_DAY "a time of day without a date"

/* +05:30, -0330, -3, Z: seconds east of UTC; INT32_MIN: it is none. */
int32_t sl_zone_offset(const char *s);

#endif
