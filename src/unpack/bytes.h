/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of a file, or of a part of one, as a stream: what it holds where it is compressed by gzip (RFC 1952), zstd
 * (RFC 8878), xz or bzip2, whatever it is called.  gzip is read by zlib, the others by libarchive where the machine has
 * it.
 */
#ifndef SL_UNPACK_BYTES_H
#define SL_UNPACK_BYTES_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Bytes [at, at + n) of a file that the owner has open. */
struct sl_region {
    int fd;
    uint64_t at, n;
};

struct sl_bytes;

/*
 * region: where the bytes lie, and then path is only what they are called; NULL: in the file of that path.  as_is: they
 * are not decompressed.  Borrows path and region.  0, or negative with err filled: *out is NULL.
 */
int sl_bytes_open(struct sl_bytes **out, const char *path, const struct sl_region *region, bool as_is,
                  struct sl_err *err);
/* Called with all that is read, as it stands in the file. */
void sl_bytes_watch(struct sl_bytes *b, void (*raw)(void *to, const char *s, size_t n), void *to);
/* At most `room` bytes, and 0 at the end or where the data is damaged.  Negative: reading failed, errno says why. */
ssize_t sl_bytes_read(struct sl_bytes *b, char *to, size_t room);
/* What is wrong with the compressed data, and at which byte of the file; NULL: nothing so far. */
const char *sl_bytes_damage(const struct sl_bytes *b);
/* Is it compressed?  Known after the first read. */
bool sl_bytes_packed(const struct sl_bytes *b);
/* Size when it was opened, of what stands in the file. */
uint64_t sl_bytes_size(const struct sl_bytes *b);
void sl_bytes_close(struct sl_bytes *b);

/* All n bytes, at this place of the file; false: errno says why. */
bool sl_write_at(int fd, const char *s, size_t n, uint64_t at);
/* Copies all that sl_bytes_open() of these gives into fd, which is empty; compressed data that is not whole is an
 * error. */
int sl_bytes_copy(const char *path, const struct sl_region *region, int fd, struct sl_err *err);

/* Length of path without the ending of a compressed file (.gz, .zst, .xz, .bz2), or all of it. */
size_t sl_bytes_stem(const char *path);

#endif
