/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of a running process from outside: who it is, and where it belongs. */
#ifndef SL_COLLECT_PROCESS_H
#define SL_COLLECT_PROCESS_H

#include "base/buf.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct shell_process {
    pid_t pid, ppid;
    char state;           /* as ps has it: Z has ended */
    uint64_t start_ticks; /* since boot: with the pid, nobody else; 0: /proc is not there */
    int64_t start_ns;
    char host[256], program[64], exe[PATH_MAX], cwd[PATH_MAX];
};

void shell_process_read(struct shell_process *p, pid_t pid);

/* Does the process still run that was pid on the host at this time?  Of other hosts it is not known. */
bool shell_process_is(const char *host, size_t nhost, pid_t pid, int64_t ns);
/* The same by the key of a trace.process: HOST:PID@NS. */
bool shell_process_lives(const char *key);

/*
 * The same for each program that asks about this process.  What is not 0 stays; parent_id stays 0 where neither it nor
 * TRACEPARENT says one.
 */
void shell_process_ids(const struct shell_process *p, uint64_t trace_id[2], uint64_t *span_id, uint64_t *parent_id);

/* What follows {"name": "spanloom", "ph": "M", in the trace, and a second event with the name for people. */
void shell_process_facts(struct sl_buf *b, const struct shell_process *p, const char *component,
                         const uint64_t trace_id[2], uint64_t span_id, uint64_t parent_id);

/* log_dir.c: makes a log-dir absolute, the same one for all programs that ask about the process of this id. */
void shell_log_dir(char dir[PATH_MAX], uint64_t id, bool make);

#endif
