/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every log is looked through to its end for a few bytes that hardly any log has, so this must cost next to nothing
 * beside the import: sixteen bytes at once, by all processors.
 */
#include "ingest/sniff.h"
#include "base/mem.h"

#include <errno.h>
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

static bool holds_any(const char *s, size_t n, const char *const *what, int nwhat)
{
    for (int i = 0; i < nwhat; i++)
        if (holds(s, n, what[i], strlen(what[i])))
            return true;
    return false;
}

/* A text that lies across two chunks is found, because the end of one is put before the next. */
static bool file_holds(struct sl_sniff *file, size_t longest, char *buf)
{
    const struct sl_input *in = file->input;
    struct sl_bytes *b;
    size_t kept = 0;
    bool found = false;
    struct sl_err err = {0};
    ssize_t n = 0;

    if (sl_bytes_open(&b, file->path, file->region, false, &err)) {
        file->problem = sl_strdup(err.text);
        return false;
    }
    while (!found && kept < BEGINNING && in->begins && (n = sl_bytes_read(b, buf + kept, BEGINNING - kept)) > 0) {
        kept += (size_t)n;
        found = holds_any(buf, kept, in->holds, in->nholds);
    }
    while (!found && !in->begins && (n = sl_bytes_read(b, buf + kept, CHUNK)) > 0) {
        n += (ssize_t)kept;
        found = holds_any(buf, (size_t)n, in->holds, in->nholds);
        kept = (size_t)n < longest - 1 ? (size_t)n : longest - 1;
        memmove(buf, buf + n - kept, kept);
    }
    if (n < 0) {
        sl_err(&err, SL_EIO, "%s: reading failed: %s", file->path, strerror(errno));
        file->problem = sl_strdup(err.text);
    }
    sl_bytes_close(b);
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
        s->v[i].holds = file_holds(&s->v[i], s->longest, buf);
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
