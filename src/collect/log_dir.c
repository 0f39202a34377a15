/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A script may change its directory between `begin` and `end`, and log-dir is ./ by default.  So the first of them
 * leaves a note of where that was: a symbolic link in $XDG_RUNTIME_DIR, $TMPDIR or /tmp, in a folder that is ours
 * alone.
 */
#include "collect/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { DAYS = 7 };

static int open_notes(bool make)
{
    const char *base = getenv("XDG_RUNTIME_DIR");
    char path[PATH_MAX];
    struct stat st;
    int fd;

    if (!base || *base != '/')
        base = getenv("TMPDIR");
    if (!base || *base != '/')
        base = "/tmp";
    if (snprintf(path, sizeof path, "%s/spanloom-%u", base, (unsigned)geteuid()) >= (int)sizeof path)
        return -1;
    if (make)
        mkdir(path, 0700);
    fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && (fstat(fd, &st) != 0 || st.st_uid != geteuid() || st.st_mode & 022)) {
        close(fd); /* somebody else put it there */
        return -1;
    }
    return fd;
}

/* Notes of shells that are long gone. */
static void tidy(int notes)
{
    time_t old = time(NULL) - DAYS * 24 * 3600;
    DIR *d = fdopendir(dup(notes));
    struct dirent *e;
    struct stat st;

    while (d && (e = readdir(d)))
        if (fstatat(notes, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode) && st.st_mtime < old)
            unlinkat(notes, e->d_name, 0);
    if (d)
        closedir(d);
}

void shell_log_dir(char dir[PATH_MAX], uint64_t id, bool make)
{
    char cwd[PATH_MAX / 2], noted[PATH_MAX / 2], rest[PATH_MAX], name[32];
    ssize_t n = -1;
    int notes;

    if (*dir == '/' || !getcwd(cwd, sizeof cwd))
        return;
    snprintf(name, sizeof name, "%016llx", (unsigned long long)id);
    notes = open_notes(make);
    if (notes >= 0)
        n = readlinkat(notes, name, noted, sizeof noted - 1);
    if (n > 0) {
        noted[n] = 0;
        if (access(noted, W_OK | X_OK) == 0)
            memcpy(cwd, noted, (size_t)n + 1);
        else
            n = -1;
    }
    if (n <= 0 && make && notes >= 0) {
        unlinkat(notes, name, 0);
        if (symlinkat(cwd, notes, name) == 0)
            tidy(notes);
    }
    if (notes >= 0)
        close(notes);
    snprintf(rest, sizeof rest, "%s", dir);
    if (snprintf(dir, PATH_MAX, "%s/%s", cwd, rest) >= PATH_MAX)
        memcpy(dir, rest, sizeof rest);
}
