/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"
#include "base/mem.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void grow(struct sl_buf *b, size_t n)
{
    b->cap = (b->n + n + 1) * 2;
    b->s = sl_realloc(b->s, b->cap);
}

static inline void room(struct sl_buf *b, size_t n)
{
    if (b->n + n + 1 > b->cap)
        grow(b, n);
}

char *sl_buf_room(struct sl_buf *b, size_t n)
{
    room(b, n);
    return b->s + b->n;
}

void sl_buf_add(struct sl_buf *b, const void *s, size_t n)
{
    room(b, n);
    if (n)
        memcpy(b->s + b->n, s, n);
    b->n += n;
    b->s[b->n] = 0;
}

void sl_buf_adds(struct sl_buf *b, const char *s)
{
    sl_buf_add(b, s, strlen(s));
}

void sl_buf_addc(struct sl_buf *b, char c)
{
    room(b, 1);
    b->s[b->n++] = c;
    b->s[b->n] = 0;
}

size_t sl_int_text(int64_t x, char text[24])
{
    uint64_t u = x < 0 ? -(uint64_t)x : (uint64_t)x;
    size_t n = x < 0 ? 2 : 1;

    for (uint64_t v = u; v >= 10; v /= 10)
        n++;
    text[n] = 0;
    for (size_t i = n; i-- > (x < 0); u /= 10)
        text[i] = (char)('0' + u % 10);
    if (x < 0)
        text[0] = '-';
    return n;
}

void sl_buf_add_int(struct sl_buf *b, int64_t x)
{
    room(b, 24);
    b->n += sl_int_text(x, b->s + b->n);
}

void sl_buf_addf(struct sl_buf *b, const char *fmt, ...)
{
    va_list ap, again;
    int n;

    va_start(ap, fmt);
    va_copy(again, ap);
    n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    room(b, (size_t)n);
    vsnprintf(b->s + b->n, (size_t)n + 1, fmt, again);
    va_end(again);
    b->n += (size_t)n;
}

/* Length of the UTF-8 sequence at s (RFC 3629: no overlong forms, no surrogates), 0 if there is none. */
static size_t utf8_sequence(const unsigned char *s, size_t n)
{
    size_t len = s[0] < 0x80                   ? 1
                 : s[0] >= 0xC2 && s[0] < 0xE0 ? 2
                 : s[0] >= 0xE0 && s[0] < 0xF0 ? 3
                 : s[0] >= 0xF0 && s[0] < 0xF5 ? 4
                                               : 0;

    if (!len || len > n || !s[0])
        return 0;
    for (size_t i = 1; i < len; i++)
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] >= 0xA0) || (s[0] == 0xF0 && s[1] < 0x90) ||
        (s[0] == 0xF4 && s[1] >= 0x90))
        return 0;
    return len;
}

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

size_t sl_utf8_valid(const char *s, size_t n)
{
    size_t i = 0;

    while (i < n) {
        uint64_t w;
        if (n - i >= sizeof w &&
            (memcpy(&w, s + i, sizeof w), !(w & EACH(0x80)) && !((w - EACH(1)) & ~w & EACH(0x80)))) {
            i += sizeof w; /* ASCII without NUL, as nearly all is */
            continue;
        }
        size_t len = utf8_sequence((const unsigned char *)s + i, n - i);
        if (!len)
            break;
        i += len;
    }
    return i;
}

void sl_buf_add_quoted(struct sl_buf *b, const char *s)
{
    sl_buf_addc(b, '\'');
    for (; *s; s++)
        if (*s == '\'')
            sl_buf_adds(b, "'\\''");
        else
            sl_buf_addc(b, *s);
    sl_buf_addc(b, '\'');
}

void sl_buf_add_word(struct sl_buf *b, const char *s)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-";

    if (*s && !s[strspn(s, plain)])
        sl_buf_adds(b, s);
    else
        sl_buf_add_quoted(b, s);
}

void sl_buf_add_utf8(struct sl_buf *b, const char *s, size_t n)
{
    while (n) {
        size_t ok = sl_utf8_valid(s, n);
        sl_buf_add(b, s, ok);
        if (ok < n) {
            sl_buf_addf(b, "\\x%02x", (unsigned char)s[ok]);
            ok++;
        }
        s += ok;
        n -= ok;
    }
    room(b, 0);
    b->s[b->n] = 0;
}

/* Length of the beginning of s[0..n) that is ASCII and stands in JSON as it is. */
static size_t json_plain(const char *s, size_t n)
{
    size_t i = 0;

#define ZERO(w) (((w)-EACH(1)) & ~(w)&EACH(0x80))
    for (uint64_t w; n - i >= sizeof w; i += sizeof w) {
        memcpy(&w, s + i, sizeof w);
        if ((w & EACH(0x80)) | ZERO(w & EACH(0xE0)) | ZERO(w ^ EACH('"')) | ZERO(w ^ EACH('\\')))
            break;
    }
#undef ZERO
    while (i < n && (unsigned char)s[i] >= 0x20 && (unsigned char)s[i] < 0x80 && s[i] != '"' && s[i] != '\\')
        i++;
    return i;
}

/* The first byte of s[0..n), which JSON has not as it is, or what UTF-8 makes of it; how many bytes that was. */
static size_t add_escaped(struct sl_buf *b, const char *s, size_t n)
{
    unsigned char c = (unsigned char)*s;
    size_t length = utf8_sequence((const unsigned char *)s, n);

    if (c == '"' || c == '\\')
        sl_buf_addf(b, "\\%c", c);
    else if (c == '\n' || c == '\t')
        sl_buf_adds(b, c == '\n' ? "\\n" : "\\t");
    else if (c && c < 0x20)
        sl_buf_addf(b, "\\u%04x", c);
    else if (length)
        sl_buf_add(b, s, length);
    else
        sl_buf_addf(b, "\\\\x%02x", c);
    return length ? length : 1;
}

void sl_buf_add_json(struct sl_buf *b, const char *s, size_t n)
{
    size_t plain = json_plain(s, n);

    room(b, n + 2);
    sl_buf_addc(b, '"');
    sl_buf_add(b, s, plain);
    for (size_t i = plain; i < n; i += plain) {
        i += add_escaped(b, s + i, n - i);
        plain = json_plain(s + i, n - i);
        sl_buf_add(b, s + i, plain);
    }
    sl_buf_addc(b, '"');
}

void sl_buf_clear(struct sl_buf *b)
{
    b->n = 0;
    if (b->s)
        b->s[0] = 0;
}

void sl_buf_free(struct sl_buf *b)
{
    free(b->s);
    *b = (struct sl_buf){0};
}

size_t sl_real_text(double d, char text[32])
{
    bool exponent = d >= 1e17 || d <= -1e17; /* 17 digits cannot do without */
    int n = 0;

    for (int digits = 15; digits <= 17; digits++) { /* 17 always do; a time of microseconds shows none else */
        n = snprintf(text, 32, "%.*g", digits, d);
        if (strtod(text, NULL) == d && (exponent || !strstr(text, "e+")))
            break;
    }
    return (size_t)n;
}
