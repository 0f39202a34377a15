/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is changed for a run, and undone behind it; also by the next process, where this one was killed.  A folder keeps
 * what files were, a list of them that is on disk before anything is changed, and a script for what is no file.
 */
#ifndef SL_DESIGN_UNDO_H
#define SL_DESIGN_UNDO_H

#include "base/err.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

struct sl_undo {
    char folder[PATH_MAX]; /* is there while something is to be undone */
    int files;             /* so many are kept */
};

/* folder: its parent is there.  Ends the command of a process that was killed.  What that left is in u->files and
 * sl_undo_script(), to be undone by the caller: the script first, then sl_undo_all(). */
int sl_undo_open(struct sl_undo *u, const char *folder, struct sl_err *err);
/* Keeps a script for /bin/sh; NULL: what it says has been done. */
int sl_undo_keep_script(struct sl_undo *u, const char *text, struct sl_err *err);
/* Where it is kept; false: none is. */
bool sl_undo_script(const struct sl_undo *u, char path[PATH_MAX + 32]);
/* Keeps the file as it is now, unless it is kept already; one that is not there will be removed. */
int sl_undo_keep(struct sl_undo *u, const char *path, struct sl_err *err);
/* Puts all files back and removes the folder.  They get the time of now: what is made of them must be made anew. */
int sl_undo_all(struct sl_undo *u, struct sl_err *err);

/* The process group of the command that runs, so that the next process can end it, where this one was killed.  0: none
 * runs.  sl_undo_open() ends it. */
int sl_undo_process(struct sl_undo *u, pid_t pid, struct sl_err *err);

/* Writes n bytes to a file that is there, so that it is whole at any moment; its mode stays. */
int sl_undo_write(const char *path, const char *text, size_t n, struct sl_err *err);

#endif
