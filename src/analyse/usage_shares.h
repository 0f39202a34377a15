/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What nodes used (docs/monitor.md), split among what ran on them then.
 *
 * A run is a try of Parsl's monitoring, from `running` to `running_ended`, on its host; or where monitoring does not
 * have the task, what a worker ran (workers.h) whose host is known.  Between two samples of a node what it used is
 * taken to be spread evenly in time.
 *
 *   - A run with two resource rows or more is measured: it has what its rows say of CPU, memory and disk, in proportion
 *     less where all of them together would have more than the node.
 *   - What the node used beyond that is split among the runs that are not measured, by the CPUs that they asked for
 *     (1, where they do not say), while any is there.  Network, which nobody measures, is split so among all.
 *   - The rest is nobody's: span 0.  So is the memory that was in use at the least, which is the system's.
 *
 * Where a machine (host, boot_id) had several monitors at a time, each counted all of it, and the first one counts.
 * So the parts add up to what the node used, but for rounding.
 */
#ifndef SL_ANALYSE_USAGE_SHARES_H
#define SL_ANALYSE_USAGE_SHARES_H

#include "base/err.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sl_usage_of { SL_USAGE_CPU_S, SL_USAGE_MEM_MB_S, SL_USAGE_DISK_MB, SL_USAGE_NET_MB, SL_USAGE_KINDS };

struct sl_usage_part {
    int64_t node, span, task; /* span, task 0: nobody's */
    double there_s;           /* how long the run was there while the node was sampled */
    double cores, memory_mb;  /* that it asked for; NAN: it does not say */
    bool measured;
    double used[SL_USAGE_KINDS]; /* NAN: the node did not say */
};
struct sl_usage {
    struct sl_usage_part *v; /* by node; nobody's is the last of each */
    size_t n;
};

/* within: the id of a span to which nodes belong; 0: all nodes.  On success *out is to be freed. */
int sl_usage_make(struct sl_usage *out, sqlite3 *db, int64_t within, struct sl_err *err);
void sl_usage_free(struct sl_usage *u);

#endif
