/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long the calls lasted that have no end, because their process was killed, or hangs.
 *
 * A process is over when its `end` says so.  Where it has none, it was killed; then it is over with the call that it
 * lies in, or that the process around it lies in, and so on: who started it waited for it, `spanloom run` if nobody
 * else.  Where that call has no end either, it is over when the process of that call is.  No open call was over before
 * the last event of its process, nor before that of any process below it.
 */
#ifndef SL_ANALYSE_CALLS_UNFINISHED_H
#define SL_ANALYSE_CALLS_UNFINISHED_H

#include "analyse/load/events.h"

/* The type of calls in traces. */
#define SL_CALL_TYPE "trace.call"

enum { SL_UNFINISHED_CHAIN = 64 }; /* more processes in each other than that are a cycle */

struct sl_unfinished {
    int64_t *until; /* by span, of processes (and other roots): until when what it left open lasted, at least */
    int64_t *below; /* by span, of calls: the last event of the processes that lie right in it; INT64_MIN: none */
};

void sl_unfinished_find(struct sl_unfinished *o, const struct sl_graph *g, const struct sl_events *e);
void sl_unfinished_free(struct sl_unfinished *o);

/* The root by names: the process, where the parents of a call are its thread and that. */
uint32_t sl_unfinished_root(const struct sl_graph *g, uint32_t span);

#endif
