/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"
#include "base/mem.h"
#include "show/show.h"

#include <stdbool.h>
#include <stdlib.h>
#include <wchar.h>

enum { ALIGN_ROWS = 1000, MAX_WIDTH = 80 };

int sl_format_find(const char *name)
{
    static const char *const names[] = {"table", "tsv", "csv", "json"};

    for (int i = 0; i < 4; i++)
        if (!strcmp(name, names[i]))
            return i;
    return -1;
}

char *sl_show_count(unsigned long long n, char *buf)
{
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%llu", n), k = 0;

    for (int i = 0; i < len; i++) {
        if (i && (len - i) % 3 == 0)
            buf[k++] = ',';
        buf[k++] = digits[i];
    }
    buf[k] = 0;
    return buf;
}

/* ---- aligned ---- */

struct cell {
    char *s;
    int width;
    bool number;
};

/* Columns of the character at s, and its bytes. */
static int character(const char *s, size_t *bytes)
{
    unsigned char c = (unsigned char)*s;
    size_t n = c < 0xC0 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
    wchar_t wide = c < 0xC0 ? c : c & (0x7F >> n);
    int columns;

    if (c == 0x1B && s[1] == '[') { /* a colour */
        n = 2 + strcspn(s + 2, "m");
        *bytes = n + (s[n] == 'm');
        return 0;
    }
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xC0) != 0x80) {
            n = i;
            break;
        }
        wide = wide << 6 | (s[i] & 0x3F);
    }
    *bytes = n;
    columns = c < 0x80 ? 1 : wcwidth(wide);
    return columns < 0 ? 1 : columns; /* in a locale that is not of UTF-8 */
}

int sl_show_width(const char *s)
{
    int w = 0;

    for (size_t n; *s; s += n)
        w += character(s, &n);
    return w;
}

size_t sl_show_fitting(const char *s, int columns)
{
    const char *at = s;

    for (size_t n; *at && (columns -= character(at, &n)) >= 0;)
        at += n;
    return (size_t)(at - s);
}

static int fit;

void sl_show_columns(int columns)
{
    fit = columns;
}

/* The end of s that takes no more than `columns` columns. */
static const char *end_of(const char *s, int columns)
{
    int w = sl_show_width(s);

    for (size_t n; *s && w > columns; s += n)
        w -= character(s, &n);
    return s;
}

int sl_show_room(void)
{
    return fit;
}

static bool colours;

void sl_show_colours(bool on)
{
    colours = on;
}

const char *sl_show_colour(enum sl_colour colour)
{
    static const char *const begin[] = {"\033[0m", "\033[31m", "\033[1m"};

    return colours ? begin[colour] : "";
}

void sl_show_end(struct sl_buf *b, const char *s, int columns)
{
    bool whole = !columns || sl_show_width(s) <= columns;

    sl_buf_adds(b, whole ? s : "…");
    if (!whole)
        sl_buf_adds(b, end_of(s, columns - 1));
}

void sl_show_last(FILE *out, const char *text, int used)
{
    int room = fit - used;

    if (!fit || sl_show_width(text) <= room)
        fprintf(out, "%s\n", text);
    else
        fprintf(out, "%.*s…\n", (int)sl_show_fitting(text, room > 8 ? room - 1 : 7), text);
}

/* Where the time of day begins in "2026-11-20T08:11:31.269030000Z"; NULL of any other text. */
static const char *time_of_day(const char *s)
{
    static const char form[] = "0000-00-00T00:00:00";
    size_t i = 0;

    while (form[i] && (form[i] == '0' ? s[i] >= '0' && s[i] <= '9' : s[i] == form[i]))
        i++;
    return form[i] ? NULL : s + strlen("0000-00-00T");
}

/*
 * Cuts the cell: of a path or a type its end is told, of words their beginning, of another name both; of a time the day
 * and the last digits are left out.
 */
static void cut(struct cell *x, int columns)
{
    const char *time = time_of_day(x->s);
    bool words = !time && (strchr(x->s, ' ') || columns < 8), path = !words && strpbrk(x->s, "/.");
    int before = words ? columns - 1 : path || time ? 0 : (columns - 1) / 2;
    size_t n = sl_show_fitting(x->s, before);
    struct sl_buf b = {0};

    sl_buf_add(&b, x->s, n);
    sl_buf_adds(&b, time && columns == 8 ? "" : "…");
    if (time) {
        sl_buf_add(&b, time, strnlen(time, columns == 8 ? 8 : (size_t)columns - 1));
        while (strchr(time, '.') && b.n > strlen("…08:11:31") && strchr("0.Z", b.s[b.n - 1]))
            b.s[--b.n] = '\0';
    }
    if (!time && !words)
        sl_buf_adds(&b, end_of(x->s + n, columns - 1 - before));
    free(x->s);
    x->s = b.s;
    x->width = sl_show_width(b.s);
}

/* Makes columns of texts narrower, the widest first, until a line fits; numbers are whole or wrong. */
static void narrow(struct cell *cells, size_t rows, int cols, int *width, const bool *number, const struct sl_table *t)
{
    enum { LEAST = 8 };
    int total = 2 * (cols - 1);

    for (int c = 0; c < cols; c++)
        total += width[c];
    while (fit && total > fit) {
        int widest = -1, next = LEAST, to;
        for (int c = 0; c < cols; c++)
            if (!number[c] && width[c] > LEAST && width[c] > sl_show_width(t->column[c].name) &&
                (widest < 0 || width[c] > width[widest]))
                widest = c;
        if (widest < 0)
            break;
        for (int c = 0; c < cols; c++) /* down to the next of them, and then all of these together */
            if (!number[c] && width[c] > next && width[c] < width[widest])
                next = width[c];
        to = width[widest] - (total - fit);
        for (int c = 0; c < cols; c++)
            if (c != widest && !number[c] && width[c] == width[widest])
                to = to > width[widest] - 1 ? to : width[widest] - 1;
        to = to > next ? to : next;
        to = to > sl_show_width(t->column[widest].name) ? to : sl_show_width(t->column[widest].name);
        total -= width[widest] - to;
        width[widest] = to;
    }
    for (size_t i = 0; fit && i < rows * (size_t)cols; i++)
        if (!number[i % (size_t)cols] && cells[i].width > width[i % (size_t)cols])
            cut(&cells[i], width[i % (size_t)cols]);
}

/* The bytes of C1 controls (U+0080..9F) and of what turns the direction of writing (U+202A..E, U+2066..9). */
static int commands(const char *s)
{
    const unsigned char *c = (const unsigned char *)s;

    if (c[0] < 0x20 || c[0] == 0x7F)
        return 1;
    if (c[0] == 0xC2 && c[1] < 0xA0)
        return 2;
    return c[0] == 0xE2 &&
                   ((c[1] == 0x80 && c[2] >= 0xAA && c[2] <= 0xAE) || (c[1] == 0x81 && c[2] >= 0xA6 && c[2] <= 0xA9))
               ? 3
               : 0;
}

void sl_show_clean(struct sl_buf *b, const char *s, size_t n)
{
    struct sl_buf utf8 = {0};

    sl_buf_add_utf8(&utf8, s, n);
    for (const char *c = utf8.s; *c;) {
        int k = commands(c);
        if (*c == '\n' || *c == '\t')
            sl_buf_adds(b, *c == '\n' ? "\\n" : "\\t");
        else if (k)
            for (int i = 0; i < k; i++)
                sl_buf_addf(b, "\\x%02x", (unsigned char)c[i]);
        else
            sl_buf_addc(b, *c);
        c += k ? k : 1;
    }
    sl_buf_free(&utf8);
}

void sl_show_name(FILE *out, int width, const char *s)
{
    struct sl_buf b = {0};
    int wide;

    sl_show_clean(&b, s, strlen(s));
    wide = b.n ? sl_show_width(b.s) : 0;
    fprintf(out, "%s%s%*s", b.n ? b.s : "", wide > width ? "\n" : "", wide > width ? width : width - wide, "");
    sl_buf_free(&b);
}

/* The text of a cell, with the digits that give a number back exactly; borrowed from b.  NULL for NULL. */
static const char *cell_text(const struct sl_table *t, int c, struct sl_buf *b)
{
    int type = sl_table_type(t, c);
    const char *s;
    size_t n;

    sl_buf_clear(b);
    if (type == SQLITE_INTEGER) {
        if (t->query) /* which writes it faster than printf() */
            return sl_table_text(t, c, NULL);
        sl_buf_addf(b, "%lld", (long long)sl_table_int(t, c));
        return b->s;
    }
    if (type == SQLITE_FLOAT) {
        double d = sl_table_real(t, c);
        for (int digits = 15; digits <= 17; digits++) {
            sl_buf_clear(b);
            sl_buf_addf(b, "%.*g", digits, d);
            if (strtod(b->s, NULL) == d)
                break;
        }
        if (!strpbrk(b->s, ".en")) /* a real number shows that it is one */
            sl_buf_adds(b, ".0");
        return b->s;
    }
    if (!(s = sl_table_text(t, c, &n)))
        return NULL;
    sl_buf_add_utf8(b, s, n);
    return b->s;
}

static struct cell make_cell(const struct sl_table *t, int col)
{
    struct sl_buf b = {0}, text = {0};
    const char *s = cell_text(t, col, &text);
    int type = sl_table_type(t, col);

    sl_buf_adds(&b, "");
    if (s)
        sl_show_clean(&b, s, s == text.s ? text.n : strlen(s));
    sl_buf_free(&text);
    return (struct cell){b.s, sl_show_width(b.s),
                         type == SQLITE_INTEGER || type == SQLITE_FLOAT || type == SQLITE_NULL};
}

static void put_cell(FILE *out, const char *s, int width, int column, bool right, bool last)
{
    int pad = column > width ? column - width : 0;

    if (right)
        fprintf(out, "%*s%s", pad, "", s);
    else
        fprintf(out, "%s%*s", s, last ? 0 : pad, "");
    fputs(last ? "\n" : "  ", out);
}

static void put_block(FILE *out, const struct sl_table *t, const struct cell *cells, size_t rows, const int *width,
                      const bool *number, bool heading)
{
    int cols = t->columns;

    for (int c = 0; c < cols && heading; c++)
        put_cell(out, t->column[c].name, sl_show_width(t->column[c].name), width[c], number[c], c == cols - 1);
    for (size_t r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++)
            put_cell(out, cells[r * (size_t)cols + (size_t)c].s, cells[r * (size_t)cols + (size_t)c].width, width[c],
                     number[c], c == cols - 1);
}

static long show_aligned(FILE *out, struct sl_table *t, struct sl_err *err)
{
    SL_VEC(struct cell) cells = {0};
    size_t cols = (size_t)t->columns;
    int *width = sl_alloc(cols * sizeof *width), rc;
    bool *number = sl_alloc(cols), heading = true;
    long n = 0;

    for (size_t c = 0; c < cols; c++)
        width[c] = sl_show_width(t->column[c].name);
    memset(number, 1, cols);
    while ((rc = sl_table_next(t, err)) > 0) {
        for (size_t c = 0; c < cols; c++) {
            struct cell *x = sl_vec_add(&cells);
            *x = make_cell(t, (int)c);
            if (x->width > width[c] && (fit || x->width <= MAX_WIDTH))
                width[c] = x->width;
            number[c] &= x->number;
        }
        n++;
        if (n % ALIGN_ROWS == 0) { /* long results are aligned a block at a time, so that they stream */
            narrow(cells.v, cells.n / cols, (int)cols, width, number, t);
            put_block(out, t, cells.v, cells.n / cols, width, number, heading);
            heading = false;
            for (size_t i = 0; i < cells.n; i++)
                free(cells.v[i].s);
            sl_vec_clear(&cells);
        }
    }
    if (!rc && cols) {
        narrow(cells.v, cells.n / cols, (int)cols, width, number, t);
        put_block(out, t, cells.v, cells.n / cols, width, number, heading);
    }
    for (size_t i = 0; i < cells.n; i++)
        free(cells.v[i].s);
    sl_vec_free(&cells);
    free(width);
    free(number);
    return rc ? rc : n;
}

/* ---- for programs ---- */

static void put_tsv(FILE *out, const char *s)
{
    for (; s && *s; s++) {
        if (*s == '\t')
            fputs("\\t", out);
        else if (*s == '\n')
            fputs("\\n", out);
        else if (*s == '\r')
            fputs("\\r", out);
        else if (*s == '\\')
            fputs("\\\\", out);
        else
            fputc(*s, out);
    }
}

/* RFC 4180 */
static void put_csv(FILE *out, const char *s)
{
    if (!s)
        return;
    if (!*s || !strpbrk(s, ",\"\r\n")) {
        fputs(s, out);
        return;
    }
    fputc('"', out);
    for (; *s; s++) {
        if (*s == '"')
            fputc('"', out);
        fputc(*s, out);
    }
    fputc('"', out);
}

static void put_json(FILE *out, const struct sl_table *t, int c, struct sl_buf *b)
{
    const char *name = t->column[c].name, *s;
    size_t n = strlen(name);

    sl_buf_clear(b);
    sl_buf_add_json(b, name, n);
    sl_buf_addc(b, ':');
    switch (sl_table_type(t, c)) {
    case SQLITE_NULL: sl_buf_adds(b, "null"); break;
    case SQLITE_INTEGER:
        sl_buf_addf(b, n > 3 && !strcmp(name + n - 3, "_ns") ? "\"%lld\"" : "%lld", (long long)sl_table_int(t, c));
        break;
    case SQLITE_FLOAT: {
        double d = sl_table_real(t, c);
        char text[32];
        if (d - d != 0)
            sl_buf_adds(b, "null");
        else
            sl_buf_add(b, text, sl_real_text(d, text));
        break;
    }
    default: s = sl_table_text(t, c, &n); sl_buf_add_json(b, s, n);
    }
    fwrite(b->s, 1, b->n, out);
}

static void show_head(FILE *out, const struct sl_table *t, enum sl_format format)
{
    if (format == SL_FORMAT_JSON)
        fputc('[', out);
    for (int c = 0; c < t->columns && format != SL_FORMAT_JSON; c++) {
        (format == SL_FORMAT_CSV ? put_csv : put_tsv)(out, t->column[c].name);
        fputc(c == t->columns - 1 ? '\n' : format == SL_FORMAT_CSV ? ',' : '\t', out);
    }
}

long sl_show_part(FILE *out, struct sl_table *t, enum sl_format format, struct sl_show_part *part, struct sl_err *err)
{
    struct sl_buf b = {0};
    long n = 0;
    int rc;

    if (!part->begun && t->columns)
        show_head(out, t, format);
    part->begun = true;
    while ((rc = sl_table_next(t, err)) > 0) {
        if (format == SL_FORMAT_JSON)
            fputs(part->rows ? ",\n {" : "\n {", out);
        for (int c = 0; c < t->columns; c++) {
            if (format == SL_FORMAT_JSON) {
                put_json(out, t, c, &b);
                fputs(c == t->columns - 1 ? "}" : ", ", out);
                continue;
            }
            (format == SL_FORMAT_CSV ? put_csv : put_tsv)(out, cell_text(t, c, &b));
            fputc(c == t->columns - 1 ? '\n' : format == SL_FORMAT_CSV ? ',' : '\t', out);
        }
        part->rows++;
        n++;
    }
    if (part->last && format == SL_FORMAT_JSON)
        fputs(part->rows ? "\n]\n" : "]\n", out);
    sl_buf_free(&b);
    return rc ? rc : n;
}

long sl_show_table(FILE *out, struct sl_table *t, enum sl_format format, struct sl_err *err)
{
    struct sl_show_part all = {.last = true};

    return format == SL_FORMAT_TABLE ? show_aligned(out, t, err) : sl_show_part(out, t, format, &all, err);
}

long sl_show_query(FILE *out, sqlite3_stmt *q, enum sl_format format, const char *what, struct sl_err *err)
{
    struct sl_result r = {0};
    long n = sl_show_table(out, sl_result_query(&r, what, NULL, 0, q), format, err);

    sl_result_free(&r);
    return n;
}

/* All tables in one object. */
static int show_whole(FILE *out, const struct sl_result *r, struct sl_err *err)
{
    struct sl_buf b = {0};
    long rc = 0;

    for (size_t i = 0; i < r->table.n && rc >= 0; i++) {
        sl_buf_clear(&b);
        sl_buf_add_json(&b, r->table.v[i]->name, strlen(r->table.v[i]->name));
        fprintf(out, "%s%s: ", i ? ",\n" : "{\n", b.s);
        rc = sl_show_part(out, r->table.v[i], SL_FORMAT_JSON, &(struct sl_show_part){0}, err);
        fputs("\n]", out);
    }
    fputs("}\n", out);
    sl_buf_free(&b);
    return rc < 0 ? (int)rc : 0;
}

int sl_show_result(FILE *out, const struct sl_result *r, enum sl_format format, struct sl_err *err)
{
    long rc = 0;

    if (format == SL_FORMAT_JSON && r->whole)
        return show_whole(out, r, err);
    for (size_t i = 0; i < r->table.n && rc >= 0 && (!i || format == SL_FORMAT_TABLE); i++) {
        if (i)
            fputc('\n', out);
        rc = sl_show_table(out, r->table.v[i], format, err);
    }
    return rc < 0 ? (int)rc : 0;
}

/* The length of a unit that follows a blank, in bytes with it: "10.5" and "s" are not parted.  0: none. */
static int unit_behind(const char *text)
{
    static const char *const units[] = {"s", "ms", "us", "ns", "min", "h", "%", "UTC"};

    for (size_t i = 0; *text == ' ' && i < sizeof units / sizeof *units; i++) {
        size_t n = strlen(units[i]);
        if (!strncmp(text + 1, units[i], n) && strcspn(text + 1 + n, " ,;:.)\n") == 0)
            return (int)n + 1;
    }
    return 0;
}

void sl_show_wrapped(FILE *out, const char *text, int indent, int columns)
{
    int at = indent;

    while (*text) {
        int n = 0, width = 0, unit;
        do {
            for (size_t k; text[n] && text[n] != ' ' && text[n] != '\n'; n += (int)k)
                width += character(text + n, &k);
            unit = n ? unit_behind(text + n) : 0;
            for (int end = n + unit; n < end && text[n] == ' '; n++)
                width++;
        } while (unit);
        if (at > indent && at + 1 + width > columns) {
            fprintf(out, "\n%*s", indent, "");
            at = indent;
        } else if (at > indent) {
            fputc(' ', out);
            at++;
        }
        while (fit && at + width > columns && columns - at > 1) { /* a word that no line holds */
            size_t part = sl_show_fitting(text, columns - at);
            fprintf(out, "%.*s\n%*s", (int)part, text, indent, "");
            for (size_t i = 0, k; i < part; i += k)
                width -= character(text + i, &k);
            text += part;
            n -= (int)part;
            at = indent;
        }
        fwrite(text, 1, (size_t)n, out);
        at += width;
        text += n;
        while (*text == ' ' || *text == '\n')
            text++;
    }
    fputc('\n', out);
}

void sl_show_words(FILE *out, const char *text, int indent)
{
    struct sl_buf b = {0};

    sl_show_clean(&b, text, strlen(text));
    sl_buf_add(&b, "", 0);
    if (fit)
        sl_show_wrapped(out, b.s, indent, fit);
    else
        fprintf(out, "%s\n", b.s);
    sl_buf_free(&b);
}
