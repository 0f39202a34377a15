/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a file of any size, compressed or not, in bounded memory; shared by the readers of text. */
#ifndef SL_READ_TEXT_TEXT_H
#define SL_READ_TEXT_TEXT_H

#include "base/hash.h"
#include "engine/apply.h"
#include "unpack/bytes.h"

#include <sys/types.h>

enum {
    SL_LINE_MAX = 1 << 20,          /* a longer line is rejected: a record of a log is not larger */
    SL_JSON_MAX = 16 * SL_LINE_MAX, /* in JSON it is: Parsl writes a message twice, and up to six bytes a character */
};

struct sl_text {
    struct sl_parse *p;
    struct sl_bytes *from;
    const char *path;
    char *buf;
    size_t start, at, end, cap; /* [start, at) is held for the caller, [at, end) is not looked at yet */
    int64_t line;               /* number of the line returned last */
    uint64_t came;              /* bytes so far, decompressed */
    bool cut_is_reject;         /* compressed data that is not whole is told by the reader, and no error */
    size_t max;                 /* length of a line; SL_LINE_MAX where the caller does not say more */
    bool eof, hash, bom;
    XXH3_state_t *whole;
};

/* Opens path, or p->region.  0, or negative with err filled. */
int sl_text_open(struct sl_text *t, struct sl_parse *p, const char *path, struct sl_err *err);

/*
 * The next whole line without its end (LF or CRLF): 1, *s and *n set, *s inside t->buf and valid until the next call,
 * where everything from t->start on is kept, though it may move.  0: the end.  Lines too long and a cut last line are
 * rejected on the way.  Negative: reading failed.
 */
int sl_text_line(struct sl_text *t, char **s, size_t *n, struct sl_err *err);

/* For readers that do not go by lines: reads on behind t->end.  1: something came, 0: the end, negative: failed. */
int sl_text_more(struct sl_text *t, struct sl_err *err);

/*
 * Puts hash and size into the parse, reports a file that shrank or compressed data that is not whole, closes.  rc is
 * what the reader has so far.
 */
int sl_text_close(struct sl_text *t, int rc, struct sl_err *err);

#endif
