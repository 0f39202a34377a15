/* SPDX-License-Identifier: Apache-2.0 */
/* What is gone when the program ends, also where SIGINT, SIGTERM, SIGHUP or want of memory end it. */
#ifndef SL_BASE_FILES_TEMPORARY_H
#define SL_BASE_FILES_TEMPORARY_H

#include "base/err.h"

#include <limits.h>
#include <signal.h>

/* A file without a name in TMPDIR (or /tmp), to write and read; or negative.  The caller closes it. */
int sl_temporary_file(struct sl_err *err);

/* A new folder in TMPDIR, PREFIX and random letters, which is watched: empty it, and end with sl_temporary_gone(). */
int sl_temporary_folder(char path[PATH_MAX], const char *prefix, struct sl_err *err);

/* Whatever ends the program removes name, a file or a folder that is empty by then, those that came last first. */
void sl_temporary_watch(const char *name);
/* It is removed, or is to stay. */
void sl_temporary_forget(const char *name);
/* Removes it, and forgets it. */
void sl_temporary_gone(const char *name);

/* Between these no signal ends the program: a name comes, and is watched, or it goes, and is forgotten. */
void sl_temporary_hold(sigset_t *was);
void sl_temporary_release(const sigset_t *was);

/* Removes what is watched; for the end of the program, also in a signal's handler. */
void sl_temporary_clear(void);

#endif
