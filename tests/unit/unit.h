/* SPDX-License-Identifier: Apache-2.0 */
/* cmocka wants these before it; and random numbers that are the same everywhere. */
#ifndef SL_UNIT_H
#define SL_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What is sanitized takes ten times as long, and is run for its steps: the many tries that figures need, the other
 * build makes. */
#ifdef __has_feature
#define SANITIZED __has_feature(address_sanitizer)
#elif defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

/* xorshift64*; Marsaglia, "Xorshift RNGs", 2003. */
static inline uint64_t rnd(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545F4914F6CDD1Du;
}

static inline uint64_t below(uint64_t *state, uint64_t n)
{
    return (rnd(state) >> 11) % n;
}

#endif
