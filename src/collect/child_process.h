/* SPDX-License-Identifier: Apache-2.0 */
/* A command that is run in our place: what sends us signals or asks for our status gets the command's. */
#ifndef SL_COLLECT_CHILD_PROCESS_H
#define SL_COLLECT_CHILD_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
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

/* The command's exit status; 128 + n where signal n ended it; 126 or 127 where it could not be run. */
int child_code(const struct child *c);
/* Ends this process as the command ended: by the same signal, where it was one.  Else it returns child_code(). */
int child_end_like(const struct child *c);

#endif
