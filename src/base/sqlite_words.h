/* SPDX-License-Identifier: Apache-2.0 */
/* What went wrong, in the system's words where it was the system; to be included behind SQLite, or analyse/ext.h. */
#ifndef SL_BASE_SQLITE_WORDS_H
#define SL_BASE_SQLITE_WORDS_H

#include <errno.h>
#include <string.h>

/* errno of the connection's last error; 0: it was not the system.  To be asked at once. */
static inline int sl_sqlite_errno(sqlite3 *db)
{
    int now = errno, of_file = 0, e, rc = sqlite3_errcode(db) & 0xff;

    if (rc == SQLITE_FULL)
        return ENOSPC;
    if (rc != SQLITE_IOERR && rc != SQLITE_CANTOPEN && rc != SQLITE_CORRUPT && rc != SQLITE_NOTADB)
        return 0;
    sqlite3_file_control(db, NULL, SQLITE_FCNTL_LAST_ERRNO, &of_file);
    if (rc == SQLITE_CORRUPT || rc == SQLITE_NOTADB) /* which SQLite also says where a read fails with EIO */
        return of_file;
    e = sqlite3_system_errno(db); /* 0 of a commit */
    return e ? e : of_file ? of_file : now;
}

static inline const char *sl_sqlite_words(sqlite3 *db)
{
    int e = sl_sqlite_errno(db);
    return e ? strerror(e) : sqlite3_errmsg(db);
}

#endif
