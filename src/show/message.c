/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"
#include "show/show.h"

#include <stdlib.h>
#include <string.h>

/* Where the quotation ends that begins at s; of one that never does: the character behind the quote. */
static const char *behind_quotes(const char *s)
{
    const char *end = strchr(s + 1, *s);
    return end ? end + 1 : s + 1;
}

/* Bytes of what is not parted at s: a word, or a command that is to be copied, up to the text behind it. */
static size_t piece(const char *s, const char *end)
{
    static const char command[] = "spanloom ";
    const char *at = s + (*s == '`');
    bool copied = !strncmp(at, command, sizeof command - 1);

    for (; at < end; at++) {
        if (!copied && *at == ' ')
            break;
        if (copied && (*at == '`' || *at == ';' || (*at == ',' && at[1] == ' ')))
            return (size_t)(at + strspn(at, "`;,") - s);
        if (copied && strchr("'\"", *at) && at > s && at[-1] == ' ')
            at = behind_quotes(at) - 1;
    }
    return (size_t)((at < end ? at : end) - s);
}

static int width_of(const char *s, size_t n)
{
    char *text = sl_strndup(s, n);
    int width = sl_show_width(text);

    free(text);
    return width;
}

static void put_line(FILE *out, const char *s, const char *end, int columns)
{
    size_t blanks = strspn(s, " ");
    int indent = (int)blanks + 2, at = (int)blanks;

    if (width_of(s, (size_t)(end - s)) <= columns) {
        fwrite(s, 1, (size_t)(end - s), out);
        return;
    }
    fwrite(s, 1, blanks, out);
    for (s += blanks; s < end;) {
        size_t n = piece(s, end);
        int width = width_of(s, n);
        if (at > indent && at + 1 + width > columns) {
            fprintf(out, "\n%*s", indent, "");
            at = indent;
        } else if (at > (int)blanks) {
            fputc(' ', out);
            at++;
        }
        fwrite(s, 1, n, out);
        at += width;
        s += n;
        while (s < end && *s == ' ')
            s++;
    }
}

void sl_show_message(FILE *out, const char *text, int columns)
{
    for (const char *end; *text; text = end + (*end == '\n')) {
        end = strchr(text, '\n');
        end = end ? end : text + strlen(text);
        if (columns)
            put_line(out, text, end, columns);
        else
            fwrite(text, 1, (size_t)(end - text), out);
        fputc('\n', out);
    }
}
