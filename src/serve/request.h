/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of HTTP/1.1 (RFC 9112), as strictly as it can be read: what is doubtful is refused.  Nothing is copied: all
 * texts point into the bytes that were read.
 */
#ifndef SL_SERVE_REQUEST_H
#define SL_SERVE_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

enum { SL_REQUEST_HEAD = 8 << 10, SL_REQUEST_BODY = 64 << 10, SL_REQUEST_FIELDS = 64, SL_TOKEN_TEXT = 32 };

struct sl_piece {
    const char *s; /* NULL: not told */
    size_t n;
};

struct sl_request {
    bool post;                   /* else GET */
    struct sl_piece path, query; /* "/api/runs", "run=1": as they came, in printing ASCII, the query without its ? */
    struct sl_piece host, origin, site /* Sec-Fetch-Site */, token /* X-Spanloom-Token */, body;
};

/*
 * The request that b[0..n) begins with.  1: it is whole; 0: there is more to come; negative: minus the status to refuse
 * it with (400, 405, 413, 431, 501, 505).
 */
int sl_request_parse(struct sl_request *r, const char *b, size_t n);

/*
 * 0: it may be answered.  421: it is meant for another host, as of a name that was bound to this address; 403: a page
 * of another site sent it, or below /api/ the token is another one.
 */
int sl_request_refused(const struct sl_request *r, int port, const char *token);

/* What the query says of name, decoded, NUL-terminated.  false: nothing, or what is no text of less than n bytes. */
bool sl_request_value(const struct sl_request *r, const char *name, char *to, size_t n);

bool sl_piece_is(struct sl_piece a, const char *text);

#endif
