/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that are changed for a run, and put back behind it; also by the next process, where this one was killed.  A
 * folder keeps what they were, and a list of them that is on disk before anything is changed.
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

/* folder: its parent is there.  Undoes what a process left that was killed: *undone so many files. */
int sl_undo_open(struct sl_undo *u, const char *folder, int *undone, struct sl_err *err);
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
