/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A command with limits: in a process group of its own, with its output in one file, and with nothing left of it when
 * it is over, so that it cannot disturb the next one.
 */
#ifndef SL_DESIGN_COMMAND_H
#define SL_DESIGN_COMMAND_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct sl_command {
    char *const *argv; /* argv[0] is looked for in PATH */
    char *const *environment;
    const char *folder;
    double timeout_s; /* then it gets a TERM, and two seconds later a KILL; infinite: never */
    int output;       /* a descriptor: its standard output and error */
    /* Called with the process when there is one, before the command begins in it; NULL: nobody is. */
    void (*began)(void *to, pid_t pid);
    void *to;

    /* What came of it. */
    int error;   /* an errno: it could not be run */
    bool unable; /* then: that is ours, not the command's: no process, no file */
    int status;  /* as waitpid() has it */
    bool timed_out;
    int signal; /* that we got meanwhile: it was ended because of it; 0: none */
    int64_t began_ns, ended_ns;
    double wall_s;     /* by the monotonic clock */
    double cpu_s;      /* of all its processes, user and system */
    double max_rss_mb; /* of the largest of them */
    unsigned left;     /* processes that it left behind, which were killed */
};

/*
 * INT, TERM, HUP and QUIT to this process wait from now on, until sl_command_release(): a run ends in order then.
 * Orphans of commands become our children.  Not to be nested.
 */
void sl_command_hold(void);
void sl_command_release(void);
/* One of these signals came and nobody has taken it yet: which; else 0.  It stays to be seen. */
int sl_command_interrupted(void);
/* From now on it is as if none had come, until it is put off no more: what is undone behind a run runs to its end. */
void sl_command_put_off(bool off);

/* Between hold and release. */
void sl_command_run(struct sl_command *c);
/* The end of what it wrote, at most so much; an errno, where that cannot be read. */
int sl_command_output(struct sl_buf *b, int fd, off_t most);

#endif
