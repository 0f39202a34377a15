/* SPDX-License-Identifier: Apache-2.0 */
#include "unpack/bytes.h"
#include "base/mem.h"
#include "unpack/expands.h"
#include "unpack/library.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { CHUNK = 256 * 1024, GZIP = 15 + 16, MAGIC = 6 }; /* GZIP: the largest window, and a header of gzip */

enum kind { UNKNOWN, PLAIN, BY_ZLIB, BY_LIBRARY };

struct sl_bytes {
    int fd;
    const struct sl_region *region;
    uint64_t read, size; /* of the file, as it stands there */
    uint64_t out;        /* decompressed */
    enum kind kind;
    bool over;
    char *in; /* compressed bytes, of which [at, end) are not used yet */
    size_t at, end;
    z_stream z;
#ifdef SL_ARCHIVE
    const struct sl_archive_library *library;
    struct archive *archive;
#endif
    void (*raw)(void *to, const char *s, size_t n);
    void *to;
    int error; /* of reading */
    char why[200];
};

int sl_bytes_open(struct sl_bytes **out, const char *path, const struct sl_region *region, bool as_is,
                  struct sl_err *err)
{
    struct sl_bytes *b = sl_alloc(sizeof *b);
    struct stat sb;

    *out = NULL;
    b->region = region;
    b->kind = as_is ? PLAIN : UNKNOWN;
    b->fd = region ? region->fd : open(path, O_RDONLY | O_CLOEXEC);
    if (b->fd < 0 || (!region && fstat(b->fd, &sb) != 0)) {
        int e = errno;
        sl_bytes_close(b);
        return sl_err(err, SL_EIO, "%s: cannot read: %s", path, strerror(e));
    }
    b->size = region ? region->n : (uint64_t)sb.st_size;
    if (!region)
        posix_fadvise(b->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    *out = b;
    return 0;
}

void sl_bytes_watch(struct sl_bytes *b, void (*raw)(void *to, const char *s, size_t n), void *to)
{
    b->raw = raw;
    b->to = to;
}

static ssize_t read_raw(struct sl_bytes *b, char *to, size_t room)
{
    ssize_t n;

    if (b->region && room > b->region->n - b->read)
        room = (size_t)(b->region->n - b->read);
    do
        n = b->region ? pread(b->fd, to, room, (off_t)(b->region->at + b->read)) : read(b->fd, to, room);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        b->error = errno;
    if (n > 0) {
        b->read += (uint64_t)n;
        if (b->raw)
            b->raw(b->to, to, (size_t)n);
    }
    return n;
}

static void damaged(struct sl_bytes *b, const char *what, uint64_t at)
{
    snprintf(b->why, sizeof b->why, "%s at byte %llu", what, (unsigned long long)at);
    b->over = true;
}

/* The next compressed bytes: 1, 0 at the end, or negative. */
static int refill(struct sl_bytes *b)
{
    ssize_t n = read_raw(b, b->in, CHUNK);

    b->at = 0;
    b->end = n > 0 ? (size_t)n : 0;
    return n > 0 ? 1 : (int)n;
}

/* ---- gzip ---- */

static bool is_gzip(const char *s, size_t n)
{
    return n >= 2 && !memcmp(s, "\x1f\x8b", 2);
}

/* Behind the end of a member there may be another one; zeros fill up blocks of tapes. */
static int next_member(struct sl_bytes *b)
{
    int rc = 1;

    for (;;) {
        while (b->at < b->end && !b->in[b->at])
            b->at++;
        if (b->end - b->at >= 2)
            break;
        if (b->at < b->end) { /* one byte of a header */
            ssize_t n = read_raw(b, b->in + 1, CHUNK - 1);
            b->in[0] = b->in[b->at];
            b->at = 0;
            b->end = n > 0 ? (size_t)n + 1 : 1;
            rc = n > 0 ? 1 : (int)n;
        } else {
            rc = refill(b);
        }
        if (rc <= 0)
            break;
    }
    if (rc < 0)
        return rc;
    if (is_gzip(b->in + b->at, b->end - b->at)) {
        inflateReset2(&b->z, GZIP);
        return 0;
    }
    if (b->end > b->at)
        damaged(b, "what stands behind the compressed data is not gzip,", b->read - (b->end - b->at));
    b->over = true;
    return 0;
}

static ssize_t inflate_some(struct sl_bytes *b, char *to, size_t room)
{
    size_t out = 0;

    while (!b->over && out == 0) {
        int rc, got;
        if (b->at == b->end && (rc = refill(b)) <= 0) {
            if (rc < 0)
                return rc;
            damaged(b, "the compressed data is cut off", b->read);
            break;
        }
        b->z.next_in = (Bytef *)b->in + b->at;
        b->z.avail_in = (uInt)(b->end - b->at);
        b->z.next_out = (Bytef *)to;
        b->z.avail_out = (uInt)room;
        got = inflate(&b->z, Z_NO_FLUSH);
        b->at = b->end - b->z.avail_in;
        out = room - b->z.avail_out;
        if (got == Z_STREAM_END) {
            if ((rc = next_member(b)) < 0)
                return rc;
        } else if (got == Z_MEM_ERROR) {
            sl_no_memory(0);
        } else if (got != Z_OK && got != Z_BUF_ERROR) {
            damaged(b, "the compressed data is damaged", b->read - b->z.avail_in);
        }
    }
    return (ssize_t)out;
}

/* ---- the others ---- */

#ifdef SL_ARCHIVE

static la_ssize_t more(struct archive *a, void *of, const void **to)
{
    struct sl_bytes *b = of;
    int rc = 1;

    (void)a;
    if (b->at == b->end)
        rc = refill(b);
    *to = b->in + b->at;
    b->at = b->end;
    return rc < 0 ? -1 : (la_ssize_t)(rc ? b->end - (size_t)((const char *)*to - b->in) : 0);
}

static void from_library(struct sl_bytes *b)
{
    const char *said = b->library->archive_error_string(b->archive), *in = "the compressed data is damaged";
    la_int64_t at = b->library->archive_filter_bytes(b->archive, -1); /* -1: it could not even begin */
    char what[150];

    if (b->error) /* it got nothing to look at */
        return;
    if (b->library->archive_errno(b->archive) == ENOMEM)
        sl_no_memory(0);
    snprintf(what, sizeof what, "%s%s%.100s%s", in, said ? " (" : "", said ? said : "", said ? ")" : "");
    damaged(b, what, at > 0 ? (uint64_t)at : b->read);
}

static void begin_library(struct sl_bytes *b, int (*of_library)(struct archive *))
{
    const struct sl_archive_library *l = b->library;
    struct archive_entry *e;

    b->archive = sl_must(l->archive_read_new());
    /* a warning says that it would start a program for that, which is none of our business */
    if (of_library(b->archive) != ARCHIVE_OK || l->archive_read_support_format_raw(b->archive) != ARCHIVE_OK ||
        l->archive_read_open(b->archive, b, NULL, more, NULL) != ARCHIVE_OK ||
        l->archive_read_next_header(b->archive, &e) != ARCHIVE_OK)
        from_library(b);
}

static ssize_t decompress_some(struct sl_bytes *b, char *to, size_t room)
{
    la_ssize_t n = b->over || b->error ? 0 : b->library->archive_read_data(b->archive, to, room);

    if (n < 0)
        from_library(b);
    return b->error ? -1 : n > 0 ? n : 0;
}

static bool begin_other(struct sl_bytes *b, const char *s, size_t n)
{
    bool zstd = n >= 4 && !memcmp(s, "\x28\xb5\x2f\xfd", 4), xz = n >= 6 && !memcmp(s,
                                                                                    "\xfd"
                                                                                    "7zXZ\0",
                                                                                    6);
    bool bzip2 = n >= 6 && !memcmp(s, "BZh", 3) && s[3] >= '1' && s[3] <= '9' && (s[4] == '1' || s[4] == '\x17');
    const char *why;

    if (!zstd && !xz && !bzip2)
        return false;
    if (!(b->library = sl_archive_library(&why))) {
        snprintf(b->why, sizeof b->why, "%s", why);
        b->over = true;
    } else {
        begin_library(b, zstd ? b->library->archive_read_support_filter_zstd
                         : xz ? b->library->archive_read_support_filter_xz
                              : b->library->archive_read_support_filter_bzip2);
    }
    return true;
}

#else

static ssize_t decompress_some(struct sl_bytes *b, char *to, size_t room)
{
    (void)b, (void)to, (void)room;
    return 0;
}

static bool begin_other(struct sl_bytes *b, const char *s, size_t n)
{
    if (n < 6 || (memcmp(s, "\x28\xb5\x2f\xfd", 4) != 0 &&
                  memcmp(s,
                         "\xfd"
                         "7zXZ\0",
                         6) != 0 &&
                  memcmp(s, "BZh", 3) != 0))
        return false;
    snprintf(
        b->why, sizeof b->why,
        "compressed, and this spanloom was built without libarchive; decompress it yourself, and import what came out");
    b->over = true;
    return true;
}

#endif

/* Reads until it can be told what it is; what was read is in `to` where it is plain, else it was taken over. */
static ssize_t begin(struct sl_bytes *b, char *to, size_t room)
{
    size_t n = 0;
    ssize_t got = 1;

    while (n < MAGIC && n < room && (got = read_raw(b, to + n, room - n)) > 0)
        n += (size_t)got;
    if (got < 0)
        return got;
    b->in = sl_realloc(NULL, CHUNK > n ? CHUNK : n);
    memcpy(b->in, to, n);
    b->end = n;
    if (is_gzip(to, n)) {
        b->kind = BY_ZLIB;
        if (inflateInit2(&b->z, GZIP) != Z_OK)
            sl_no_memory(0);
    } else if (begin_other(b, to, n)) {
        b->kind = BY_LIBRARY;
    } else {
        b->kind = PLAIN;
        free(b->in);
        b->in = NULL;
        return (ssize_t)n;
    }
    return sl_bytes_read(b, to, room);
}

/* What is behind the damage counts for a hash, too: so a file that was mended is another one. */
static ssize_t read_rest(struct sl_bytes *b)
{
    int rc = 1;

    while (b->raw && b->in && rc > 0)
        rc = refill(b);
    return rc < 0 ? rc : 0;
}

ssize_t sl_bytes_read(struct sl_bytes *b, char *to, size_t room)
{
    ssize_t n = 0;

    errno = 0;
    switch (b->kind) {
    case UNKNOWN: return begin(b, to, room);
    case PLAIN: return read_raw(b, to, room);
    case BY_ZLIB: n = inflate_some(b, to, room); break;
    case BY_LIBRARY: n = decompress_some(b, to, room); break;
    }
    b->out += n > 0 ? (uint64_t)n : 0;
    if (n > 0 && sl_expands_beyond(b->out, b->read))
        damaged(b, SL_EXPANDS ", as far as", b->read);
    if (n == 0 && *b->why)
        n = read_rest(b);
    if (n < 0)
        errno = b->error;
    return n;
}

const char *sl_bytes_damage(const struct sl_bytes *b)
{
    return *b->why ? b->why : NULL;
}

bool sl_bytes_packed(const struct sl_bytes *b)
{
    return b->kind == BY_ZLIB || b->kind == BY_LIBRARY;
}

uint64_t sl_bytes_size(const struct sl_bytes *b)
{
    return b->size;
}

void sl_bytes_close(struct sl_bytes *b)
{
    if (!b)
        return;
    if (b->kind == BY_ZLIB)
        inflateEnd(&b->z);
#ifdef SL_ARCHIVE
    if (b->archive)
        b->library->archive_read_free(b->archive);
#endif
    if (!b->region && b->fd >= 0)
        close(b->fd);
    free(b->in);
    free(b);
}

bool sl_write_at(int fd, const char *s, size_t n, uint64_t at)
{
    while (n) {
        ssize_t done = pwrite(fd, s, n, (off_t)at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        s += done;
        at += (uint64_t)done;
        n -= (size_t)done;
    }
    return true;
}

int sl_bytes_copy(const char *path, const struct sl_region *region, int fd, struct sl_err *err)
{
    struct sl_bytes *b;
    uint64_t at = 0;
    char *buf;
    ssize_t n;
    int rc = sl_bytes_open(&b, path, region, false, err);

    if (rc)
        return rc;
    buf = sl_realloc(NULL, CHUNK);
    while (!rc && (n = sl_bytes_read(b, buf, CHUNK)) != 0) {
        if (n < 0)
            rc = sl_err(err, SL_EIO, "%s: reading failed: %s", path, strerror(errno));
        else if (!sl_write_at(fd, buf, (size_t)n, at))
            rc = sl_err(err, SL_EIO, "%s: cannot copy it to a temporary file: %s; TMPDIR names a folder with more room",
                        path, strerror(errno));
        at += n > 0 ? (uint64_t)n : 0;
    }
    if (!rc && sl_bytes_damage(b))
        rc = sl_err(err, SL_EFORMAT, "%s: %s; nothing of it was imported", path, sl_bytes_damage(b));
    free(buf);
    sl_bytes_close(b);
    return rc;
}

size_t sl_bytes_stem(const char *path)
{
    static const char *const endings[] = {".gz", ".zst", ".xz", ".bz2"};
    size_t n = strlen(path);

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t k = strlen(endings[i]);
        if (n > k + 1 && !strcmp(path + n - k, endings[i]) && path[n - k - 1] != '/')
            return n - k;
    }
    return n;
}
