/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file of a monitor (docs/monitor.md): whole lines, whatever happens.  Lines of a moment are written at once; what
 * does not fit on the disk is taken back and counted.
 */
#ifndef SL_COLLECT_MONITOR_FILE_H
#define SL_COLLECT_MONITOR_FILE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct monitor_file {
    char path[PATH_MAX]; /* "-": standard output */
    int fd;
    int64_t end;    /* where the next line goes */
    int64_t header; /* length of the first line */
    SL_VEC(struct moment {
        int64_t at, n; /* n 0: it could not be written */
        bool dropped;  /* and waits for room on the disk to go */
    })
    moments;
    bool has_dropped;
    bool stream; /* nothing will be dropped */
    bool ended;  /* with a line that says so */
    uint64_t lost;
    char lost_why[128]; /* of the last one */
    bool closed;        /* standard output: nothing more goes there, as who reads it has gone, or it failed */
};

/*
 * output: a file that is not there yet, a folder in which it gets a name of its own (which is made where the path ends
 * with /), "-", or NULL: a name of its own in the working directory.  SL_EUSAGE: it is there.
 */
int monitor_file_open(struct monitor_file *f, const char *output, const char *host, pid_t pid, struct sl_err *err);
/* The first line, without which there is no file. */
int monitor_file_header(struct monitor_file *f, const struct sl_buf *line, struct sl_err *err);
/* The lines of a moment; false: it is lost, and the file as it was. */
bool monitor_file_add(struct monitor_file *f, const struct sl_buf *lines);
/*
 * Every other moment from the first on stays, and the file is another one then, of that name.  Where the disk has no
 * room for that it is tried again as others are added; so long the file has them all.
 */
void monitor_file_halve(struct monitor_file *f);
/* Negative: something is not in the file, and err says what; the system may tell it only now (network file systems). */
int monitor_file_close(struct monitor_file *f, struct sl_err *err);
/* Closes and removes it. */
void monitor_file_discard(struct monitor_file *f);

#endif
