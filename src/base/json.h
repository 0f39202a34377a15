/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scanner for JSON that may go on behind the end of the buffer, without callbacks and copies: traces are large.
 * Texts may hold any bytes but line ends; what programs get wrong but is clear (a comma too many) is taken.
 * Where it is strict, the whole text is there, and is what RFC 8259 allows; bytes that are not UTF-8 are data still.
 */
#ifndef SL_BASE_JSON_H
#define SL_BASE_JSON_H

#include "base/mem.h"

#include <stdbool.h>

/* MORE: the buffer ends here; END: that was the last item */
enum sl_json_status { SL_JSON_OK, SL_JSON_MORE, SL_JSON_BAD, SL_JSON_END };
enum { SL_JSON_DEPTH = 32 };

struct sl_json {
    const char *at, *end;
    int64_t lines; /* ends of lines passed over */
    bool strict;
};

struct sl_json_text { /* of a text: without its quotes; of another value: as it stands */
    const char *s;
    uint32_t n;
    bool escaped, strict;
    char kind; /* '"', '0' a number, 't' true or false, 'n' null, '{', '['; 0: missing */
};

void sl_json_blanks(struct sl_json *c);
/* Blanks and ends of lines. */
static inline void sl_json_blank(struct sl_json *c)
{
    if (c->at < c->end && (unsigned char)*c->at <= ' ')
        sl_json_blanks(c);
}
/* Behind an opening bracket (first) or an item of it: to the next item, or behind the closing bracket (END). */
enum sl_json_status sl_json_next(struct sl_json *c, char close, bool first);
/* A key of an object with its colon; what follows is its value. */
enum sl_json_status sl_json_key(struct sl_json *c, struct sl_json_text *out);
/* A text; at its first quote. */
enum sl_json_status sl_json_string(struct sl_json *c, struct sl_json_text *out);
/* Any value; depth: how many brackets it is in. */
enum sl_json_status sl_json_value(struct sl_json *c, struct sl_json_text *out, int depth);
/* What a text says, without its escapes: borrowed, or in the arena. */
const char *sl_json_unescape(const struct sl_json_text *t, struct sl_arena *arena, size_t *n);
/* A decimal number of microseconds, exactly, cut at nanoseconds.  False: it is none, or out of range. */
bool sl_json_us(const char *s, size_t n, int64_t *ns);

#endif
