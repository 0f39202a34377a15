/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scanner for JSON that may go on behind the end of the buffer, without callbacks and copies: traces are large.
 * Texts may hold any bytes but line ends.
 */
#ifndef SL_BASE_JSON_H
#define SL_BASE_JSON_H

#include "base/mem.h"

#include <stdbool.h>

enum sl_json_status { SL_JSON_OK, SL_JSON_MORE, SL_JSON_BAD }; /* MORE: the buffer ends here */
enum { SL_JSON_DEPTH = 32 };

struct sl_json {
    const char *at, *end;
    int64_t lines; /* ends of lines passed over */
};

struct sl_json_text { /* of a text: without its quotes; of another value: as it stands */
    const char *s;
    uint32_t n;
    bool escaped;
    char kind; /* '"', '0' a number, 't' true or false, 'n' null, '{', '['; 0: missing */
};

/* Blanks and ends of lines. */
void sl_json_blank(struct sl_json *c);
/* A key of an object with its colon; what follows is its value. */
enum sl_json_status sl_json_key(struct sl_json *c, struct sl_json_text *out);
/* A text; at its first quote. */
enum sl_json_status sl_json_string(struct sl_json *c, struct sl_json_text *out);
/* Any value. */
enum sl_json_status sl_json_value(struct sl_json *c, struct sl_json_text *out, int depth);
/* What a text says, without its escapes: borrowed, or in the arena. */
const char *sl_json_unescape(const struct sl_json_text *t, struct sl_arena *arena, size_t *n);
/* A decimal number of microseconds, exactly, cut at nanoseconds.  False: it is none, or out of range. */
bool sl_json_us(const char *s, size_t n, int64_t *ns);

#endif
