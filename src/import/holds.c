/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every log is looked through to its end for a few bytes that hardly any log has, so this must cost next to nothing
 * beside the import: sixteen bytes at once, by all processors.
 */
#include "import/holds.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

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

/* A text that lies across two chunks is found, because the end of one is put before the next. */
static bool file_holds(const char *path, const char *what, bool begins, char *buf)
{
    size_t nwhat = strlen(what), kept = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool found = false;

    posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    while (fd >= 0 && !found) {
        ssize_t n = read(fd, buf + kept, begins ? BEGINNING : CHUNK);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        found = holds(buf, kept + (size_t)n, what, nwhat);
        if (begins)
            break;
        n += (ssize_t)kept;
        kept = (size_t)n < nwhat - 1 ? (size_t)n : nwhat - 1;
        memmove(buf, buf + n - kept, kept);
    }
    if (fd >= 0)
        close(fd);
    return found;
}

struct search {
    struct sl_found_list *l;
    bool *absent;
    size_t longest;
    atomic_size_t next;
};

static void *search(void *arg)
{
    struct search *s = arg;
    char *buf = sl_realloc(NULL, CHUNK + s->longest);
    size_t i;

    while ((i = atomic_fetch_add(&s->next, 1)) < s->l->v.n) {
        const struct sl_found *f = &s->l->v.v[i];
        if (f->recipe && f->input->holds)
            s->absent[i] = !file_holds(f->path, f->input->holds, f->input->begins, buf);
    }
    free(buf);
    return NULL;
}

void sl_holds_check(struct sl_found_list *l)
{
    struct search s = {.l = l, .absent = sl_alloc(l->v.n + 1)};
    pthread_t thread[THREADS];
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int started = 0;
    size_t files = 0, kept = 0;

    for (size_t i = 0; i < l->v.n; i++)
        if (l->v.v[i].recipe && l->v.v[i].input->holds) {
            size_t n = strlen(l->v.v[i].input->holds);
            files++;
            s.longest = n > s.longest ? n : s.longest;
        }
    while (files > 1 && started < cores - 1 && started < THREADS && (size_t)started < files - 1 &&
           pthread_create(&thread[started], NULL, search, &s) == 0)
        started++;
    if (files)
        search(&s);
    for (int i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    for (size_t i = 0; i < l->v.n; i++) {
        if (s.absent[i]) {
            free(l->v.v[i].path);
            free(l->v.v[i].name);
        } else {
            l->v.v[kept++] = l->v.v[i];
        }
    }
    l->v.n = kept;
    free(s.absent);
}
