/* SPDX-License-Identifier: Apache-2.0 */
#include "base/files/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int sl_folder_read(struct sl_folder_names *f, const char *path, struct sl_err *err)
{
    DIR *d = opendir(path);
    struct dirent *e;
    int why = 0;

    if (!d && errno == EACCES && access(path, F_OK) != 0) /* so it is of a folder above */
        errno = ENOENT;
    if (!d)
        why = errno;
    while (d && (errno = 0, e = readdir(d)))
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            *sl_vec_add(&f->name) = sl_arena_copy(&f->text, e->d_name, strlen(e->d_name));
    if (d) {
        why = errno;
        closedir(d);
    }
    if (f->name.n)
        qsort(f->name.v, f->name.n, sizeof *f->name.v, by_text);
    return why ? sl_err(err, why == ENOENT || why == ENOTDIR ? SL_ENOTFOUND : SL_EIO, "%s: cannot read this folder: %s",
                        path, strerror(why))
               : 0;
}

void sl_folder_free(struct sl_folder_names *f)
{
    sl_vec_free(&f->name);
    sl_arena_free(&f->text);
}

bool sl_is_gone(const char *path)
{
    return access(path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR || errno == EACCES);
}
