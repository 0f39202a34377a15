/* SPDX-License-Identifier: Apache-2.0 */
/* What else could be meant by a name that is none. */
#ifndef SL_BASE_NEAR_H
#define SL_BASE_NEAR_H

#include <stddef.h>

/* Which of n names may be meant by one that is none of them: how many, the nearest first. */
enum { SL_NEAR = 3 };
int sl_near(const char *const *names, size_t n, const char *pattern, size_t best[SL_NEAR]);

#endif
