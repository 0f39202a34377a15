/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/sqlfn/number.h"
#include "analyse/ext.h"
#include "base/buf.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN = 40, INT64_DIGITS = 19 };

int sl_number_register(sqlite3 *db, const char *name, int args, bool json, sl_number_step *step,
                       void (*final)(sqlite3_context *ctx))
{
    int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS | (json ? SQLITE_RESULT_SUBTYPE : 0);
    int rc = sqlite3_create_function_v2(db, name, args, flags, (void *)(uintptr_t)name, final ? NULL : step,
                                        final ? step : NULL, final, NULL);

    return rc == SQLITE_BUSY ? SQLITE_OK : rc;
}

void sl_number_error(sqlite3_context *ctx, const char *fmt, ...)
{
    char text[400];
    va_list ap;
    int n = snprintf(text, sizeof text, "%s(): ", (const char *)sqlite3_user_data(ctx));

    va_start(ap, fmt);
    vsnprintf(text + n, sizeof text - (size_t)n, fmt, ap);
    va_end(ap);
    sqlite3_result_error(ctx, text, -1);
}

static size_t digits(const char **s)
{
    size_t n = strspn(*s, "0123456789");

    *s += n;
    return n;
}

enum kind { NONE, REAL, WHOLE };

/* Is it a plain number?  One that may be too large for int64_t is none of the whole. */
static enum kind plain(const char *s)
{
    enum kind kind = WHOLE;
    size_t n;

    s += *s == '-' || *s == '+';
    n = digits(&s);
    if (n > INT64_DIGITS)
        kind = REAL;
    if (*s == '.') {
        s++;
        n += digits(&s);
        kind = REAL;
    }
    if (n && (*s == 'e' || *s == 'E')) {
        s++;
        s += *s == '-' || *s == '+';
        n = digits(&s);
        kind = REAL;
    }
    return n && !*s ? kind : NONE;
}

static void refuse(sqlite3_context *ctx, const char *text, size_t n)
{
    struct sl_buf b = {0};
    size_t shown = n > SHOWN ? SHOWN : n;

    while (shown < n && ((unsigned char)text[shown] & 0xc0) == 0x80)
        shown--; /* no half characters */
    sl_buf_add_utf8(&b, text, shown);
    sl_number_error(ctx, "'%s%s' is not a number", b.s ? b.s : "", shown < n ? "..." : "");
    sl_buf_free(&b);
}

bool sl_number_get(sqlite3_context *ctx, sqlite3_value *v, struct sl_number *out)
{
    int type = sqlite3_value_type(v);
    const char *text;
    enum kind kind;
    size_t n;

    if (type == SQLITE_INTEGER || type == SQLITE_FLOAT) {
        out->whole = type == SQLITE_INTEGER;
        out->i = out->whole ? sqlite3_value_int64(v) : 0;
        out->d = sqlite3_value_double(v);
        return true;
    }
    if (type != SQLITE_TEXT) {
        sl_number_error(ctx, "a %s is not a number", type == SQLITE_BLOB ? "blob" : "NULL");
        return false;
    }
    text = (const char *)sqlite3_value_text(v);
    n = text ? (size_t)sqlite3_value_bytes(v) : 0;
    kind = text && strlen(text) == n ? plain(text) : NONE;
    if (kind == NONE) {
        refuse(ctx, text ? text : "", n);
        return false;
    }
    out->d = sqlite3_value_double(v);
    out->whole = kind == WHOLE && fabs(out->d) < 0x1p63;
    out->i = out->whole ? sqlite3_value_int64(v) : 0;
    return true;
}

double sl_number_less(const struct sl_number *x, const struct sl_number *origin)
{
    int64_t less;

    if (x->whole && origin->whole && !__builtin_sub_overflow(x->i, origin->i, &less))
        return (double)less;
    return x->d - origin->d;
}

bool sl_number_finite(sqlite3_context *ctx, sqlite3_value *v, struct sl_number *out)
{
    if (!sl_number_get(ctx, v, out))
        return false;
    if (!isinf(out->d))
        return true;
    sl_number_error(ctx, "a value is infinite");
    return false;
}

bool sl_number_any_null(int argc, sqlite3_value **argv)
{
    for (int i = 0; i < argc; i++)
        if (sqlite3_value_type(argv[i]) == SQLITE_NULL)
            return true;
    return false;
}

void sl_number_result(sqlite3_context *ctx, double d)
{
    if (isinf(d))
        sl_number_error(ctx, "the values are too far apart");
    else
        sqlite3_result_double(ctx, d); /* SQLite makes NULL of NaN */
}

/* ---- JSON ---- */

void sl_json_result(sqlite3_context *ctx, struct sl_buf *b)
{
    sqlite3_result_text64(ctx, b->s, b->n, SQLITE_TRANSIENT, SQLITE_UTF8);
    sqlite3_result_subtype(ctx, 'J');
    sl_buf_free(b);
}
