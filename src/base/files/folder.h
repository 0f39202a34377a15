/* SPDX-License-Identifier: Apache-2.0 */
/* What lies in a folder: all of it, or why not.  readdir() ends alike where there is no more and where it failed. */
#ifndef SL_BASE_FILES_FOLDER_H
#define SL_BASE_FILES_FOLDER_H

#include "base/err.h"
#include "base/mem.h"

#include <stdbool.h>

struct sl_folder_names {
    SL_VEC(const char *) name; /* without . and .., in order */
    struct sl_arena text;
};

/* Zero-initialise *f.  SL_ENOTFOUND: there is no such folder, as far as we may know. */
int sl_folder_read(struct sl_folder_names *f, const char *path, struct sl_err *err);
void sl_folder_free(struct sl_folder_names *f);

/* Does the system say that there is no such file?  Not where it cannot tell: no memory, a disk that fails. */
bool sl_is_gone(const char *path);

#endif
