/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scanner for JSON that may go on behind the end of the buffer, without callbacks and copies: traces are large.
 * Texts may hold any bytes but line ends.
 */
#ifndef SL_READ_JSON_SCAN_H
#define SL_READ_JSON_SCAN_H

#include "base/mem.h"
#include "recipe/value.h"

enum sl_scanned { SL_SCAN_OK, SL_SCAN_MORE, SL_SCAN_BAD }; /* MORE: the buffer ends here */
enum { SL_SCAN_DEPTH = 32 };

struct sl_scan {
    const char *at, *end;
    int64_t lines; /* ends of lines passed over */
};

struct sl_scan_text { /* of a text: without its quotes; of another value: as it stands */
    const char *s;
    uint32_t n;
    bool escaped;
    char kind; /* '"', '0' a number, 't' true or false, 'n' null, '{', '['; 0: missing */
};

/* Blanks and ends of lines. */
void sl_scan_blank(struct sl_scan *c);
/* A key of an object with its colon; what follows is its value. */
enum sl_scanned sl_scan_key(struct sl_scan *c, struct sl_scan_text *out);
/* A text; at its first quote. */
enum sl_scanned sl_scan_string(struct sl_scan *c, struct sl_scan_text *out);
/* Any value. */
enum sl_scanned sl_scan_value(struct sl_scan *c, struct sl_scan_text *out, int depth);
/* What a text says, without its escapes: borrowed, or in the arena. */
const char *sl_scan_unescape(const struct sl_scan_text *t, struct sl_arena *arena, size_t *n);
/* A decimal number of microseconds, exactly, cut at nanoseconds.  False: it is none, or out of range. */
bool sl_scan_us(const char *s, size_t n, int64_t *ns);

/*
 * For each value inside of a valid object: its path (a.b, list.0) and itself.  Depth is that of sl_scan_value().
 */
void sl_scan_leaves(const char *s, size_t n, struct sl_arena *arena,
                    void (*leaf)(void *to, const char *path, size_t npath, struct sl_value v), void *to);

#endif
