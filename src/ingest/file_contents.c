/* SPDX-License-Identifier: Apache-2.0 */
#include "ingest/file_contents.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* As much as there is, which what is damaged ends; negative: reading failed. */
static ssize_t fill(struct sl_bytes *f, char *to, size_t room)
{
    size_t n = 0;
    ssize_t got = 0;

    while (n < room && (got = sl_bytes_read(f, to + n, room - n)) > 0)
        n += (size_t)got;
    return got < 0 ? got : (ssize_t)n;
}

int sl_found_compare(const struct sl_found *a, const struct sl_found *b, struct sl_err *err)
{
    enum { PIECE = 1 << 16 };
    struct sl_bytes *x = NULL, *y = NULL;
    char *buf = sl_alloc(2 * PIECE);
    ssize_t n, k = 0;
    int how = sl_bytes_open(&x, a->path, a->region, false, err);

    if (!how)
        how = sl_bytes_open(&y, b->path, b->region, false, err);
    if (!how) {
        do {
            n = fill(x, buf, PIECE);
            k = n < 0 ? 0 : fill(y, buf + PIECE, PIECE);
        } while (n == PIECE && k == PIECE && !memcmp(buf, buf + PIECE, PIECE));
        if (n < 0 || k < 0)
            how = sl_err(err, SL_EIO, "%s: reading failed: %s", n < 0 ? a->path : b->path, strerror(errno));
        else if (memcmp(buf, buf + PIECE, (size_t)(n < k ? n : k)) != 0)
            how = SL_APART;
        else
            how = n < k ? SL_FIRST_BEGINS : n > k ? SL_SECOND_BEGINS : SL_BOTH_SAME;
    }
    sl_bytes_close(x);
    sl_bytes_close(y);
    free(buf);
    return how;
}

void sl_beginning_open(struct sl_beginning *b, const struct sl_found *f, bool as_is, struct sl_err *err)
{
    *b = (struct sl_beginning){.path = f->path, .state = sl_must(XXH3_createState()), .err = err};
    sl_bytes_open(&b->f, f->path, f->region, as_is, err->code ? NULL : err);
    XXH3_128bits_reset(b->state);
}

static ssize_t more(struct sl_beginning *b, char *to, size_t room)
{
    ssize_t n = b->f ? sl_bytes_read(b->f, to, room) : -1;

    if (n < 0 && !b->err->code)
        sl_err(b->err, SL_EIO, "%s: reading failed: %s", b->path, strerror(errno));
    return n;
}

bool sl_beginning_hash(struct sl_beginning *b, uint64_t bytes, char out[33])
{
    char buf[1 << 16];
    ssize_t n;
    XXH128_hash_t d;

    while (b->bytes < bytes &&
           (n = more(b, buf, bytes - b->bytes < sizeof buf ? (size_t)(bytes - b->bytes) : sizeof buf)) > 0) {
        XXH3_128bits_update(b->state, buf, (size_t)n);
        b->bytes += (uint64_t)n;
    }
    d = XXH3_128bits_digest(b->state);
    snprintf(out, 33, "%016llx%016llx", (unsigned long long)d.high64, (unsigned long long)d.low64);
    return b->bytes == bytes;
}

bool sl_beginning_is_all(struct sl_beginning *b)
{
    char one;

    return more(b, &one, 1) == 0 && !sl_bytes_damage(b->f);
}

void sl_beginning_close(struct sl_beginning *b)
{
    sl_bytes_close(b->f);
    XXH3_freeState(b->state);
}
