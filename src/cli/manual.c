/* SPDX-License-Identifier: Apache-2.0 */
/* Plain text of mdoc (mandoc.bsd.lv/man/mdoc.7), as far as our pages use it. */
#include "cli/manual.h"
#include "base/buf.h"
#include "base/embed.h"
#include "base/mem.h"
#include "show/show.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { STEP = 5, LEVELS = 16, WORDS = 64 };

struct page {
    FILE *out;
    const char *name; /* of what the page is about, for Nm */
    struct sl_buf text;
    int columns, indent, level;
    struct {
        char kind; /* of Bl: 't'ag, 'b'ullet, 'd'ash */
        bool compact;
    } list[LEVELS];
    const char *mark;            /* of an item, before its first line */
    bool literal, joined, blank; /* joined: the next word follows without a space; blank: an empty line was printed */
};

/* ---- words ---- */

/* Appends s without roff's escapes. */
static void plain(struct sl_buf *b, const char *s)
{
    static const struct {
        const char *name, *text;
    } special[] = {{"dq", "\""}, {"aq", "'"}, {"ha", "^"}, {"ti", "~"}, {"em", "--"}, {"S2", "²"}};

    for (; *s; s++) {
        if (*s != '\\' || !s[1]) {
            sl_buf_addc(b, *s);
            continue;
        }
        s++;
        if (*s == 'e')
            sl_buf_addc(b, '\\');
        else if (*s == '(' && s[1] && s[2]) {
            for (size_t i = 0; i < sizeof special / sizeof *special; i++)
                if (!strncmp(special[i].name, s + 1, 2))
                    sl_buf_adds(b, special[i].text);
            s += 2;
        } else if (*s != '&') {
            sl_buf_addc(b, *s);
        }
    }
}

static void put(struct page *p, const char *word)
{
    if (p->text.n && !p->joined)
        sl_buf_addc(&p->text, ' ');
    plain(&p->text, word);
    p->joined = false;
}

static void open_with(struct page *p, const char *mark)
{
    put(p, mark);
    p->joined = true;
}

static void close_with(struct page *p, const char *mark)
{
    p->joined = true;
    put(p, mark);
}

static bool closes(const char *w)
{
    return *w && strchr(".,:;)]?!", *w) && !w[1];
}

static bool opens(const char *w)
{
    return (*w == '(' || *w == '[') && !w[1];
}

/* The words of a macro's line, quotes taken away; quoted words are no macros. */
static int split(char *line, char *word[WORDS], bool quoted[WORDS])
{
    int n = 0;

    while (*line && n < WORDS) {
        while (*line == ' ')
            line++;
        if (!*line || !strncmp(line, "\\\"", 2)) /* a comment */
            break;
        quoted[n] = *line == '"';
        if (quoted[n]) {
            char *to = word[n++] = ++line;
            for (; *line && (*line != '"' || line[1] == '"'); line++) {
                if (*line == '"')
                    line++;
                *to++ = *line;
            }
            line += *line != 0;
            *to = 0;
        } else {
            word[n++] = line;
            line += strcspn(line, " ");
            if (*line)
                *line++ = 0;
        }
    }
    return n;
}

static const char callable[] =
    " Ar Bc Bo Bq Brq Cm Dq Dv Em Er Ev Fa Fl Fn Ic In Li Nm No Ns Op Pa Pc Po Pq Ql Qq Sq Sx Sy Va Vt Xr ";

static bool is_macro(const char *w, bool quoted)
{
    const char *at = quoted || strlen(w) > 3 ? NULL : strstr(callable, w);
    return at && at[-1] == ' ' && at[strlen(w)] == ' ';
}

static void line_of(struct page *p, char **w, const bool *quoted, int n);

/* In brackets of some kind to the end of the line, but for what ends a sentence. */
static void enclosed(struct page *p, const char *left, const char *right, char **w, const bool *quoted, int n)
{
    int end = n;

    for (; end && !quoted[0] && opens(*w); w++, quoted++, end--, n--)
        open_with(p, *w);
    while (end && !quoted[end - 1] && closes(w[end - 1]))
        end--;
    open_with(p, left);
    line_of(p, w, quoted, end);
    close_with(p, right);
    for (; end < n; end++)
        close_with(p, w[end]);
}

/* One macro and what belongs to it; how many words that were. */
static int macro(struct page *p, const char *m, char **w, const bool *quoted, int n)
{
    bool flag = !strcmp(m, "Fl");
    int i = 0;

    if (!strcmp(m, "Ns")) {
        p->joined = true;
        return 0;
    }
    if (!strcmp(m, "Po") || !strcmp(m, "Bo"))
        return open_with(p, *m == 'P' ? "(" : "["), 0;
    if (!strcmp(m, "Pc") || !strcmp(m, "Bc"))
        return close_with(p, *m == 'P' ? ")" : "]"), 0;
    if (!strcmp(m, "Ar") && (!n || is_macro(*w, *quoted)))
        return put(p, "file ..."), 0;
    if (!strcmp(m, "Nm") && (!n || closes(*w) || is_macro(*w, *quoted)))
        return put(p, p->name), 0;
    if (!strcmp(m, "Xr") && n > 1) {
        put(p, w[0]);
        close_with(p, "(");
        close_with(p, w[1]);
        close_with(p, ")");
        return 2;
    }
    if (!strcmp(m, "Fn") && n) {
        put(p, w[0]);
        close_with(p, "(");
        for (i = 1; i < n && !closes(w[i]) && !is_macro(w[i], quoted[i]); i++) {
            if (i == 1)
                p->joined = true;
            else
                close_with(p, ",");
            put(p, w[i]);
        }
        close_with(p, ")");
        return i;
    }
    for (; i < n && !is_macro(w[i], quoted[i]); i++) {
        if (!quoted[i] && closes(w[i])) {
            close_with(p, w[i]);
            continue;
        }
        if (!quoted[i] && opens(w[i])) {
            open_with(p, w[i]);
            continue;
        }
        if (flag && strcmp(w[i], "|") != 0)
            open_with(p, "-");
        put(p, w[i]);
    }
    return i;
}

static void line_of(struct page *p, char **w, const bool *quoted, int n)
{
    static const struct {
        const char *name, *left, *right;
    } around[] = {{"Op", "[", "]"}, {"Pq", "(", ")"}, {"Bq", "[", "]"},   {"Brq", "{", "}"}, {"Sq", "'", "'"},
                  {"In", "<", ">"}, {"Ql", "'", "'"}, {"Qq", "\"", "\""}, {"Dq", "\"", "\""}};

    for (int i = 0; i < n;) {
        const char *word = w[i];
        bool done = false;
        if (!is_macro(word, quoted[i])) {
            if (!quoted[i] && closes(word))
                close_with(p, word);
            else if (!quoted[i] && opens(word))
                open_with(p, word);
            else
                put(p, word);
            i++;
            continue;
        }
        i++;
        for (size_t k = 0; k < sizeof around / sizeof *around && !done; k++)
            if ((done = !strcmp(word, around[k].name)))
                enclosed(p, around[k].left, around[k].right, w + i, quoted + i, n - i);
        if (done)
            return;
        i += macro(p, word, w + i, quoted + i, n - i);
    }
}

/* ---- lines ---- */

static void flush(struct page *p)
{
    if (!p->text.n)
        return;
    fprintf(p->out, "%*s%s", p->indent - (p->mark ? (int)strlen(p->mark) : 0), "", p->mark ? p->mark : "");
    p->mark = NULL;
    sl_show_wrapped(p->out, p->text.s, p->indent, p->columns);
    sl_buf_clear(&p->text);
    p->joined = p->blank = false;
}

static void paragraph(struct page *p)
{
    flush(p);
    if (!p->blank)
        fputc('\n', p->out);
    p->blank = true;
}

static void item(struct page *p, char **w, const bool *quoted, int n)
{
    char kind = p->level ? p->list[p->level - 1].kind : 't';

    flush(p);
    if (p->level && !p->list[p->level - 1].compact)
        paragraph(p);
    if (kind == 'b' || kind == 'd') {
        p->mark = "- ";
        return;
    }
    p->indent -= STEP;
    line_of(p, w, quoted, n);
    flush(p);
    p->indent += STEP;
}

static void request(struct page *p, char *line)
{
    char *w[WORDS];
    bool quoted[WORDS];
    int n = split(line, w, quoted);
    const char *m = n ? w[0] : "";

    if (!n || !strcmp(m, "Dd") || !strcmp(m, "Dt") || !strcmp(m, "Os")) {
        return;
    } else if (!strcmp(m, "Sh") || !strcmp(m, "Ss")) {
        paragraph(p);
        p->indent = m[1] == 'h' ? 0 : 3;
        line_of(p, w + 1, quoted + 1, n - 1);
        flush(p);
        p->indent = STEP;
        p->blank = true;
    } else if (!strcmp(m, "Pp")) {
        paragraph(p);
    } else if (!strcmp(m, "Nd")) {
        put(p, "-");
        line_of(p, w + 1, quoted + 1, n - 1);
    } else if (!strcmp(m, "Nm") && n > 1 && !p->name) {
        p->name = sl_strdup(w[1]);
        put(p, p->name);
    } else if (!strcmp(m, "Bl") && p->level < LEVELS) {
        flush(p);
        p->list[p->level].kind = n > 1 ? w[1][1] : 't';
        p->list[p->level].compact = n > 1 && !strcmp(w[n - 1], "-compact");
        p->level++;
        p->indent += STEP;
    } else if (!strcmp(m, "El") && p->level) {
        flush(p);
        p->level--;
        p->indent -= STEP;
    } else if (!strcmp(m, "It")) {
        item(p, w + 1, quoted + 1, n - 1);
    } else if (!strcmp(m, "Bd")) {
        paragraph(p);
        p->literal = true;
    } else if (!strcmp(m, "Ed")) {
        p->literal = false;
    } else if (!strcmp(m, "Dl")) {
        flush(p);
        for (int i = 1; i < n; i++)
            put(p, w[i]);
        fprintf(p->out, "%*s%s\n", p->indent + STEP, "", p->text.n ? p->text.s : "");
        sl_buf_clear(&p->text);
        p->blank = false;
    } else {
        line_of(p, w, quoted, n);
    }
}

static void put_line(struct page *p, char *line)
{
    if (*line == '.' && line[1] == '\\')
        return; /* a comment */
    if (*line == '.' && (!p->literal || isupper((unsigned char)line[1]))) {
        request(p, line + 1);
    } else if (p->literal) {
        sl_buf_adds(&p->text, "");
        plain(&p->text, line);
        fprintf(p->out, "%*s%s\n", p->indent + STEP, "", p->text.s);
        sl_buf_clear(&p->text);
        p->blank = !*line;
    } else {
        put(p, line);
    }
}

bool manual_show(FILE *out, const char *name, int columns)
{
    struct sl_buf file = {0};
    const struct sl_embedded *e;
    struct page p = {.out = out, .columns = columns, .indent = STEP, .blank = true};
    size_t n;

    sl_buf_addf(&file, "spanloom%s%s.", *name ? "-" : "", name);
    n = file.n;
    for (e = sl_embedded_man; e->name && (strncmp(e->name, file.s, n) != 0 || strlen(e->name) != n + 1); e++)
        ;
    sl_buf_free(&file);
    if (!e->name)
        return false;
    for (const char *s = e->data; *s;) {
        size_t length = strcspn(s, "\n");
        char *line = sl_strndup(s, length);
        put_line(&p, line);
        free(line);
        s += length + (s[length] == '\n');
    }
    flush(&p);
    sl_buf_free(&p.text);
    free((char *)p.name);
    return true;
}
