/* SPDX-License-Identifier: Apache-2.0 */
/* What the environment, and the processes above, say of whose work a process is. */
#ifndef SL_TRACE_JOB_ENVIRONMENT_H
#define SL_TRACE_JOB_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The rank: the first that is set of what MPI and batch systems call it; NULL: none.  Borrowed from the environment. */
const char *sl_job_environment_rank(void);
/* Whether "NAME=value" says which batch job, or which task of a worker, it is. */
bool sl_job_environment_names(const char *variable);
/*
 * The process and those above it, "PID@NS PID@NS,bash ...", where a pool of workers is named: which task it was is
 * known by who started it, and when.  NS is the kernel's start, of its 10 ms grid, since the epoch; bash: what a
 * `/bin/bash -c` is or has become.  "" where there is no pool, or no /proc.
 */
void sl_job_environment_ancestors(pid_t pid, char *to, size_t n);

#endif
