/* SPDX-License-Identifier: Apache-2.0 */
#include "recipe/time.h"

#include <stdlib.h>
#include <string.h>

enum { SECOND = 1000000000 };

/* Has the pattern one of these conversions? */
static bool has(const char *pattern, const char *any)
{
    for (const char *p = pattern; (p = strchr(p, '%')) && p[1]; p += 2)
        if (strchr(any, p[1]))
            return true;
    return false;
}

bool sl_time_format(struct sl_time_format *f, const char *spec)
{
    static const struct {
        const char *name;
        enum sl_time_kind kind;
    } known[] = {{"unix", SL_TIME_UNIX},
                 {"unix_ms", SL_TIME_UNIX_MS},
                 {"unix_us", SL_TIME_UNIX_US},
                 {"unix_ns", SL_TIME_UNIX_NS},
                 {"iso", SL_TIME_ISO}};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(spec, known[i].name)) {
            *f = (struct sl_time_format){.kind = known[i].kind};
            return true;
        }
    if (!strncmp(spec, "unix.", 5) && spec[5] >= '0' && spec[5] <= '9' && !spec[6]) {
        *f = (struct sl_time_format){.kind = SL_TIME_UNIX_ROUND, .digits = spec[5] - '0'};
        return true;
    }
    *f = (struct sl_time_format){.kind = SL_TIME_PATTERN, .pattern = spec};
    if (!has(spec, "d") || !has(spec, "mb"))
        f->lacks = SL_TIME_OF_DAY;
    else if (!has(spec, "Yy"))
        f->lacks = "a date without a year";
    return strchr(spec, '%') != NULL;
}

static bool number(const char **s, const char *end, int min, int max, int64_t *v)
{
    const char *p = *s;

    *v = 0;
    while (p < end && p - *s < max && *p >= '0' && *p <= '9')
        *v = *v * 10 + (*p++ - '0');
    if (p - *s < min)
        return false;
    *s = p;
    return true;
}

/* Digits after the point -> nanoseconds; more than nine digits are cut. */
static int64_t fraction(const char **s, const char *end)
{
    int64_t ns = 0, unit = SECOND / 10;

    for (; *s < end && **s >= '0' && **s <= '9'; (*s)++, unit /= 10)
        ns += (**s - '0') * unit;
    return ns;
}

/* Days from 1970-01-01 of the proleptic Gregorian calendar (H. Hinnant, "chrono-compatible low-level date algorithms").
 */
static int64_t days(int64_t y, int64_t m, int64_t d)
{
    int64_t era, yoe, doy;

    y -= m <= 2;
    era = (y >= 0 ? y : y - 399) / 400;
    yoe = y - era * 400;
    doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
    return era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468;
}

struct parts {
    int64_t y, mon, d, h, min, s, ns, offset; /* offset in seconds */
    bool zoned;
};

static bool finish(const struct parts *t, int64_t *ns, bool *naive)
{
    static const int last[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

    if (t->y < 1678 || t->y > 2261 || t->mon < 1 || t->mon > 12 || t->d < 1 || t->d > last[t->mon - 1] || t->h > 23 ||
        t->min > 59 || t->s > 60)
        return false;
    if (t->mon == 2 && t->d == 29 && (t->y % 4 || (t->y % 100 == 0 && t->y % 400)))
        return false;
    *ns = (days(t->y, t->mon, t->d) * 86400 + t->h * 3600 + t->min * 60 + t->s - t->offset) * SECOND + t->ns;
    *naive = !t->zoned;
    return true;
}

/* Z, +hh:mm, +hhmm, +hh */
static bool zone(const char **s, const char *end, struct parts *t)
{
    int64_t h, m = 0;
    int sign;

    if (*s < end && (**s == 'Z' || **s == 'z')) {
        (*s)++;
        t->zoned = true;
        return true;
    }
    if (*s >= end || (**s != '+' && **s != '-'))
        return false;
    sign = **s == '-' ? -1 : 1;
    (*s)++;
    if (!number(s, end, 2, 2, &h))
        return false;
    if (*s < end && **s == ':')
        (*s)++;
    if (*s < end && !number(s, end, 2, 2, &m))
        return false;
    if (h > 23 || m > 59)
        return false;
    t->offset = sign * (h * 3600 + m * 60);
    t->zoned = true;
    return true;
}

static bool literal(const char **s, const char *end, char c)
{
    if (*s >= end || **s != c)
        return false;
    (*s)++;
    return true;
}

static bool parse_iso(const char *s, const char *end, int64_t *ns, bool *naive)
{
    struct parts t = {0};

    if (!number(&s, end, 4, 4, &t.y) || !literal(&s, end, '-') || !number(&s, end, 2, 2, &t.mon) ||
        !literal(&s, end, '-') || !number(&s, end, 2, 2, &t.d))
        return false;
    if (s < end) {
        if (*s != ' ' && *s != 'T')
            return false;
        s++;
        if (!number(&s, end, 2, 2, &t.h) || !literal(&s, end, ':') || !number(&s, end, 2, 2, &t.min))
            return false;
        if (s < end && *s == ':') {
            s++;
            if (!number(&s, end, 2, 2, &t.s))
                return false;
        }
        if (s < end && (*s == '.' || *s == ',')) {
            s++;
            t.ns = fraction(&s, end);
        }
        if (s < end && *s == ' ')
            s++;
        if (s < end && !zone(&s, end, &t))
            return false;
    }
    return s == end && finish(&t, ns, naive);
}

static bool month(const char **s, const char *end, int64_t *m)
{
    static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

    if (end - *s < 3)
        return false;
    for (int i = 0; i < 12; i++)
        if (!strncmp(*s, names + (size_t)i * 3, 3)) {
            *s += 3;
            *m = i + 1;
            return true;
        }
    return false;
}

static bool parse_pattern(const char *p, const char *s, const char *end, int64_t *ns, bool *naive)
{
    struct parts t = {.mon = 1, .d = 1, .y = 1970};
    bool ok = true;

    for (; ok && *p; p++) {
        if (*p == ' ') { /* any run of blanks */
            while (s < end && *s == ' ')
                s++;
            continue;
        }
        if (*p != '%') {
            ok = literal(&s, end, *p);
            continue;
        }
        switch (*++p) {
        case 'Y': ok = number(&s, end, 4, 4, &t.y); break;
        case 'y':
            ok = number(&s, end, 2, 2, &t.y);
            t.y += t.y < 69 ? 2000 : 1900; /* POSIX strptime */
            break;
        case 'm': ok = number(&s, end, 1, 2, &t.mon); break;
        case 'b': ok = month(&s, end, &t.mon); break;
        case 'd': ok = number(&s, end, 1, 2, &t.d); break;
        case 'H': ok = number(&s, end, 1, 2, &t.h); break;
        case 'M': ok = number(&s, end, 1, 2, &t.min); break;
        case 'S': ok = number(&s, end, 1, 2, &t.s); break;
        case 'f': {
            const char *from = s;
            t.ns = fraction(&s, end);
            ok = s > from;
            break;
        }
        case 'z': ok = zone(&s, end, &t); break;
        case '%': ok = literal(&s, end, '%'); break;
        default: ok = false;
        }
    }
    return ok && s == end && finish(&t, ns, naive);
}

static bool parse_unix(const char *s, const char *end, int64_t unit, int64_t *ns)
{
    bool minus = s < end && *s == '-';
    int64_t whole, frac = 0, v;

    s += minus;
    if (!number(&s, end, 1, 18, &whole))
        return false;
    if (s < end && *s >= '0' && *s <= '9' && /* a 19th digit: nanoseconds have it */
        (__builtin_mul_overflow(whole, 10, &whole) || __builtin_add_overflow(whole, *s++ - '0', &whole)))
        return false;
    if (s < end && *s == '.') {
        s++;
        frac = fraction(&s, end) / (SECOND / unit);
    }
    if (s != end || __builtin_mul_overflow(whole, unit, &v) || __builtin_add_overflow(v, frac, &v))
        return false;
    *ns = minus ? -v : v;
    return true;
}

/*
 * The double that the text stands for, rounded as printf does: exactly, half to even.  A decimal text is not that
 * double, so its digits cannot be rounded instead.
 */
static bool parse_round(const char *s, size_t n, int digits, int64_t *ns)
{
    char copy[40], *end;
    int64_t unit = SECOND, whole;
    unsigned __int128 scaled;
    uint64_t part;
    double d;

    if (n >= sizeof copy || !parse_unix(s, s + n, SECOND, ns))
        return false;
    memcpy(copy, s, n);
    copy[n] = 0;
    d = strtod(copy, &end);
    d = d < 0 ? -d : d;
    whole = (int64_t)d;
    for (int i = 0; i < digits; i++)
        unit /= 10;
    scaled = (unsigned __int128)((d - (double)whole) * 0x1p63) * (uint64_t)(SECOND / unit);
    part = (uint64_t)(scaled >> 63);
    scaled &= ((uint64_t)1 << 63) - 1;
    part += scaled > (uint64_t)1 << 62 || (scaled == (uint64_t)1 << 62 && (digits ? part : (uint64_t)whole) & 1);
    if (__builtin_mul_overflow(whole, (int64_t)SECOND, &whole) ||
        __builtin_add_overflow(whole, (int64_t)part * unit, &whole))
        return false;
    *ns = *s == '-' ? -whole : whole;
    return true;
}

bool sl_time_parse(const struct sl_time_format *f, const char *s, size_t n, int64_t *ns, bool *naive)
{
    const char *end = s + n;

    *naive = false;
    switch (f->kind) {
    case SL_TIME_UNIX: return parse_unix(s, end, SECOND, ns);
    case SL_TIME_UNIX_MS: return parse_unix(s, end, 1000000, ns);
    case SL_TIME_UNIX_US: return parse_unix(s, end, 1000, ns);
    case SL_TIME_UNIX_NS: return parse_unix(s, end, 1, ns);
    case SL_TIME_UNIX_ROUND: return parse_round(s, n, f->digits, ns);
    case SL_TIME_ISO: return parse_iso(s, end, ns, naive);
    case SL_TIME_PATTERN: return !f->lacks && parse_pattern(f->pattern, s, end, ns, naive);
    }
    return false;
}

bool sl_time_of_day(const char *s, size_t n)
{
    const char *end = s + n;
    int64_t v;

    if (!number(&s, end, 1, 2, &v) || v > 24 || !literal(&s, end, ':') || !number(&s, end, 2, 2, &v) || v > 59)
        return false;
    if (s < end && *s == ':') {
        s++;
        if (!number(&s, end, 2, 2, &v) || v > 60)
            return false;
    }
    if (s < end && (*s == '.' || *s == ','))
        for (s++; s < end && *s >= '0' && *s <= '9';)
            s++;
    return s == end;
}

int32_t sl_zone_offset(const char *s)
{
    int digit[4], n = 0, sign = *s == '-' ? -1 : 1;

    if (!strcmp(s, "Z") || !strcmp(s, "UTC"))
        return 0;
    if (*s != '+' && *s != '-')
        return INT32_MIN;
    for (s++; *s && n < 4; s++) {
        if (*s == ':' && n == 2)
            continue;
        if (*s < '0' || *s > '9')
            return INT32_MIN;
        digit[n++] = *s - '0';
    }
    if (*s || n == 0 || n == 3)
        return INT32_MIN;
    if (n == 1)
        return sign * digit[0] * 3600;
    n = n == 4 ? digit[2] * 10 + digit[3] : 0;
    return digit[0] * 10 + digit[1] > 15 || n > 59 ? INT32_MIN : sign * ((digit[0] * 10 + digit[1]) * 3600 + n * 60);
}
