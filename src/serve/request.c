/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/request.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

bool sl_piece_is(struct sl_piece a, const char *text)
{
    return a.s && a.n == strlen(text) && !memcmp(a.s, text, a.n);
}

static bool is_token_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("!#$%&'*+-.^_`|~", c));
}

/* "GET /path?query HTTP/1.1" */
static int first_line(struct sl_request *r, const char *s, const char *end)
{
    const char *target, *after, *mark;

    if (end - s >= 5 && !memcmp(s, "POST ", 5))
        r->post = true;
    else if (end - s < 4 || memcmp(s, "GET ", 4) != 0) {
        for (after = s; after < end && is_token_char(*after); after++)
            ;
        return after > s && after < end && *after == ' ' ? -405 : -400;
    }
    target = s + (r->post ? 5 : 4);
    for (after = target; after<end && * after> ' ' && *after < 0x7f; after++)
        ;
    if (after == target || *target != '/' || after == end || *after != ' ')
        return -400;
    s = after + 1;
    if (end - s != 8 || memcmp(s, "HTTP/", 5) != 0 || s[6] != '.')
        return -400;
    if (s[5] != '1' || (s[7] != '0' && s[7] != '1'))
        return -505;
    mark = memchr(target, '?', (size_t)(after - target));
    r->path = (struct sl_piece){target, (size_t)((mark ? mark : after) - target)};
    r->query = mark ? (struct sl_piece){mark + 1, (size_t)(after - mark - 1)} : (struct sl_piece){after, 0};
    return 0;
}

static bool is_field(const char *s, size_t n, const char *name)
{
    return n == strlen(name) && !strncasecmp(s, name, n);
}

/* "Name: value"; *length the body's, once it is told. */
static int field(struct sl_request *r, const char *s, const char *end, long *length)
{
    const char *colon = s;
    struct sl_piece value, *to = NULL;

    while (colon < end && is_token_char(*colon))
        colon++;
    if (colon == s || colon == end || *colon != ':')
        return -400;
    value.s = colon + 1;
    while (value.s < end && (*value.s == ' ' || *value.s == '\t'))
        value.s++;
    while (end > value.s && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    value.n = (size_t)(end - value.s);
    for (size_t i = 0; i < value.n; i++)
        if (((unsigned char)value.s[i] < ' ' && value.s[i] != '\t') || value.s[i] == 0x7f)
            return -400;
    if (is_field(s, (size_t)(colon - s), "Transfer-Encoding"))
        return -501;
    if (is_field(s, (size_t)(colon - s), "Content-Length")) {
        if (*length >= 0 || !value.n)
            return -400;
        for (size_t i = (size_t)(*length = 0); i < value.n; i++) {
            if (value.s[i] < '0' || value.s[i] > '9')
                return -400;
            if (*length <= SL_REQUEST_BODY)
                *length = 10 * *length + (value.s[i] - '0');
        }
        return *length > SL_REQUEST_BODY ? -413 : 0;
    }
    if (is_field(s, (size_t)(colon - s), "Host"))
        to = &r->host;
    else if (is_field(s, (size_t)(colon - s), "Origin"))
        to = &r->origin;
    else if (is_field(s, (size_t)(colon - s), "Sec-Fetch-Site"))
        to = &r->site;
    else if (is_field(s, (size_t)(colon - s), "X-Spanloom-Token"))
        to = &r->token;
    if (to && to->s)
        return -400;
    if (to)
        *to = value;
    return 0;
}

int sl_request_parse(struct sl_request *r, const char *b, size_t n)
{
    size_t head = n < SL_REQUEST_HEAD ? n : SL_REQUEST_HEAD, at = 0;
    long length = -1;
    int lines = 0, rc;

    *r = (struct sl_request){0};
    for (;;) {
        const char *s = b + at, *nl = at < head ? memchr(s, '\n', head - at) : NULL;
        if (!nl)
            return n >= SL_REQUEST_HEAD ? -431 : 0;
        if (nl == s || nl[-1] != '\r')
            return -400;
        at = (size_t)(nl - b) + 1;
        if (nl - 1 == s)
            break;
        if (lines > SL_REQUEST_FIELDS)
            return -431;
        rc = lines++ ? field(r, s, nl - 1, &length) : first_line(r, s, nl - 1);
        if (rc)
            return rc;
    }
    if (!lines || (!r->post && length > 0))
        return -400;
    if (length < 0)
        length = 0;
    if (n - at < (size_t)length)
        return 0;
    r->body = (struct sl_piece){b + at, (size_t)length};
    return 1;
}

/* Takes the same time whatever is different. */
static bool is_token(struct sl_piece a, const char *token)
{
    unsigned different = 0;

    if (!a.s || a.n != SL_TOKEN_TEXT)
        return false;
    for (size_t i = 0; i < SL_TOKEN_TEXT; i++)
        different |= (unsigned)(a.s[i] ^ token[i]);
    return different == 0;
}

int sl_request_refused(const struct sl_request *r, int port, const char *token)
{
    static const char *const name[] = {"127.0.0.1", "localhost"};
    char host[40], origin[48];
    int meant = 0;

    for (int i = 0; i < 2; i++) {
        snprintf(host, sizeof host, "%s:%d", name[i], port);
        snprintf(origin, sizeof origin, "http://%s", host);
        if (sl_piece_is(r->host, host))
            meant = !r->origin.s || sl_piece_is(r->origin, origin) ? 1 : -1;
    }
    if (meant <= 0)
        return meant ? 403 : 421;
    if (r->path.n >= 5 && !memcmp(r->path.s, "/api/", 5)) {
        if (r->site.s && !sl_piece_is(r->site, "same-origin"))
            return 403;
        return is_token(r->token, token) ? 0 : 403;
    }
    return 0;
}

static int hex(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

bool sl_request_value(const struct sl_request *r, const char *name, char *to, size_t n)
{
    const char *s = r->query.s, *end = s + r->query.n;
    size_t length = strlen(name), at = 0;

    while (s < end && !((size_t)(end - s) > length && !memcmp(s, name, length) && s[length] == '=')) {
        s = memchr(s, '&', (size_t)(end - s));
        if (!s)
            return false;
        s++;
    }
    if (s >= end || !n)
        return false;
    for (s += length + 1; s < end && *s != '&'; s++) {
        char c = *s == '+' ? ' ' : *s;
        if (c == '%') {
            int high = end - s > 2 ? hex(s[1]) : -1, low = high >= 0 ? hex(s[2]) : -1;
            if (low < 0 || !(high || low))
                return false;
            c = (char)(high << 4 | low);
            s += 2;
        }
        if (at + 1 >= n)
            return false;
        to[at++] = c;
    }
    to[at] = 0;
    return true;
}
