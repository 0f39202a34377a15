/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trace of a process that has no runtime inside: a shell whose script calls `spanloom begin`, or the program itself
 * for the command it runs.  One file for each process, in the directory and under the name that PERFFLOW_OPTIONS and
 * SPANLOOM_OPTIONS say (spanloom-trace(7)): an array of one event a line, closed and valid JSON at any moment.
 *
 * An event is appended under a lock, over the closing bracket, in one write.  What a crash left torn is cut off when
 * the next event comes.
 */
#ifndef SL_COLLECT_SHELL_TRACE_H
#define SL_COLLECT_SHELL_TRACE_H

#include "base/buf.h"
#include "base/err.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct shell_trace {
    char path[PATH_MAX];
    int fd;     /* locked; -1: nothing is recorded, as log-enable=False says */
    bool quiet; /* nothing is said of options that are wrong: others say it */
    pid_t pid;
    uint64_t trace_id[2], span_id;
    uint64_t parent_id; /* for a file that is new: what it lies in; 0: what TRACEPARENT says */
    int64_t end;        /* where the next event goes */
};

struct shell_span { /* as it stands in the file */
    char *name;     /* JSON, with its quotes; NULL: there is none */
    uint64_t id;
    bool command;  /* by `spanloom span` ... */
    pid_t waiting; /* ... whose pid is this */
};

/*
 * Opens and locks the trace of a running process; where there is none, it is made if `make`, else SL_ENOTFOUND.  On
 * success, to be closed.
 */
int shell_trace_open(struct shell_trace *t, pid_t pid, bool make, struct sl_err *err);
void shell_trace_close(struct shell_trace *t);
/*
 * The process whose script calls us: our parent.  But a shell runs the last command of a subshell in its own place, so
 * that where we have a trace with an open span, we are the subshell.  event: so it does with a script of one command,
 * and then our parent is whatever started that; what has no second command has no span to go on with, so we are it.
 */
pid_t shell_trace_caller(bool event);
/* Lets others write, and goes on behind what they wrote. */
void shell_trace_pause(struct shell_trace *t);
int shell_trace_resume(struct shell_trace *t, struct sl_err *err);

/* Begins a span; its id is for TRACEPARENT.  args: members of a JSON object, or "". */
int shell_trace_begin(struct shell_trace *t, const char *name, const char *args, uint64_t *id, struct sl_err *err);
/* Ends it; by its name as shell_trace_innermost() gives it. */
int shell_trace_end(struct shell_trace *t, const struct shell_span *span, const char *args, int64_t time_ns,
                    struct sl_err *err);
int shell_trace_event(struct shell_trace *t, const char *name, const char *args, struct sl_err *err);
/* The innermost open span, of which name is to be freed; commands: also those that `spanloom span` waits for. */
void shell_trace_innermost(const struct shell_trace *t, bool commands, struct shell_span *span);

/*
 * Runs argv as a span of the trace, and closes it: TRACEPARENT names the span, its end has the exit status.  What
 * cannot be recorded is said, and the command runs all the same.
 */
struct child;
void shell_trace_command(struct shell_trace *t, const char *name, const char *args, char *const *argv, struct child *c);

/* KEY=VALUE as a member of an object, behind a comma where there are some; false: it has no KEY. */
bool shell_trace_arg(struct sl_buf *args, const char *text);

/* 00-...-...-01 of a span, or with id 0 of the process. */
void shell_traceparent(const struct shell_trace *t, uint64_t id, char to[56]);

#endif
