/* SPDX-License-Identifier: Apache-2.0 */
/* A command that is run in our place: what sends us signals or asks for our status gets the command's. */
#ifndef SL_COLLECT_CHILD_PROCESS_H
#define SL_COLLECT_CHILD_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

/* Of exit statuses, as env, nice and timeout have them. */
enum { CHILD_FAILED = 125, CHILD_NOT_RUN = 126, CHILD_NOT_FOUND = 127 };

/* Remembers what signals meant before main() changed that: a command inherits it as if we were not there. */
void child_remember_signals(void);

struct child {
    int status;     /* as waitpid() has it, once it ended */
    int error;      /* an errno: it could not be run; else 0 */
    pid_t pid;      /* 0: it could not be run */
    int64_t end_ns; /* when it ended */
};

/*
 * Runs argv (found in PATH) with our files and waits for its end.  INT, TERM, HUP, QUIT, USR1, USR2, WINCH, CONT, TSTP
 * and ALRM that others send to us go to it; those of the terminal it has got already.  When it is stopped from the
 * terminal, we stop, too.
 */
void child_run(struct child *c, char *const *argv);

/* What is to be done while a command runs. */
struct child_watch {
    /* Does what is due; returns when there is more to do, on CLOCK_MONOTONIC.  First called when the command has begun.
     */
    int64_t (*due)(void *arg, const struct child *c);
    /* Of the command, and of each orphan below it: it has ended, and is there still; it was waited for. */
    void (*ending)(void *arg, pid_t pid);
    void (*ended)(void *arg, pid_t pid, const struct rusage *usage);
    void *arg;
};
/* The same as child_run(); orphans below the command become children of this process, which waits for them, too. */
void child_run_watched(struct child *c, char *const *argv, const struct child_watch *watch);

/* The command's exit status; 128 + n where signal n ended it; 126 or 127 where it could not be run. */
int child_code(const struct child *c);
/* The signal that ended it; 0: none. */
int child_signal(const struct child *c);
/* Ends this process as the command ended: by the same signal, where it was one.  Else it returns child_code(). */
int child_end_like(const struct child *c);

#endif
