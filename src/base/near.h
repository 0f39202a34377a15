/* SPDX-License-Identifier: Apache-2.0 */
/* What else could be meant by a name that is none. */
#ifndef SL_BASE_NEAR_H
#define SL_BASE_NEAR_H

#include "base/buf.h"

#include <stddef.h>

/* Which of n names may be meant by one that is none of them: how many, the nearest first. */
enum { SL_NEAR = 3 };
int sl_near(const char *const *names, size_t n, const char *pattern, size_t best[SL_NEAR]);

/* Appends "; did you mean 'a'?", or "'a', 'b' or 'c'", or nothing: what is said behind a name that is none of these. */
void sl_near_add(struct sl_buf *b, const char *const *names, size_t n, const char *pattern);

#endif
