/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_out.h"

#include <math.h>
#include <string.h>

enum { EXACT_BITS = 53 }; /* of a double */

static bool is_comma_due(const struct sl_buf *b)
{
    char last = b->n ? b->s[b->n - 1] : '\n';

    return last != '{' && last != '[' && last != ':' && last != ',' && last != '\n';
}

void sl_json_member(struct sl_buf *b, const char *key)
{
    size_t n = key ? strlen(key) : 0;
    char *to = sl_buf_room(b, n + 4);

    if (is_comma_due(b))
        *to++ = ',';
    if (key) {
        *to++ = '"';
        memcpy(to, key, n);
        to += n;
        *to++ = '"';
        *to++ = ':';
    }
    *to = 0;
    b->n = (size_t)(to - b->s);
}

void sl_json_name(struct sl_buf *b, const char *s)
{
    sl_json_text(b, NULL, s);
    sl_buf_addc(b, ':');
}

void sl_json_open(struct sl_buf *b, const char *key, char bracket)
{
    sl_json_member(b, key);
    sl_buf_addc(b, bracket);
}

void sl_json_close(struct sl_buf *b, char bracket)
{
    sl_buf_addc(b, bracket);
}

void sl_json_raw(struct sl_buf *b, const char *key, const char *json)
{
    sl_json_member(b, key);
    sl_buf_adds(b, json);
}

void sl_json_bytes(struct sl_buf *b, const char *key, const char *s, size_t n)
{
    sl_json_member(b, key);
    sl_buf_add_json(b, s, n);
}

void sl_json_text(struct sl_buf *b, const char *key, const char *s)
{
    if (s)
        sl_json_bytes(b, key, s, strlen(s));
    else
        sl_json_raw(b, key, "null");
}

void sl_json_int(struct sl_buf *b, const char *key, int64_t i)
{
    sl_json_member(b, key);
    sl_buf_add_int(b, i);
}

void sl_json_digits(struct sl_buf *b, const char *key, int64_t i)
{
    char text[24];

    sl_json_bytes(b, key, text, sl_int_text(i, text));
}

void sl_json_exact(struct sl_buf *b, const char *key, int64_t i)
{
    if (i >= -((int64_t)1 << EXACT_BITS) && i <= (int64_t)1 << EXACT_BITS)
        sl_json_int(b, key, i);
    else
        sl_json_digits(b, key, i);
}

void sl_json_real(struct sl_buf *b, const char *key, double d)
{
    char text[32] = "null";

    if (isfinite(d))
        sl_real_text(d, text);
    for (char *s = text; *s; s++)
        *s = *s == ',' ? '.' : *s; /* a program with our SQL functions may have a locale */
    sl_json_raw(b, key, text);
}

void sl_json_truth(struct sl_buf *b, const char *key, bool yes)
{
    sl_json_raw(b, key, yes ? "true" : "false");
}
