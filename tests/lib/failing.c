/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library to be preloaded in which a system call fails: FAILING="CALL ERRNO FROM TO PART", such as "pwrite 5 3 9999
 * .jsonl": the third to the 9999th pwrite() to files whose paths have PART gives EIO.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int fails(const char *call, const char *path)
{
    static _Atomic long done;
    char name[32], part[200] = "";
    const char *what = getenv("FAILING");
    long from, to, n;
    int error;

    if (!what || sscanf(what, "%31s %d %ld %ld %199s", name, &error, &from, &to, part) < 4 || strcmp(name, call) ||
        !strstr(path, part))
        return 0;
    n = ++done;
    if (n < from || n > to)
        return 0;
    errno = error;
    return 1;
}

static int fails_at(const char *call, int fd)
{
    char link[64], path[4096] = "";
    int error = errno;

    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (readlink(link, path, sizeof path - 1) < 0)
        *path = 0;
    errno = error;
    return fails(call, path);
}

ssize_t pwrite64(int fd, const void *b, size_t n, off64_t at)
{
    return fails_at("pwrite", fd) ? -1 : REAL(pwrite64)(fd, b, n, at);
}

ssize_t pread64(int fd, void *b, size_t n, off64_t at)
{
    return fails_at("pread", fd) ? -1 : REAL(pread64)(fd, b, n, at);
}

int rename(const char *from, const char *to)
{
    return fails("rename", to) ? -1 : REAL(rename)(from, to);
}

int openat64(int dir, const char *path, int flags, ...)
{
    va_list ap;
    mode_t mode;

    va_start(ap, flags);
    mode = flags & O_CREAT ? va_arg(ap, mode_t) : 0;
    va_end(ap);
    return fails("openat", path) ? -1 : REAL(openat64)(dir, path, flags, mode);
}
