/* SPDX-License-Identifier: Apache-2.0 */
#include "read/text/text.h"
#include "base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { CHUNK = 256 * 1024, SHARES_MAX = 8 << 20 };

static void hex(XXH128_hash_t h, char out[33])
{
    snprintf(out, 33, "%016llx%016llx", (unsigned long long)h.high64, (unsigned long long)h.low64);
}

/* What stands in the file, compressed or not. */
static void digest(void *to, const char *s, size_t n)
{
    struct sl_text *t = to;
    struct sl_parse *p = t->p;

    if (t->hash)
        XXH3_128bits_update(t->whole, s, n);
    p->bytes += n;
    if (p->progress)
        atomic_fetch_add_explicit(p->progress, n, memory_order_relaxed);
}

int sl_text_open(struct sl_text *t, struct sl_parse *p, const char *path, struct sl_err *err)
{
    int rc;

    *t = (struct sl_text){.p = p, .path = path, .max = SL_LINE_MAX, .hash = p->mode == SL_PARSE_IMPORT};
    if ((rc = sl_bytes_open(&t->from, path, p->region, false, err)))
        return rc;
    sl_bytes_watch(t->from, digest, t);
    t->cap = CHUNK;
    t->buf = sl_realloc(NULL, t->cap);
    if (t->hash) {
        t->whole = sl_must(XXH3_createState());
        XXH3_128bits_reset(t->whole);
    }
    return 0;
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
    n = sl_bytes_read(t->from, t->buf + t->end, t->cap - t->end);
    if (n < 0)
        return sl_err(err, SL_EIO, "%s:%lld: reading failed: %s%s", t->path, (long long)t->line + 1, strerror(errno),
                      t->p->mode == SL_PARSE_IMPORT ? "; what stands before it was imported" : "");
    if (n == 0) {
        t->eof = true;
        return 0;
    }
    t->came += (uint64_t)n;
    t->end += (size_t)n;
    if (t->p->mode == SL_PARSE_SHARES && t->came > SHARES_MAX)
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
    const char *damage = t->cut_is_reject ? NULL : sl_bytes_damage(t->from);
    uint64_t want = sl_bytes_size(t->from);

    if (rc >= 0 && damage && t->p->mode != SL_PARSE_SHARES)
        rc = sl_err(err, SL_EFORMAT, "%s: %s; what stands before it was imported", t->path, damage);
    if (t->hash) {
        hex(XXH3_128bits_digest(t->whole), t->p->hash);
        XXH3_freeState(t->whole);
        if (rc == 0 && t->p->bytes < want && !sl_parse_stopped(t->p))
            rc = sl_err(err, SL_EIO,
                        "%s:%lld: the file shrank while it was read (%llu bytes at first, %llu read); import it "
                        "again when it is at rest",
                        t->path, (long long)t->line, (unsigned long long)want, (unsigned long long)t->p->bytes);
    }
    sl_bytes_close(t->from);
    free(t->buf);
    return rc > 0 ? 0 : rc; /* stopped in mid-file */
}
