/* SPDX-License-Identifier: Apache-2.0 */
/* A file that appears under its name when it is whole; or standard output, a pipe or a device, which get it as it is
 * made.  One at a time: SIGINT, SIGTERM and SIGHUP remove what is not whole. */
#ifndef SL_EXPORT_OUT_H
#define SL_EXPORT_OUT_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdio.h>

struct sl_out {
    FILE *f;
    const char *path; /* the caller's; "-": standard output */
    char *temporary;  /* NULL: written in place */
    uint64_t written;
    int error; /* an errno */
};

int sl_out_open(struct sl_out *o, const char *path, struct sl_err *err);
void sl_out_write(struct sl_out *o, const void *s, size_t n);
void sl_out_buf(struct sl_out *o, struct sl_buf *b); /* and empties it */
bool sl_out_failed(const struct sl_out *o);
/* rc: of what was to be written; where it is not 0, the file does not appear.  A closed pipe is no error. */
int sl_out_close(struct sl_out *o, int rc, struct sl_err *err);

/*
 * A folder of files, of which all appear when all are whole: it is made beside its name, or, where that is there,
 * within it, and what it had of these names is replaced.  At most SL_FOLDER_FILES; one at a time, as above.
 */
enum { SL_FOLDER_FILES = 8 };

struct sl_folder {
    char *path, *temporary;
    bool made, inside;
    char *file[SL_FOLDER_FILES], *final[SL_FOLDER_FILES];
    size_t n;
};

int sl_folder_open(struct sl_folder *f, const char *path, struct sl_err *err); /* to be closed where it fails, too */
/* A file in it, to be closed by sl_out_close(). */
int sl_folder_file(struct sl_folder *f, const char *name, struct sl_out *o, struct sl_err *err);
int sl_folder_close(struct sl_folder *f, int rc, struct sl_err *err); /* rc as of sl_out_close() */

#endif
