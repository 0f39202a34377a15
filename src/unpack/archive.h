/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an archive holds: tar, compressed or not, by libarchive.  Nothing is ever written under the name of a member:
 * the wanted ones lie one behind the other in a file without a name (sl_temporary_file() of base).
 */
#ifndef SL_UNPACK_ARCHIVE_H
#define SL_UNPACK_ARCHIVE_H

#include "unpack/bytes.h"

struct sl_archive_member {
    const char *name; /* relative, without `.`, `..` and empty parts */
    struct sl_region region;
    int64_t mtime_ns;
    bool whole; /* else the archive ends, or is damaged, in it */
};

struct sl_archive_reader {
    bool (*want)(void *to, const char *name);
    void (*member)(void *to,
                   const struct sl_archive_member *m); /* a wanted one was unpacked; a later one of its name counts */
    bool (*linked)(void *to, const char *name, const char *as); /* wanted: what `name` holds; false: there is no such */
    void (*problem)(void *to, const char *text);                /* ready to print */
    void *to;
};

/* Is it one, by its name: .tar, .tar.gz, .tgz and the like? */
bool sl_archive_named(const char *path);

/*
 * Reads the archive to its end, and appends what is wanted to spool, from *at on.  What is wrong with it is told by
 * problem, and what stands before that place is told all the same.
 */
void sl_archive_read(const char *path, int spool, uint64_t *at, const struct sl_archive_reader *r);

#endif
