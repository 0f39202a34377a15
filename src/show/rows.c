/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"
#include "base/mem.h"
#include "show/show.h"

#include <stdbool.h>
#include <stdlib.h>

enum { ALIGN_ROWS = 1000, MAX_WIDTH = 80 };

int sl_format_find(const char *name)
{
    static const char *const names[] = {"table", "tsv", "csv", "json"};

    for (int i = 0; i < 4; i++)
        if (!strcmp(name, names[i]))
            return i;
    return -1;
}

char *sl_show_seconds(double s, char *buf)
{
    double a = s < 0 ? -s : s;

    if (a == 0)
        snprintf(buf, 32, "0 s");
    else if (a < 1e-6)
        snprintf(buf, 32, "%.0f ns", s * 1e9);
    else if (a < 1e-3)
        snprintf(buf, 32, "%.0f us", s * 1e6);
    else if (a < 1)
        snprintf(buf, 32, "%.3g ms", s * 1e3);
    else if (a < 120)
        snprintf(buf, 32, "%.3g s", s);
    else if (a < 7200)
        snprintf(buf, 32, "%d min %02d s", (int)(s / 60), (int)a % 60);
    else if (!(a < 1e12))
        snprintf(buf, 32, "%.3g s", s);
    else
        snprintf(buf, 32, "%d h %02d min", (int)(s / 3600), (int)(a / 60) % 60);
    return buf;
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

/* Columns that a terminal needs: UTF-8 continuation bytes take none. */
static int width_of(const char *s)
{
    int w = 0;

    for (; *s; s++)
        w += (*s & 0xC0) != 0x80;
    return w;
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

/* The text of a column, with the digits that give a number back exactly; borrowed from b.  NULL for NULL. */
static const char *column_text(sqlite3_stmt *q, int c, struct sl_buf *b)
{
    const char *s;

    sl_buf_clear(b);
    if (sqlite3_column_type(q, c) == SQLITE_FLOAT) {
        double d = sqlite3_column_double(q, c);
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
    if (!(s = (const char *)sqlite3_column_text(q, c)))
        return NULL;
    sl_buf_add_utf8(b, s, (size_t)sqlite3_column_bytes(q, c));
    return b->s;
}

static struct cell make_cell(sqlite3_stmt *q, int col)
{
    struct sl_buf b = {0}, text = {0};
    const char *s = column_text(q, col, &text);
    int type = sqlite3_column_type(q, col);

    sl_buf_adds(&b, "");
    if (s)
        sl_show_clean(&b, s, text.n);
    sl_buf_free(&text);
    return (struct cell){b.s, width_of(b.s), type == SQLITE_INTEGER || type == SQLITE_FLOAT || type == SQLITE_NULL};
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

static void put_block(FILE *out, sqlite3_stmt *q, const struct cell *cells, size_t rows, int cols, int *width,
                      bool *number, bool heading)
{
    for (int c = 0; c < cols && heading; c++)
        put_cell(out, sqlite3_column_name(q, c), width_of(sqlite3_column_name(q, c)), width[c], number[c],
                 c == cols - 1);
    for (size_t r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++)
            put_cell(out, cells[r * (size_t)cols + (size_t)c].s, cells[r * (size_t)cols + (size_t)c].width, width[c],
                     number[c], c == cols - 1);
}

static long show_table(FILE *out, sqlite3_stmt *q, int *rc)
{
    SL_VEC(struct cell) cells = {0};
    int cols = sqlite3_column_count(q), *width = sl_alloc((size_t)cols * sizeof *width);
    bool *number = sl_alloc((size_t)cols), heading = true;
    long n = 0;

    for (int c = 0; c < cols; c++)
        width[c] = width_of(sqlite3_column_name(q, c));
    memset(number, 1, (size_t)cols);
    while ((*rc = sqlite3_step(q)) == SQLITE_ROW) {
        for (int c = 0; c < cols; c++) {
            struct cell *x = sl_vec_add(&cells);
            *x = make_cell(q, c);
            if (x->width > width[c] && x->width <= MAX_WIDTH)
                width[c] = x->width;
            number[c] &= x->number;
        }
        n++;
        if (n % ALIGN_ROWS == 0) { /* long results are aligned a block at a time, so that they stream */
            put_block(out, q, cells.v, cells.n / (size_t)cols, cols, width, number, heading);
            heading = false;
            for (size_t i = 0; i < cells.n; i++)
                free(cells.v[i].s);
            sl_vec_clear(&cells);
        }
    }
    if (*rc == SQLITE_DONE && cols)
        put_block(out, q, cells.v, cells.n / (size_t)cols, cols, width, number, heading);
    for (size_t i = 0; i < cells.n; i++)
        free(cells.v[i].s);
    sl_vec_free(&cells);
    free(width);
    free(number);
    return n;
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

static void put_json(FILE *out, sqlite3_stmt *q, int c, struct sl_buf *b)
{
    const char *name = sqlite3_column_name(q, c);
    size_t n = strlen(name);

    sl_buf_clear(b);
    sl_buf_add_json(b, name, n);
    sl_buf_addc(b, ':');
    switch (sqlite3_column_type(q, c)) {
    case SQLITE_NULL: sl_buf_adds(b, "null"); break;
    case SQLITE_INTEGER:
        if (n > 3 && !strcmp(name + n - 3, "_ns"))
            sl_buf_addf(b, "\"%lld\"", (long long)sqlite3_column_int64(q, c));
        else
            sl_buf_addf(b, "%lld", (long long)sqlite3_column_int64(q, c));
        break;
    case SQLITE_FLOAT: {
        double d = sqlite3_column_double(q, c);
        char text[32];
        if (d - d != 0)
            sl_buf_adds(b, "null");
        else
            sl_buf_add(b, text, sl_real_text(d, text));
        break;
    }
    default: sl_buf_add_json(b, (const char *)sqlite3_column_text(q, c), (size_t)sqlite3_column_bytes(q, c));
    }
    fwrite(b->s, 1, b->n, out);
}

static void show_head(FILE *out, sqlite3_stmt *q, enum sl_format format)
{
    int cols = sqlite3_column_count(q);

    if (format == SL_FORMAT_JSON)
        fputc('[', out);
    for (int c = 0; c < cols && format != SL_FORMAT_JSON; c++) {
        (format == SL_FORMAT_CSV ? put_csv : put_tsv)(out, sqlite3_column_name(q, c));
        fputc(c == cols - 1 ? '\n' : format == SL_FORMAT_CSV ? ',' : '\t', out);
    }
}

long sl_show_part(FILE *out, sqlite3_stmt *q, enum sl_format format, struct sl_show_part *part, const char *what,
                  struct sl_err *err)
{
    int cols = sqlite3_column_count(q), rc;
    struct sl_buf b = {0};
    long n = 0;

    if (!part->begun && cols)
        show_head(out, q, format);
    part->begun = true;
    while ((rc = sqlite3_step(q)) == SQLITE_ROW) {
        if (format == SL_FORMAT_JSON)
            fputs(part->rows ? ",\n {" : "\n {", out);
        for (int c = 0; c < cols; c++) {
            if (format == SL_FORMAT_JSON) {
                put_json(out, q, c, &b);
                fputs(c == cols - 1 ? "}" : ", ", out);
                continue;
            }
            (format == SL_FORMAT_CSV ? put_csv : put_tsv)(out, column_text(q, c, &b));
            fputc(c == cols - 1 ? '\n' : format == SL_FORMAT_CSV ? ',' : '\t', out);
        }
        part->rows++;
        n++;
    }
    if (part->last && format == SL_FORMAT_JSON)
        fputs(part->rows ? "\n]\n" : "]\n", out);
    sl_buf_free(&b);
    if (rc != SQLITE_DONE)
        return sl_err(err, SL_ESTORE, "%s: %s", what, sqlite3_errmsg(sqlite3_db_handle(q)));
    return n;
}

long sl_show_rows(FILE *out, sqlite3_stmt *q, enum sl_format format, const char *what, struct sl_err *err)
{
    struct sl_show_part all = {.last = true};
    int rc;
    long n;

    if (format != SL_FORMAT_TABLE)
        return sl_show_part(out, q, format, &all, what, err);
    n = show_table(out, q, &rc);
    if (rc != SQLITE_DONE)
        return sl_err(err, SL_ESTORE, "%s: %s", what, sqlite3_errmsg(sqlite3_db_handle(q)));
    return n;
}
