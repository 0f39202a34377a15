/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"
#include "base/mem.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void room(struct sl_buf *b, size_t n)
{
    if (b->n + n + 1 > b->cap) {
        b->cap = (b->n + n + 1) * 2;
        b->s = sl_realloc(b->s, b->cap);
    }
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
    sl_buf_add(b, &c, 1);
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
    char text[24];

    sl_buf_add(b, text, sl_int_text(x, text));
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

void sl_buf_add_json(struct sl_buf *b, const char *s, size_t n)
{
    sl_buf_addc(b, '"');
    for (size_t i = 0; i < n;) {
        unsigned char c = (unsigned char)s[i];
        if (c == '"' || c == '\\') {
            char esc[2] = {'\\', (char)c};
            sl_buf_add(b, esc, 2);
            i++;
        } else if (c == '\n') {
            sl_buf_add(b, "\\n", 2);
            i++;
        } else if (c == '\t') {
            sl_buf_add(b, "\\t", 2);
            i++;
        } else if (c && c < 0x20) {
            sl_buf_addf(b, "\\u%04x", c);
            i++;
        } else if (c >= 0x20 && c < 0x80) {
            size_t j = i + 1;
            while (j < n && (unsigned char)s[j] >= 0x20 && (unsigned char)s[j] < 0x80 && s[j] != '"' && s[j] != '\\')
                j++;
            sl_buf_add(b, s + i, j - i);
            i = j;
        } else {
            size_t len = utf8_sequence((const unsigned char *)s + i, n - i);
            if (len)
                sl_buf_add(b, s + i, len);
            else
                sl_buf_addf(b, "\\\\x%02x", c);
            i += len ? len : 1;
        }
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
