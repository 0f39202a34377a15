/* SPDX-License-Identifier: Apache-2.0 */
#include "read/trace/unzip.h"
#include "base/mem.h"

#include <stdlib.h>

enum { CHUNK = 256 * 1024, GZIP = 15 + 16 }; /* the largest window, and a header of gzip */

int sl_unzip_open(struct sl_unzip *u, struct sl_parse *p, const char *path, struct sl_err *err)
{
    *u = (struct sl_unzip){0};
    return sl_text_open(&u->t, p, path, err);
}

static int more_plain(struct sl_unzip *u, struct sl_err *err)
{
    int rc;

    u->t.start = u->start;
    u->t.at = u->at;
    rc = sl_text_more(&u->t, err);
    u->start = u->t.start;
    u->at = u->t.at;
    u->end = u->t.end;
    u->buf = u->t.buf;
    return rc;
}

static bool is_gzip(const struct sl_text *t)
{
    return t->end - t->at >= 2 && !memcmp(t->buf + t->at, "\x1f\x8b", 2);
}

/* Room for what comes out. */
static void make_room(struct sl_unzip *u)
{
    if (u->start > 0) {
        memmove(u->buf, u->buf + u->start, u->end - u->start);
        u->end -= u->start;
        u->at -= u->start;
        u->start = 0;
    }
    if (u->cap - u->end < CHUNK / 2) {
        u->cap = u->cap ? u->cap * 2 : CHUNK;
        u->buf = sl_realloc(u->buf, u->cap);
    }
}

/* Behind the end of a member there may be another one; zeros fill up blocks of tapes. */
static int next_member(struct sl_unzip *u, struct sl_err *err)
{
    struct sl_text *t = &u->t;
    int rc = 1;

    for (;;) {
        while (t->at < t->end && !t->buf[t->at])
            t->at++;
        if (t->end - t->at >= 2)
            break;
        t->start = t->at;
        if ((rc = sl_text_more(t, err)) <= 0)
            break;
    }
    if (rc < 0)
        return rc;
    if (is_gzip(t)) {
        inflateReset2(&u->z, GZIP);
        return 1;
    }
    if (t->end > t->at)
        u->why = "what stands behind the compressed data is not gzip";
    return 0;
}

static int more_zipped(struct sl_unzip *u, struct sl_err *err)
{
    struct sl_text *t = &u->t;
    size_t before;
    int rc, got;

    make_room(u);
    before = u->end;
    while (!u->over && u->end == before) {
        if (t->at == t->end) {
            t->start = t->at;
            if ((rc = sl_text_more(t, err)) < 0)
                return rc;
            if (rc == 0) {
                u->why = "the compressed data is cut off";
                u->over = true;
                break;
            }
        }
        u->z.next_in = (Bytef *)t->buf + t->at;
        u->z.avail_in = (uInt)(t->end - t->at);
        u->z.next_out = (Bytef *)u->buf + u->end;
        u->z.avail_out = (uInt)(u->cap - u->end);
        got = inflate(&u->z, Z_NO_FLUSH);
        t->at = t->end - u->z.avail_in;
        u->end = u->cap - u->z.avail_out;
        if (got == Z_STREAM_END) {
            if ((rc = next_member(u, err)) < 0)
                return rc;
            u->over = rc == 0;
        } else if (got != Z_OK && got != Z_BUF_ERROR) {
            u->why = "the compressed data is damaged";
            u->over = true;
        }
    }
    return u->end > before;
}

/* What is behind the damage counts for the hash, too: so a file that was mended is another one. */
static int read_rest(struct sl_unzip *u, struct sl_err *err)
{
    int rc;

    do {
        u->t.start = u->t.at = u->t.end;
        rc = sl_text_more(&u->t, err);
    } while (rc > 0 && !sl_parse_stopped(u->t.p));
    return rc;
}

int sl_unzip_more(struct sl_unzip *u, struct sl_err *err)
{
    int rc;

    if (!u->begun) {
        do
            rc = sl_text_more(&u->t, err);
        while (rc > 0 && u->t.end < 2);
        if (rc < 0)
            return rc;
        u->begun = true;
        u->zipped = is_gzip(&u->t);
        if (u->zipped && inflateInit2(&u->z, GZIP) != Z_OK)
            sl_no_memory(0);
        if (!u->zipped) {
            u->buf = u->t.buf;
            u->end = u->t.end;
            return u->end > 0;
        }
    }
    if (!u->zipped)
        return more_plain(u, err);
    rc = more_zipped(u, err);
    return rc == 0 && u->why ? read_rest(u, err) : rc;
}

int sl_unzip_close(struct sl_unzip *u, int rc, struct sl_err *err)
{
    if (u->zipped) {
        inflateEnd(&u->z);
        free(u->buf);
    }
    return sl_text_close(&u->t, rc, err);
}
