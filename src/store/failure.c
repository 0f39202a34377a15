/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statements that a failure ended, though who asked took it for the end of the rows.  SQLite logs each, and here the
 * first one of a thread is kept: the statement around it, a commit, a report and the end of the program ask for it.
 */
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

static _Thread_local struct {
    int code, error;
} kept;

static void keep(void *to, int code, const char *text)
{
    int error = errno, primary = code & 0xff;

    (void)to;
    if (kept.code || (primary != SQLITE_IOERR && primary != SQLITE_CORRUPT && primary != SQLITE_FULL) ||
        strncmp(text, "statement aborts", 16) != 0)
        return;
    kept.code = primary;
    kept.error = primary == SQLITE_FULL ? ENOSPC : primary == SQLITE_IOERR || error == EIO ? error : 0;
}

/* Where a file cannot be opened for writing, SQLite tries to read it, and then only knows why that failed, if it did.
 */
static _Thread_local int unopened;

static int open_file(const char *path, int how, int mode)
{
    int fd = open(path, how, mode);

    if (how & O_RDWR)
        unopened = fd < 0 ? errno : 0;
    return fd;
}

int sl_store_errno(int primary)
{
    return primary == SQLITE_CANTOPEN || primary == SQLITE_READONLY ? unopened : kept.code == primary ? kept.error : 0;
}

void sl_store_watch(void)
{
    sqlite3_vfs *vfs;

    sqlite3_config(SQLITE_CONFIG_LOG, keep, NULL);
    if ((vfs = sqlite3_vfs_find(NULL)) && vfs->iVersion >= 3)
        vfs->xSetSystemCall(vfs, "open", (sqlite3_syscall_ptr)open_file);
}

void sl_store_forgive(void)
{
    kept.code = 0;
}

int sl_store_failed(const char *path, struct sl_err *err)
{
    return kept.code ? sl_err(err, SL_ESTORE, "%s: not all of it could be read: %s", path,
                              kept.error ? strerror(kept.error) : sqlite3_errstr(kept.code))
                     : 0;
}
