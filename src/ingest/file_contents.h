/* SPDX-License-Identifier: Apache-2.0 */
/* What files hold: whether two of them begin alike, and whether one begins as another did when it was read. */
#ifndef SL_INGEST_FILE_CONTENTS_H
#define SL_INGEST_FILE_CONTENTS_H

#include "base/hash.h"
#include "ingest/find.h"

/* What two files hold, once unpacked, as far as it is not damaged: one may begin as all of the other does. */
enum sl_beginnings { SL_APART, SL_BOTH_SAME, SL_FIRST_BEGINS, SL_SECOND_BEGINS }; /* ..._BEGINS: the other goes on */
/* One of these, or negative: a file cannot be read. */
int sl_found_compare(const struct sl_found *a, const struct sl_found *b, struct sl_err *err);

/* XXH3-128 of longer and longer beginnings of a file, which is read once. */
struct sl_beginning {
    const char *path;
    struct sl_bytes *f;
    XXH3_state_t *state;
    uint64_t bytes;
    struct sl_err *err;
};

/* as_is: not of what a compressed file holds.  err: gets the first error, of this and of what follows. */
void sl_beginning_open(struct sl_beginning *b, const struct sl_found *f, bool as_is, struct sl_err *err);
/* Of the first `bytes` bytes, no fewer than before; false: the file cannot be read or is shorter. */
bool sl_beginning_hash(struct sl_beginning *b, uint64_t bytes, char out[33]);
/* There is no more of it. */
bool sl_beginning_is_all(struct sl_beginning *b);
void sl_beginning_close(struct sl_beginning *b);

#endif
