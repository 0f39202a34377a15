/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"

#include <stdlib.h>

void sl_json_blanks(struct sl_json *c)
{
    const char *p = c->at;

    for (; p < c->end && (*p == ' ' || (*p >= '\t' && *p <= '\r')); p++)
        c->lines += *p == '\n';
    c->at = p;
}

/* ---- texts ---- */

#define EACH(b) (UINT64_C(0x0101010101010101) * (unsigned char)(b))
#define BYTE_BELOW(w, b) (((w)-EACH(b)) & ~(w)&EACH(0x80)) /* true of the first such byte, and never before it */

static inline bool is_control(char c, bool strict)
{
    return strict ? (unsigned char)c < ' ' : c == '\n';
}

/* Eight bytes at once, to the first one that is not just a letter. */
static inline const char *plain(const char *p, const char *end, bool strict)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    for (; end - p >= 8; p += 8) {
        uint64_t w, hit;
        memcpy(&w, p, 8);
        hit = BYTE_BELOW(w ^ EACH('"'), 1) | BYTE_BELOW(w ^ EACH('\\'), 1) |
              (strict ? BYTE_BELOW(w, ' ') : BYTE_BELOW(w ^ EACH('\n'), 1));
        if (hit)
            return p + (__builtin_ctzll(hit) >> 3);
    }
#endif
    while (p < end && *p != '"' && *p != '\\' && !is_control(*p, strict))
        p++;
    return p;
}

static int hex4(const char *s, const char *end)
{
    int v = 0;

    if (end - s < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        char c = s[i];
        int d = c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
        if (d < 0)
            return -1;
        v = v * 16 + d;
    }
    return v;
}

/* The length of the escape at p; 0: it is none. */
static size_t escape(const struct sl_json *c, const char *p)
{
    if (!c->strict)
        return p[1] == '\n' ? 0 : 2;
    if (p[1] == 'u')
        return hex4(p + 2, c->end) < 0 ? 0 : 6;
    return p[1] && strchr("\"\\/bfnrt", p[1]) ? 2 : 0;
}

enum sl_json_status sl_json_string(struct sl_json *c, struct sl_json_text *out)
{
    const char *p = c->at + 1;
    bool escaped = false;
    size_t n;

    for (;;) {
        p = c->strict ? plain(p, c->end, true) : plain(p, c->end, false);
        if (p == c->end)
            return SL_JSON_MORE;
        if (*p == '"')
            break;
        if (*p != '\\') {
            c->at = p;
            return SL_JSON_BAD;
        }
        escaped = true;
        if (c->end - p < 2)
            return SL_JSON_MORE;
        if (!(n = escape(c, p))) {
            c->at = p + 1;
            return SL_JSON_BAD;
        }
        p += n;
    }
    if (p - c->at > (1 << 30))
        return SL_JSON_BAD;
    *out = (struct sl_json_text){c->at + 1, (uint32_t)(p - c->at - 1), escaped, c->strict, '"'};
    c->at = p + 1;
    return SL_JSON_OK;
}

static char *put_utf8(char *to, int c)
{
    if (c < 0x80) {
        *to++ = (char)c;
    } else if (c < 0x800) {
        *to++ = (char)(0xC0 | c >> 6);
        *to++ = (char)(0x80 | (c & 63));
    } else if (c < 0x10000) {
        *to++ = (char)(0xE0 | c >> 12);
        *to++ = (char)(0x80 | (c >> 6 & 63));
        *to++ = (char)(0x80 | (c & 63));
    } else {
        *to++ = (char)(0xF0 | c >> 18);
        *to++ = (char)(0x80 | (c >> 12 & 63));
        *to++ = (char)(0x80 | (c >> 6 & 63));
        *to++ = (char)(0x80 | (c & 63));
    }
    return to;
}

/* Half of a pair alone.  Python writes the bytes of texts that are not UTF-8 as second halves: they are kept. */
static int half(int c, bool strict)
{
    if (!strict)
        return 0xFFFD;
    return c < 0xDC00 ? '?' : c;
}

/* What is no escape of JSON stays as it stands: a path of Windows in a text is no reason to lose it. */
const char *sl_json_unescape(const struct sl_json_text *t, struct sl_arena *arena, size_t *n)
{
    const char *s = t->s, *end = s + t->n;
    char *out, *to;

    *n = t->n;
    if (!t->escaped)
        return t->s;
    out = to = sl_arena_alloc(arena, t->n + 1);
    while (s < end) {
        int c, low;
        if (*s != '\\' || s + 1 == end) {
            *to++ = *s++;
            continue;
        }
        switch (s[1]) {
        case 'b': *to++ = '\b'; break;
        case 'f': *to++ = '\f'; break;
        case 'n': *to++ = '\n'; break;
        case 'r': *to++ = '\r'; break;
        case 't': *to++ = '\t'; break;
        case '"':
        case '\\':
        case '/': *to++ = s[1]; break;
        case 'u':
            c = hex4(s + 2, end);
            if (c < 0) {
                *to++ = *s++;
                continue;
            }
            s += 4;
            if (c >= 0xD800 && c < 0xDC00 && end - s >= 8 && s[2] == '\\' && s[3] == 'u' &&
                (low = hex4(s + 4, end)) >= 0xDC00 && low < 0xE000) {
                c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
                s += 6;
            }
            to = put_utf8(to, c >= 0xD800 && c < 0xE000 ? half(c, t->strict) : c);
            break;
        default: *to++ = '\\'; *to++ = s[1];
        }
        s += 2;
    }
    *n = (size_t)(to - out);
    *to = 0;
    return out;
}

/* ---- values ---- */

static bool of_number(char c)
{
    return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* RFC 8259, but where it is not strict, leading zeros and a lone point are taken as well. */
static bool is_number(const char *s, const char *end, bool strict)
{
    const char *digits;

    s += s < end && *s == '-';
    digits = s;
    while (s < end && is_digit(*s))
        s++;
    if (s == digits || (strict && *digits == '0' && s > digits + 1))
        return false;
    if (s < end && *s == '.') {
        digits = ++s;
        while (s < end && is_digit(*s))
            s++;
        if (strict && s == digits)
            return false;
    }
    if (s < end && (*s | 32) == 'e') {
        s++;
        s += s < end && (*s == '-' || *s == '+');
        if (s == end)
            return false;
        while (s < end && is_digit(*s))
            s++;
    }
    return s == end;
}

enum sl_json_status sl_json_key(struct sl_json *c, struct sl_json_text *out)
{
    enum sl_json_status rc;

    if (*c->at != '"')
        return SL_JSON_BAD;
    if ((rc = sl_json_string(c, out)))
        return rc;
    sl_json_blank(c);
    if (c->at == c->end)
        return SL_JSON_MORE;
    if (*c->at != ':')
        return SL_JSON_BAD;
    c->at++;
    sl_json_blank(c);
    return SL_JSON_OK;
}

static enum sl_json_status word(struct sl_json *c, struct sl_json_text *out, const char *is, char kind)
{
    size_t n = strlen(is), have = (size_t)(c->end - c->at);

    if (memcmp(c->at, is, have < n ? have : n) != 0)
        return SL_JSON_BAD;
    if (have < n)
        return SL_JSON_MORE;
    *out = (struct sl_json_text){c->at, (uint32_t)n, .kind = kind};
    c->at += n;
    return SL_JSON_OK;
}

static enum sl_json_status number(struct sl_json *c, struct sl_json_text *out)
{
    const char *p = c->at;

    while (p < c->end && of_number(*p))
        p++;
    if (p == c->end && !c->strict && p - c->at < 400)
        return SL_JSON_MORE;
    if (!is_number(c->at, p, c->strict) || (!c->strict && p - c->at >= 400)) {
        c->at = p;
        return SL_JSON_BAD;
    }
    *out = (struct sl_json_text){c->at, (uint32_t)(p - c->at), .kind = '0'};
    c->at = p;
    return SL_JSON_OK;
}

enum sl_json_status sl_json_next(struct sl_json *c, char close, bool first)
{
    sl_json_blank(c);
    if (c->at == c->end)
        return SL_JSON_MORE;
    if (*c->at != close && !first) {
        if (*c->at != ',')
            return SL_JSON_BAD;
        c->at++;
        sl_json_blank(c);
        if (c->at == c->end)
            return SL_JSON_MORE;
        if (*c->at == close && c->strict) /* a comma too many */
            return SL_JSON_BAD;
    }
    if (*c->at != close)
        return SL_JSON_OK;
    c->at++;
    return SL_JSON_END;
}

/* An object or a list. */
static enum sl_json_status nested(struct sl_json *c, struct sl_json_text *out, int depth)
{
    const char *from = c->at;
    char close = *from == '{' ? '}' : ']';
    struct sl_json_text inner;
    enum sl_json_status rc;

    c->at++;
    if (depth >= SL_JSON_DEPTH)
        return SL_JSON_BAD;
    for (bool first = true; !(rc = sl_json_next(c, close, first)); first = false) {
        if (close == '}' && (rc = sl_json_key(c, &inner)))
            return rc;
        if ((rc = sl_json_value(c, &inner, depth + 1)))
            return rc;
    }
    if (rc != SL_JSON_END)
        return rc;
    if (c->at - from > (1 << 30))
        return SL_JSON_BAD;
    *out = (struct sl_json_text){from, (uint32_t)(c->at - from), .kind = *from};
    return SL_JSON_OK;
}

enum sl_json_status sl_json_value(struct sl_json *c, struct sl_json_text *out, int depth)
{
    if (c->at == c->end)
        return SL_JSON_MORE;
    switch (*c->at) {
    case '"': return sl_json_string(c, out);
    case '{':
    case '[': return nested(c, out, depth);
    case 't': return word(c, out, "true", 't');
    case 'f': return word(c, out, "false", 't');
    case 'n': return word(c, out, "null", 'n');
    default: return number(c, out);
    }
}

/* ---- numbers ---- */

bool sl_json_us(const char *s, size_t n, int64_t *ns)
{
    const char *end = s + n;
    bool minus = n && *s == '-', point = false;
    uint64_t v = 0;
    __int128 wide;
    int digits = 0, shift = 3; /* of the decimal point, from what was read to nanoseconds */

    s += minus;
    for (; s < end && (is_digit(*s) || (*s == '.' && !point)); s++) {
        if (*s == '.') {
            point = true;
        } else if (v < UINT64_MAX / 10 - 1) {
            v = v * 10 + (uint64_t)(*s - '0');
            shift -= point;
            digits++;
        } else {
            shift += !point;
        }
    }
    if (!digits)
        return false;
    if (s < end && (*s | 32) == 'e') {
        char *stop, copy[16];
        long e;
        if ((size_t)(end - s) > sizeof copy || end - s < 2)
            return false;
        memcpy(copy, s + 1, (size_t)(end - s - 1));
        copy[end - s - 1] = 0;
        e = strtol(copy, &stop, 10);
        if (*stop || stop == copy || e > 1000 || e < -1000)
            return false;
        shift += (int)e;
        s = end;
    }
    if (s != end)
        return false;
    wide = v;
    for (; shift > 0 && wide < INT64_MAX; shift--)
        wide *= 10;
    if (shift > 0 && !v)
        shift = 0;
    for (; shift < 0 && wide; shift++)
        wide /= 10;
    if (wide > INT64_MAX || shift > 0)
        return false;
    *ns = minus ? -(int64_t)wide : (int64_t)wide;
    return true;
}
