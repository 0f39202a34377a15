/* SPDX-License-Identifier: Apache-2.0 */
#include "report/html_text.h"

#include <stdarg.h>
#include <string.h>

enum { NAME_BYTES = 300 };

static void put(struct sl_buf *b, const char *s, size_t n)
{
    struct sl_buf utf8 = {0};

    sl_buf_add_utf8(&utf8, s, n);
    for (size_t i = 0; i < utf8.n; i++) {
        unsigned char c = (unsigned char)utf8.s[i];
        switch (c) {
        case '&': sl_buf_adds(b, "&amp;"); break;
        case '<': sl_buf_adds(b, "&lt;"); break;
        case '>': sl_buf_adds(b, "&gt;"); break;
        case '"': sl_buf_adds(b, "&quot;"); break;
        case '\'': sl_buf_adds(b, "&#39;"); break;
        default:
            if (c < 0x20 || c == 0x7f)
                sl_buf_addf(b, "\\x%02x", c);
            else
                sl_buf_addc(b, (char)c);
        }
    }
    sl_buf_free(&utf8);
}

void sl_html_text(struct sl_buf *b, const char *s)
{
    put(b, s, strlen(s));
}

void sl_html_name(struct sl_buf *b, const char *name)
{
    size_t n = strlen(name), shown = n;

    if (n > NAME_BYTES)
        for (shown = NAME_BYTES; shown > NAME_BYTES - 4 && ((unsigned char)name[shown] & 0xC0) == 0x80;)
            shown--;
    sl_buf_adds(b, "<bdi><code>");
    put(b, name, shown);
    sl_buf_adds(b, shown < n ? "\u2026</code></bdi>" : "</code></bdi>");
}

void sl_html_add(struct sl_buf *b, const char *html, ...)
{
    va_list args;

    va_start(args, html);
    for (const char *s = html; *s; s++)
        if (*s == '%' && s[1] == '%')
            sl_buf_addc(b, *++s);
        else if (*s == '%')
            sl_html_text(b, va_arg(args, const char *));
        else if (*s == '&')
            sl_html_name(b, va_arg(args, const char *));
        else
            sl_buf_addc(b, *s);
    va_end(args);
}
