/* SPDX-License-Identifier: Apache-2.0 */
#include "read/text/text.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 256 * 1024, SHARES_MAX = 8 << 20 };

int sl_text_open(struct sl_text *t, struct sl_parse *p, const char *path, struct sl_err *err)
{
    struct stat sb;

    *t = (struct sl_text){.p = p,
                          .path = path,
                          .fd = open(path, O_RDONLY | O_CLOEXEC),
                          .max = SL_LINE_MAX,
                          .hash = p->mode == SL_PARSE_IMPORT};
    if (t->fd < 0 || fstat(t->fd, &sb) != 0) {
        int e = errno;
        if (t->fd >= 0)
            close(t->fd);
        return sl_err(err, SL_EIO, "%s: cannot read: %s", path, strerror(e));
    }
    posix_fadvise(t->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    t->want = (uint64_t)sb.st_size;
    t->cap = CHUNK;
    t->buf = sl_realloc(NULL, t->cap);
    if (t->hash) {
        t->whole = sl_must(XXH3_createState());
        XXH3_128bits_reset(t->whole);
    }
    return 0;
}

static void hex(XXH128_hash_t h, char out[33])
{
    snprintf(out, 33, "%016llx%016llx", (unsigned long long)h.high64, (unsigned long long)h.low64);
}

static void digest(struct sl_text *t, const char *s, size_t n)
{
    struct sl_parse *p = t->p;

    if (p->prefix > p->bytes && p->prefix <= p->bytes + n) {
        size_t first = (size_t)(p->prefix - p->bytes);
        XXH3_128bits_update(t->whole, s, first);
        hex(XXH3_128bits_digest(t->whole), p->prefix_hash);
        XXH3_128bits_update(t->whole, s + first, n - first);
    } else {
        XXH3_128bits_update(t->whole, s, n);
    }
}

int sl_text_more(struct sl_text *t, struct sl_err *err)
{
    ssize_t n;

    if (t->start > 0) {
        memmove(t->buf, t->buf + t->start, t->end - t->start);
        t->end -= t->start;
        t->at -= t->start;
        t->start = 0;
    }
    if (t->end + CHUNK / 2 > t->cap) {
        t->cap *= 2;
        t->buf = sl_realloc(t->buf, t->cap);
    }
    do
        n = read(t->fd, t->buf + t->end, t->cap - t->end);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return sl_err(err, SL_EIO, "%s:%lld: reading failed: %s; what stands before it was imported", t->path,
                      (long long)t->line + 1, strerror(errno));
    if (n == 0) {
        t->eof = true;
        return 0;
    }
    if (t->hash)
        digest(t, t->buf + t->end, (size_t)n);
    t->p->bytes += (uint64_t)n;
    if (t->p->progress)
        atomic_fetch_add_explicit(t->p->progress, (unsigned long long)n, memory_order_relaxed);
    t->end += (size_t)n;
    if (t->p->mode == SL_PARSE_SHARES && t->p->bytes > SHARES_MAX)
        t->p->stop = true;
    return 1;
}

/* A line that does not fit: passes over the rest of it in pieces, and rejects it. */
static int too_long(struct sl_text *t, struct sl_err *err)
{
    char head[200], why[160];
    uint64_t length = t->end - t->at;
    int rc;

    memcpy(head, t->buf + t->at, sizeof head);
    for (;;) {
        char *nl;
        t->end = t->at; /* forget what was read of it */
        rc = sl_text_more(t, err);
        if (rc < 0)
            return rc;
        nl = rc ? memchr(t->buf + t->at, '\n', t->end - t->at) : NULL;
        length += nl ? (size_t)(nl - t->buf) - t->at : t->end - t->at;
        if (nl)
            t->at = (size_t)(nl - t->buf) + 1;
        if (nl || !rc)
            break;
    }
    snprintf(why, sizeof why, "a line of %llu bytes; more than %zu are not read", (unsigned long long)length, t->max);
    sl_parse_reject(t->p, ++t->line, why, head, sizeof head);
    return 0;
}

int sl_text_line(struct sl_text *t, char **s, size_t *n, struct sl_err *err)
{
    size_t looked = 0;

    for (;;) {
        char *from = t->buf + t->at;
        char *nl = memchr(from + looked, '\n', t->end - t->at - looked);
        int rc;
        if (nl) {
            t->line++;
            *s = from;
            *n = (size_t)(nl - from);
            t->at += *n + 1;
            if (*n && nl[-1] == '\r')
                --*n;
            return 1;
        }
        looked = t->end - t->at;
        if (looked > t->max) {
            if ((rc = too_long(t, err)) < 0)
                return rc;
            looked = 0;
            continue;
        }
        if (t->eof || (rc = sl_text_more(t, err)) == 0) {
            if (t->end > t->at && t->p->input->whole) {
                *s = t->buf + t->at;
                *n = t->end - t->at;
                t->line++;
                t->at = t->end;
                return 1;
            }
            if (t->end > t->at && t->p->mode != SL_PARSE_SHARES) {
                sl_parse_reject(t->p, ++t->line, "the last line is cut off", t->buf + t->at, t->end - t->at);
                t->at = t->end;
            }
            return 0;
        }
        if (rc < 0)
            return rc;
    }
}

int sl_text_close(struct sl_text *t, int rc, struct sl_err *err)
{
    if (t->hash) {
        hex(XXH3_128bits_digest(t->whole), t->p->hash);
        XXH3_freeState(t->whole);
        if (rc == 0 && t->p->bytes < t->want && !sl_parse_stopped(t->p))
            rc = sl_err(err, SL_EIO,
                        "%s:%lld: the file shrank while it was read (%llu bytes at first, %llu read); import it "
                        "again when it is at rest",
                        t->path, (long long)t->line, (unsigned long long)t->want, (unsigned long long)t->p->bytes);
    }
    close(t->fd);
    free(t->buf);
    return rc > 0 ? 0 : rc; /* stopped in mid-file */
}
