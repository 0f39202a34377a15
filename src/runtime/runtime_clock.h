/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clock of a trace.  The processor's counter where it runs at one rate whatever the processor does (x86: CPUID
 * 0x80000007, EDX bit 8; AMD64 Architecture Programmer's Manual 3, Intel SDM 3B 18.17), else CLOCK_MONOTONIC.
 */
#ifndef SL_RUNTIME_RUNTIME_CLOCK_H
#define SL_RUNTIME_RUNTIME_CLOCK_H

#include "trace/format.h"

#include <time.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

extern uint32_t sl_clock; /* enum sl_tf_clock */

static inline uint64_t sl_clock_ns(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* The processor's counter; only where sl_clock is not SL_TF_CLOCK_NS. */
static inline uint64_t sl_clock_counter(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t t;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(t));
    return t;
#else
    return sl_clock_ns(CLOCK_MONOTONIC);
#endif
}

static inline uint64_t sl_clock_ticks(void)
{
    return __builtin_expect(sl_clock != SL_TF_CLOCK_NS, 1) ? sl_clock_counter() : sl_clock_ns(CLOCK_MONOTONIC);
}

static inline uint32_t sl_clock_best(void)
{
#if defined(__x86_64__)
    unsigned a, b, c, d;

    if (__get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8))
        return SL_TF_CLOCK_TSC;
#elif defined(__aarch64__)
    return SL_TF_CLOCK_CNTVCT;
#endif
    return SL_TF_CLOCK_NS;
}

/* Both clocks at one moment: of some tries the one that took least. */
static inline struct sl_tf_moment sl_clock_moment(void)
{
    struct sl_tf_moment best = {0};
    uint64_t least = UINT64_MAX;

    for (int i = 0; i < 5; i++) {
        uint64_t before = sl_clock_ticks(), ns = sl_clock_ns(CLOCK_MONOTONIC), took = sl_clock_ticks() - before;
        if (took < least) {
            least = took;
            best = (struct sl_tf_moment){before + took / 2, ns};
        }
    }
    return best;
}

/* CLOCK_REALTIME - CLOCK_MONOTONIC. */
static inline int64_t sl_clock_offset(void)
{
    int64_t best = 0;
    uint64_t least = UINT64_MAX;

    for (int i = 0; i < 5; i++) {
        uint64_t before = sl_clock_ns(CLOCK_MONOTONIC), real = sl_clock_ns(CLOCK_REALTIME);
        uint64_t took = sl_clock_ns(CLOCK_MONOTONIC) - before;
        if (took < least) {
            least = took;
            best = (int64_t)(real - before - took / 2);
        }
    }
    return best;
}

#endif
