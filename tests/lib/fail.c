/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In LD_PRELOAD: the $FAIL_AT-th call of one kind ($FAIL: alloc, open, read, write, sync, map, dir) fails with errno
 * $FAIL_WITH, and with $FAIL_ON all after it.  All processes called $FAIL_IN count together, in $FAIL_LOG, a file of
 * 64-bit numbers: the calls that failed, then those of each kind.  $FAIL_TRACE: where they did, on standard error.
 * Of read and write only regular files fail, those of /proc, too: no disk is behind a pipe.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <stdint.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { ALLOC, OPEN, READ, WRITE, SYNC, MAP, DIRECTORY, KINDS };
static const char *const names[KINDS] = {"alloc", "open", "read", "write", "sync", "map", "dir"};

static struct seen {
    int64_t failed, calls[KINDS];
} * seen;
static int64_t at;
static int with, ever;
static enum kind kind;

__attribute__((constructor)) static void begin(void)
{
    const char *in = getenv("FAIL_IN"), *log = getenv("FAIL_LOG"), *k = getenv("FAIL_AT"), *e = getenv("FAIL_WITH");
    long fd;
    void *p;

    if (!log || !k || !e || !in || strcmp(in, program_invocation_short_name) != 0)
        return;
    fd = syscall(SYS_openat, -100, log, 02 /* O_RDWR */, 0);
    p = (void *)syscall(SYS_mmap, NULL, sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED, (int)fd, 0);
    syscall(SYS_close, (int)fd);
    if (p == MAP_FAILED)
        return;
    at = atol(k);
    with = atoi(e);
    ever = getenv("FAIL_ON") != NULL;
    while (kind < KINDS && strcmp(names[kind], getenv("FAIL")) != 0)
        kind++;
    seen = p;
}

static int fails(enum kind what)
{
    static __thread int inside;
    void *where[40];
    int64_t n;

    if (!seen || inside)
        return 0;
    n = __atomic_add_fetch(&seen->calls[what], 1, __ATOMIC_RELAXED);
    if (what != kind || (n != at && (!ever || n < at)))
        return 0;
    __atomic_add_fetch(&seen->failed, 1, __ATOMIC_RELAXED);
    inside = 1;
    if (getenv("FAIL_TRACE"))
        backtrace_symbols_fd(where, backtrace(where, 40), 2);
    inside = 0;
    errno = with;
    return 1;
}

static int regular(int fd)
{
    struct stat sb;
    return fd != 2 && syscall(SYS_fstat, fd, &sb) == 0 && S_ISREG(sb.st_mode);
}

static int file_fails(enum kind what, FILE *f)
{
    if (!regular(fileno(f)) || !fails(what))
        return 0;
    f->_flags |= 0x20; /* what ferror() asks */
    return 1;
}

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);

void *malloc(size_t n)
{
    return fails(ALLOC) ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
    return fails(ALLOC) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
    return n && fails(ALLOC) ? NULL : __libc_realloc(p, n);
}

#define CALL(type, name, params, args, failing, failed)                                                                \
    type name params                                                                                                   \
    {                                                                                                                  \
        static type(*real) params;                                                                                     \
        if (!real)                                                                                                     \
            real = (type(*) params)dlsym(RTLD_NEXT, #name);                                                            \
        return failing ? failed : real args;                                                                           \
    }

#define OPENS(name) CALL(int, name, (const char *p, int how, int mode), (p, how, mode), fails(OPEN), -1)
#define OPENS_AT(name) CALL(int, name, (int fd, const char *p, int how, int mode), (fd, p, how, mode), fails(OPEN), -1)
OPENS(open)
OPENS(open64)
OPENS(__open_2)
OPENS(__open64_2)
OPENS_AT(openat)
OPENS_AT(openat64)
OPENS_AT(__openat_2)
OPENS_AT(__openat64_2)
CALL(FILE *, fopen, (const char *p, const char *how), (p, how), fails(OPEN), NULL)
CALL(FILE *, fopen64, (const char *p, const char *how), (p, how), fails(OPEN), NULL)
CALL(DIR *, opendir, (const char *p), (p), fails(OPEN), NULL)

#define ON(what) regular(fd) && fails(what)
CALL(ssize_t, read, (int fd, void *to, size_t n), (fd, to, n), ON(READ), -1)
CALL(ssize_t, pread, (int fd, void *to, size_t n, off_t o), (fd, to, n, o), ON(READ), -1)
CALL(ssize_t, pread64, (int fd, void *to, size_t n, off64_t o), (fd, to, n, o), ON(READ), -1)
CALL(ssize_t, __read_chk, (int fd, void *to, size_t n, size_t m), (fd, to, n, m), ON(READ), -1)
CALL(ssize_t, __pread64_chk, (int fd, void *to, size_t n, off64_t o, size_t m), (fd, to, n, o, m), ON(READ), -1)
CALL(size_t, fread, (void *to, size_t a, size_t b, FILE *f), (to, a, b, f), file_fails(READ, f), 0)
CALL(size_t, __fread_chk, (void *to, size_t m, size_t a, size_t b, FILE *f), (to, m, a, b, f), file_fails(READ, f), 0)
CALL(char *, fgets, (char *to, int n, FILE *f), (to, n, f), file_fails(READ, f), NULL)
CALL(char *, __fgets_chk, (char *to, size_t m, int n, FILE *f), (to, m, n, f), file_fails(READ, f), NULL)
CALL(ssize_t, getline, (char **to, size_t *n, FILE *f), (to, n, f), file_fails(READ, f), -1)
CALL(ssize_t, getdelim, (char **to, size_t *n, int c, FILE *f), (to, n, c, f), file_fails(READ, f), -1)

CALL(ssize_t, write, (int fd, const void *s, size_t n), (fd, s, n), ON(WRITE), -1)
CALL(ssize_t, pwrite, (int fd, const void *s, size_t n, off_t o), (fd, s, n, o), ON(WRITE), -1)
CALL(ssize_t, pwrite64, (int fd, const void *s, size_t n, off64_t o), (fd, s, n, o), ON(WRITE), -1)
CALL(ssize_t, writev, (int fd, const struct iovec *v, int n), (fd, v, n), ON(WRITE), -1)
CALL(ssize_t, pwritev, (int fd, const struct iovec *v, int n, off_t o), (fd, v, n, o), ON(WRITE), -1)
CALL(ssize_t, pwritev64, (int fd, const struct iovec *v, int n, off64_t o), (fd, v, n, o), ON(WRITE), -1)
CALL(int, ftruncate, (int fd, off_t n), (fd, n), ON(WRITE), -1)
CALL(int, ftruncate64, (int fd, off64_t n), (fd, n), ON(WRITE), -1)
CALL(int, posix_fallocate, (int fd, off_t o, off_t n), (fd, o, n), ON(WRITE), with)
CALL(int, posix_fallocate64, (int fd, off64_t o, off64_t n), (fd, o, n), ON(WRITE), with)
CALL(int, fallocate64, (int fd, int how, off64_t o, off64_t n), (fd, how, o, n), ON(WRITE), -1)
CALL(size_t, fwrite, (const void *s, size_t a, size_t b, FILE *f), (s, a, b, f), file_fails(WRITE, f), 0)
CALL(int, fputs, (const char *s, FILE *f), (s, f), file_fails(WRITE, f), -1)
CALL(int, fflush, (FILE * f), (f), f &&file_fails(WRITE, f), -1)

CALL(int, fsync, (int fd), (fd), fails(SYNC), -1)
CALL(int, fdatasync, (int fd), (fd), fails(SYNC), -1)
CALL(void *, mmap, (void *p, size_t n, int a, int b, int fd, off_t o), (p, n, a, b, fd, o), fails(MAP), MAP_FAILED)
CALL(void *, mmap64, (void *p, size_t n, int a, int b, int fd, off64_t o), (p, n, a, b, fd, o), fails(MAP), MAP_FAILED)
CALL(struct dirent *, readdir, (DIR * d), (d), fails(DIRECTORY), NULL)
CALL(struct dirent64 *, readdir64, (DIR * d), (d), fails(DIRECTORY), NULL)

/* What was not written is lost with the file, as it is where a disk is full. */
int fclose(FILE *f)
{
    static int (*real)(FILE *);
    int bad = regular(fileno(f)) && __fwriting(f) && fails(WRITE), e = errno, rc;

    if (!real)
        real = (int (*)(FILE *))dlsym(RTLD_NEXT, "fclose");
    rc = real(f);
    if (bad)
        errno = e;
    return bad ? EOF : rc;
}
