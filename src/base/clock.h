/* SPDX-License-Identifier: Apache-2.0 */
/* Times: nanoseconds since the Unix epoch, UTC. */
#ifndef SL_BASE_CLOCK_H
#define SL_BASE_CLOCK_H

#include <stdint.h>

int64_t sl_clock_now_ns(void);
int64_t sl_clock_mono_ns(void); /* for durations; epoch unspecified */

enum { SL_TIME_TEXT = 48 };
/* Formats ns as 2026-11-20T08:11:30.537000000Z into buf[SL_TIME_TEXT]; returns buf. */
char *sl_time_text(int64_t ns, char *buf);

#endif
