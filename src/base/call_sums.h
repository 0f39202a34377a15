/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of traced programs that were added up while they were read, by path of functions, instead of being kept one by
 * one.  Readers fill it in (read/trace/add_up.c says which calls), call_profile() adds it to the calls that a store
 * has.
 */
#ifndef SL_BASE_CALL_SUMS_H
#define SL_BASE_CALL_SUMS_H

#include "base/intern.h"

#include <stdbool.h>

#define SL_CALLS_SUMS "sl_call_sums" /* what call_profile() and call_tree() get a pointer to them as */

struct sl_call_path {
    uint32_t above; /* path of the caller, which stands before it; UINT32_MAX: it is outermost on its thread */
    uint32_t name;  /* text */
    uint64_t calls;
    int64_t inclusive_ns,
        exclusive_ns; /* exclusive_ns: less what is to be taken off calls of this path that were kept */
    int64_t min_ns, max_ns;
};

struct sl_call_interval {
    int64_t begin_ns, end_ns;
};

struct sl_call_thread {
    uint32_t process, tid; /* texts: keys of spans */
    SL_VEC(struct sl_call_path) paths;
    SL_VEC(struct sl_call_interval) outermost; /* of a process that lies in another one: its outermost calls */
};

/* A process, and those that it started. */
struct sl_call_process {
    uint32_t key;                /* text */
    uint32_t container;          /* in processes; UINT32_MAX: none */
    int64_t start_ns, latest_ns; /* it began between these */
    int64_t end_ns;              /* INT64_MAX: not known */
};

struct sl_call_sums {
    struct sl_intern texts;
    SL_VEC(struct sl_call_process) processes; /* those that lie in others, and these; filled in by the caller */
    SL_VEC(struct sl_call_thread) threads;
    struct sl_intern by_key; /* of threads */
    bool unfit;              /* the calls of these files cannot be added up: read them again, without it */
};

void sl_call_sums_clear(struct sl_call_sums *s); /* but for texts and processes */
void sl_call_sums_free(struct sl_call_sums *s);

#endif
