/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which call was the innermost one of its thread when.  While others that it started run, on its thread, another or in
 * another process, it is not: it waits for them, or they work beside it.  A thread all of whose calls lie in a call of
 * the first thread of its process counts as started by that.
 */
#ifndef SL_ANALYSE_CALLS_INNERMOST_H
#define SL_ANALYSE_CALLS_INNERMOST_H

#include "analyse/calls/calls.h"

struct sl_innermost {  /* arrays by call, times in ns */
    int64_t *own_ns;   /* it was the innermost */
    double *share_ns;  /* of these, each divided by how many calls were then: over all calls these sum to the time in
                          which  any ran */
    int64_t *alone_ns; /* of these, no other call was */
    uint32_t most;     /* how many were at once, at most */
};

/* *out is to be freed. */
void sl_innermost_find(struct sl_innermost *out, const struct sl_calls *c);
void sl_innermost_free(struct sl_innermost *m);

#endif
