/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers that are the same everywhere: SplitMix64; Steele, Lea and Flood, OOPSLA 2014.  Any state will do. */
#ifndef SL_ANALYSE_KERNELS_RANDOM_H
#define SL_ANALYSE_KERNELS_RANDOM_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

static inline uint64_t sl_random(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;

    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* Uniform, 0 < u < 1. */
static inline double sl_random_real(uint64_t *state)
{
    return ((double)(sl_random(state) >> 12) + 0.5) * 0x1p-52;
}

/* Standard normal, by Marsaglia's polar method; SIAM Review 6 (1964) 260. */
static inline double sl_random_normal(uint64_t *state)
{
    for (;;) {
        double x = 2 * sl_random_real(state) - 1, y = 2 * sl_random_real(state) - 1, r = x * x + y * y;
        if (r < 1 && r > 0)
            return x * sqrt(-2 * log(r) / r);
    }
}

/* 0 <= i < n, n > 0; the bias is below n / 2^64. */
static inline size_t sl_random_below(uint64_t *state, size_t n)
{
    return (size_t)(((unsigned __int128)sl_random(state) * n) >> 64);
}

#endif
