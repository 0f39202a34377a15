/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trace file.  Its blocks are allocated before they are mapped: a store into a page that a full disk has no block
 * for would kill the traced program.  Programs close descriptors that are not theirs (daemons do): ours stands above
 * those that they count, and is asked who it is before it is used.
 */
#include "runtime/runtime.h"
#include "runtime/runtime_clock.h"
#include "trace/chrome_writer.h"
#include "trace/decode.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef MADV_DONTFORK
#define MADV_DONTFORK 10
#endif

enum { MOST_RESERVED = 16 << 20 };

static bool is_ours(int fd, struct stat *s)
{
    return fd >= 0 && !fstat(fd, s) && s->st_dev == sl_rt.dev && s->st_ino == sl_rt.ino;
}

/* As far up as the process may, so that descriptors that programs count are where they would be. */
static int move_up(int fd)
{
    struct rlimit limit;
    rlim_t top = 1000;
    int up;

    if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < top + 24)
        top = limit.rlim_cur > 32 ? limit.rlim_cur - 24 : 3;
    up = fcntl(fd, F_DUPFD_CLOEXEC, (int)top);
    if (up < 0)
        return fd;
    close(fd);
    return up;
}

static int descriptor(void)
{
    struct stat s;
    int fd;

    if (is_ours(sl_rt.fd, &s))
        return sl_rt.fd;
    fd = open(sl_rt.path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd >= 0 && !is_ours(fd, &s)) {
        close(fd);
        errno = ESTALE;
        return -1;
    }
    if (fd < 0)
        return -1;
    return sl_rt.fd = move_up(fd);
}

void sl_file_close(void)
{
    struct stat s;

    if (is_ours(sl_rt.fd, &s))
        close(sl_rt.fd);
    sl_rt.fd = -1;
}

/* Whether the file may grow to n bytes: beyond the process's limit, trying would raise SIGXFSZ. */
static bool may_grow(uint64_t n)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur == RLIM_INFINITY || n <= limit.rlim_cur;
}

static int allocate(int fd, uint64_t offset, size_t size)
{
    int rc;

    if (!may_grow(offset + size))
        return EFBIG;
    do
        rc = posix_fallocate(fd, (off_t)offset, (off_t)size);
    while (rc == EINTR);
    return rc;
}

static void *map(int fd, uint64_t offset, size_t size)
{
    void *p;

    errno = allocate(fd, offset, size);
    if (errno)
        return NULL;
    p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, (off_t)offset);
    return p == MAP_FAILED ? NULL : p;
}

/* Why events will be lost.  Under the lock. */
static void note_error(int error)
{
    if (sl_rt.header)
        sl_rt.header->error = (uint32_t)error;
}

struct sl_tf_chunk *sl_file_chunk(size_t size)
{
    int fd = descriptor();
    struct sl_tf_chunk *c = fd < 0 ? NULL : map(fd, sl_rt.end, size);

    if (!c) {
        note_error(errno);
        return NULL;
    }
    sl_rt.end += size;
    madvise(c, size, MADV_DONTFORK);
    c->size = size;
    return c;
}

/* A write into blocks that are there costs the traced program less than one that asks for them; a full disk shows
 * later.  Where it is nearly full nothing is reserved: to try takes, for a moment, the room from those who write. */
static void reserve(int fd, uint64_t size)
{
    uint64_t more = sl_rt.end / 2 < MOST_RESERVED ? sl_rt.end / 2 : MOST_RESERVED;
    struct statvfs room;

    if (sl_rt.end + size <= sl_rt.reserved)
        return;
    sl_rt.reserved = sl_rt.end + (more > size ? more : size);
    if (may_grow(sl_rt.reserved) && !fstatvfs(fd, &room) && room.f_bavail > 2 * more / room.f_frsize)
        fallocate(fd, FALLOC_FL_KEEP_SIZE, (off_t)sl_rt.end, (off_t)(sl_rt.reserved - sl_rt.end));
}

static bool write_all(int fd, struct iovec part[2], uint64_t offset)
{
    size_t length = part[0].iov_len + part[1].iov_len;
    int i = 0;

    while (length) {
        ssize_t got = pwritev(fd, part + i, 2 - i, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (!got)
            errno = ENOSPC;
        if (got <= 0)
            return false; /* readers pass over what it left: the buffer still has the words */
        length -= (size_t)got;
        offset += (uint64_t)got;
        if (i == 0 && (size_t)got >= part[0].iov_len) {
            got -= (ssize_t)part[0].iov_len;
            i = 1;
        }
        part[i].iov_base = (char *)part[i].iov_base + got;
        part[i].iov_len -= (size_t)got;
    }
    return true;
}

bool sl_file_write(struct sl_tf_chunk head, const uint64_t *words, size_t n)
{
    struct iovec part[2] = {{&head, sizeof head}, {(void *)(uintptr_t)words, n * sizeof *words}};
    size_t size = (sizeof head + part[1].iov_len + SL_TF_PAGE - 1) / SL_TF_PAGE * SL_TF_PAGE;
    uint64_t offset;
    bool written;
    int fd, error;

    head.kind = SL_TF_DATA;
    head.size = size;
    pthread_mutex_lock(&sl_rt.lock);
    fd = sl_rt.state == SL_OPEN ? descriptor() : -1;
    offset = sl_rt.end;
    if (fd >= 0 && may_grow(offset + size)) {
        reserve(fd, size);
        sl_rt.end += size;
        sl_rt.writers++;
    } else {
        note_error(fd >= 0 ? EFBIG : errno);
        fd = -1;
    }
    pthread_mutex_unlock(&sl_rt.lock);
    if (fd < 0)
        return false;
    written = write_all(fd, part, offset);
    error = errno;
    pthread_mutex_lock(&sl_rt.lock);
    if (!written)
        note_error(error);
    if (!--sl_rt.writers && sl_rt.state == SL_DONE)
        sl_file_close();
    pthread_mutex_unlock(&sl_rt.lock);
    return written;
}

void sl_file_moment(void)
{
    struct sl_tf_header *h = sl_rt.header;

    if (!h)
        return;
    h->latest[(h->recent + 1) & 1] = sl_clock_moment();
    __atomic_store_n(&h->recent, h->recent + 1, __ATOMIC_RELEASE);
}

/* The first name that nobody has.  What a dead process left under it is not ours to replace; nor is what this process
 * made before, as another program, or in a library that was unloaded. */
static int create(bool pid)
{
    char base[PATH_MAX - 32];
    bool unique = pid || strstr(sl_rt.options.include, "pid");

    for (int i = 0; i < 10000; i++) {
        char more[16] = "";
        int fd;
        sl_names_make(&sl_rt.options, pid || i > 0, base, sizeof base);
        if (i > 1)
            snprintf(more, sizeof more, ".%d", i - 1);
        snprintf(sl_rt.path, sizeof sl_rt.path, "%s%s.slt", base, more);
        snprintf(sl_rt.pfw, sizeof sl_rt.pfw, "%s%s.pfw", base, more);
        if (unique && !access(sl_rt.pfw, F_OK))
            continue;
        fd = open(sl_rt.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

static void make_dirs(const char *dir)
{
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s", dir);
    for (char *p = path + 1; *p; p++)
        if (*p == '/') {
            *p = 0;
            mkdir(path, 0777);
            *p = '/';
        }
    mkdir(path, 0777);
}

static void fill_header(struct sl_tf_header *h)
{
    h->version = 1;
    h->clock = sl_clock;
    h->pid = (uint32_t)sl_rt.pid;
    h->ppid = (uint32_t)getppid();
    h->pids = sl_leftover_pids();
    h->options = (sl_rt.options.object ? SL_TF_OBJECT : 0u) | (sl_rt.options.compact ? SL_TF_COMPACT : 0u) |
                 (sl_rt.options.close ? 0u : SL_TF_NO_CLOSE) | (sl_rt.options.binary ? SL_TF_BINARY : 0u) |
                 (sl_rt.options.of_thread ? SL_TF_OF_THREAD : 0u);
    h->realtime_ns = sl_rt.realtime_ns;
    h->start = h->latest[0] = h->latest[1] = sl_rt.start;
    memcpy(h->trace_id, sl_rt.trace_id, sizeof h->trace_id);
    h->span_id = sl_rt.span_id;
    h->parent_id = sl_rt.parent_id;
    h->facts = (uint32_t)sl_names_facts((char *)(h + 1), SL_TF_HEADER - sizeof *h);
    h->magic = SL_TF_MAGIC;
}

bool sl_file_make(void)
{
    struct stat s;
    int fd;

    sl_file_close(); /* a parent's */
    make_dirs(sl_rt.options.dir);
    fd = create(sl_rt.forked);
    if (fd < 0)
        return false;
    fd = move_up(fd);
    fstat(fd, &s);
    sl_rt.fd = fd;
    sl_rt.dev = s.st_dev;
    sl_rt.ino = s.st_ino;
    sl_rt.header = map(fd, 0, SL_TF_HEADER);
    if (!sl_rt.header) {
        int error = errno;
        unlink(sl_rt.path);
        close(fd);
        sl_rt.fd = -1;
        errno = error;
        return false;
    }
    madvise(sl_rt.header, SL_TF_HEADER, MADV_DONTFORK);
    sl_rt.end = SL_TF_HEADER;
    sl_rt.reserved = 0;
    fill_header(sl_rt.header);
    return true;
}

int sl_file_dup(void)
{
    int fd = descriptor();

    return fd < 0 ? -1 : move_up(fcntl(fd, F_DUPFD_CLOEXEC, 0));
}

int sl_file_export(int fd)
{
    const char *why;
    struct sl_decoded *d;
    int rc;

    errno = 0;
    if (!(d = sl_decode_fd(fd, &why)))
        return errno ? errno : EBADF;
    make_dirs(sl_rt.options.dir); /* it may have vanished since */
    rc = sl_chrome_write_file(d, sl_rt.pfw, sl_decode_process(d)->options);
    sl_decode_free(d);
    return rc;
}

/* Where something is not in the trace, or that is not where it should be. */
static void tell(uint64_t lost, int no_pfw)
{
    bool slt = no_pfw || sl_rt.options.binary;
    char why[128];

    if (lost)
        snprintf(why, sizeof why, "%llu event%s could not be recorded: %s", (unsigned long long)lost,
                 lost == 1 ? "" : "s", strerror((int)sl_rt.header->error));
    else if (no_pfw)
        snprintf(why, sizeof why, "no .pfw could be made of it: %s", strerror(no_pfw));
    if (lost || no_pfw)
        sl_complain(slt ? sl_rt.path : sl_rt.pfw, why);
}

void sl_file_finish(void)
{
    int fd = descriptor(), error = errno, no_pfw = 0;

    sl_file_moment();
    sl_rt.header->ended_ticks = sl_clock_ticks();
    if (!sl_rt.options.binary && !(no_pfw = fd < 0 ? error : sl_file_export(fd)))
        unlink(sl_rt.path);
    tell(sl_lanes_lost(), no_pfw);
    if (sl_rt.options.binary && fd >= 0 && ftruncate(fd, (off_t)sl_rt.end)) /* what was reserved behind the end */
        return;
}
