/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file that appears under its name when it is whole.  Until then it has no name where the file system can do that
 * (O_TMPFILE), so that nothing is left of a process that is killed; elsewhere it is PATH.spanloom-new, which whoever
 * writes PATH next takes away once its writer is dead.  libc alone: traced programs write their traces with it.
 */
#ifndef SL_BASE_FILES_WHOLE_FILE_H
#define SL_BASE_FILES_WHOLE_FILE_H

#include <limits.h>

enum { SL_WHOLE_NAME = PATH_MAX + 32 };

struct sl_whole_file {
    int fd;                   /* to write to and read from; negative: there is none */
    char path[PATH_MAX];      /* where it is to appear: links to files are followed */
    char name[SL_WHOLE_NAME]; /* of what lies beside path meanwhile; "": nothing */
};

/* It gets the permissions, and the owner if we may, of the file at path, which it replaces.  0 or an errno; after that
 * there is nothing to drop.
 */
int sl_whole_open(struct sl_whole_file *w, const char *path);
/*
 * Gives it its name (as, or path where that is NULL; in the same folder, or in one of that file system).  0 or an
 * errno. fd stays open, and is the caller's, where it is kept from sl_whole_close().
 */
int sl_whole_publish(struct sl_whole_file *w, const char *as);
/* Closes it; what was not published is gone. */
void sl_whole_close(struct sl_whole_file *w);

#endif
