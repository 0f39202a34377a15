/* SPDX-License-Identifier: Apache-2.0 */
/* A file that appears under its name when it is whole; or standard output, a pipe or a device, which get it as it is
 * made.  Nothing else is left, whatever ends the program. */
#ifndef SL_EXPORT_OUT_H
#define SL_EXPORT_OUT_H

#include "base/buf.h"
#include "base/err.h"
#include "base/files/whole_file.h"

#include <stdbool.h>
#include <stdio.h>

struct sl_out {
    FILE *f;
    char *buffer;                /* of f */
    int fd, error;               /* an errno */
    const char *path;            /* the caller's; "-": standard output */
    struct sl_whole_file *whole; /* NULL: written in place */
    bool in_folder;              /* which publishes it */
    uint64_t written;
};

int sl_out_open(struct sl_out *o, const char *path, struct sl_err *err);
void sl_out_write(struct sl_out *o, const void *s, size_t n);
void sl_out_buf(struct sl_out *o, struct sl_buf *b); /* and empties it */
bool sl_out_failed(const struct sl_out *o);
/* rc: of what was to be written; where it is not 0, the file does not appear.  A closed pipe is no error; what else
 * writing failed for is the error that is told. */
int sl_out_close(struct sl_out *o, int rc, struct sl_err *err);

/* All of it: opens path, has put() write into out, and closes it. */
int sl_out_save(const char *path, int (*put)(FILE *out, const void *what, struct sl_err *err), const void *what,
                struct sl_err *err);

/*
 * A folder of files, of which all appear when all are whole: beside its name, or, where that is there, within it, and
 * what it had of these names is replaced.  At most SL_FOLDER_FILES.
 */
enum { SL_FOLDER_FILES = 8 };

struct sl_folder {
    char *path;
    bool there;
    const char *name[SL_FOLDER_FILES]; /* the caller's */
    char *final[SL_FOLDER_FILES];      /* where they come to be */
    struct sl_whole_file *file[SL_FOLDER_FILES];
    size_t n;
};

int sl_folder_open(struct sl_folder *f, const char *path, struct sl_err *err); /* to be closed where it fails, too */
/* A file in it, to be closed by sl_out_close(). */
int sl_folder_file(struct sl_folder *f, const char *name, struct sl_out *o, struct sl_err *err);
int sl_folder_close(struct sl_folder *f, int rc, struct sl_err *err); /* rc as of sl_out_close() */

#endif
