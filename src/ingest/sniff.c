/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every log is looked through to its end for a few bytes that hardly any log has, so this must cost next to nothing
 * beside the import: sixteen bytes at once, by all processors.
 */
#include "ingest/sniff.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

enum { CHUNK = 128 * 1024, BEGINNING = 4096, THREADS = 8, STEP = 64 };

typedef unsigned char bytes16 __attribute__((vector_size(16)));
typedef uint64_t words16 __attribute__((vector_size(16)));

/* memmem() that looks for the first and the last byte at their distance, which few places have. */
static bool holds(const char *s, size_t n, const char *what, size_t nwhat)
{
    bytes16 first, last;
    size_t i = 0;

    for (int k = 0; k < 16; k++) {
        first[k] = (unsigned char)what[0];
        last[k] = (unsigned char)what[nwhat - 1];
    }
    for (; i + STEP + nwhat <= n; i += STEP) {
        bytes16 a[4], b[4], both;
        words16 any;
        memcpy(a, s + i, STEP);
        memcpy(b, s + i + nwhat - 1, STEP);
        both = (bytes16)(((a[0] == first) & (b[0] == last)) | ((a[1] == first) & (b[1] == last)) |
                         ((a[2] == first) & (b[2] == last)) | ((a[3] == first) & (b[3] == last)));
        any = (words16)both;
        if ((any[0] | any[1]) && memmem(s + i, STEP + nwhat - 1, what, nwhat))
            return true;
    }
    return memmem(s + i, n - i, what, nwhat) != NULL;
}

static bool holds_any(const char *s, size_t n, const char *const *what, int nwhat)
{
    for (int i = 0; i < nwhat; i++)
        if (holds(s, n, what[i], strlen(what[i])))
            return true;
    return false;
}

/* What is compressed is looked at as what it is; 0: it is not compressed. */
static size_t unzip(const char *s, size_t n, char *out, size_t room)
{
    z_stream z = {.next_in = (Bytef *)s, .avail_in = (uInt)n, .next_out = (Bytef *)out, .avail_out = (uInt)room};

    if (n < 2 || memcmp(s, "\x1f\x8b", 2) != 0)
        return 0;
    if (inflateInit2(&z, 15 + 16) != Z_OK)
        sl_no_memory(0);
    inflate(&z, Z_SYNC_FLUSH);
    inflateEnd(&z);
    return room - z.avail_out;
}

static bool file_begins(int fd, const struct sl_input *in, char *buf)
{
    ssize_t n = read(fd, buf, BEGINNING);
    size_t out = n > 0 ? unzip(buf, (size_t)n, buf + BEGINNING, BEGINNING) : 0;

    return n > 0 && (out ? holds_any(buf + BEGINNING, out, in->holds, in->nholds)
                         : holds_any(buf, (size_t)n, in->holds, in->nholds));
}

/* A text that lies across two chunks is found, because the end of one is put before the next. */
static bool file_holds(const char *path, const struct sl_input *in, size_t longest, char *buf)
{
    size_t kept = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool found = fd >= 0 && in->begins && file_begins(fd, in, buf);

    posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    while (fd >= 0 && !found && !in->begins) {
        ssize_t n = read(fd, buf + kept, CHUNK);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        found = holds_any(buf, kept + (size_t)n, in->holds, in->nholds);
        n += (ssize_t)kept;
        kept = (size_t)n < longest - 1 ? (size_t)n : longest - 1;
        memmove(buf, buf + n - kept, kept);
    }
    if (fd >= 0)
        close(fd);
    return found;
}

struct search {
    struct sl_sniff *v;
    size_t n, longest;
    atomic_size_t next;
};

static void *search(void *arg)
{
    struct search *s = arg;
    char *buf = sl_realloc(NULL, CHUNK + s->longest);
    size_t i;

    while ((i = atomic_fetch_add(&s->next, 1)) < s->n)
        s->v[i].holds = file_holds(s->v[i].path, s->v[i].input, s->longest, buf);
    free(buf);
    return NULL;
}

void sl_sniff(struct sl_sniff *v, size_t n)
{
    struct search s = {.v = v, .n = n};
    pthread_t thread[THREADS];
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int started = 0;

    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < v[i].input->nholds; k++) {
            size_t length = strlen(v[i].input->holds[k]);
            s.longest = length > s.longest ? length : s.longest;
        }
    while (n > 1 && started < cores - 1 && started < THREADS && (size_t)started < n - 1 &&
           pthread_create(&thread[started], NULL, search, &s) == 0)
        started++;
    if (n)
        search(&s);
    for (int i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
}
