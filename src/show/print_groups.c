/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"
#include "base/mem.h"
#include "show/show.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST = 8 };

static bool ends_in(const char *name, const char *end)
{
    size_t n = strlen(name), k = strlen(end);
    return n > k && !strcmp(name + n - k, end);
}

/* What a cell is called in its column: by the unit at the end of its name. */
static char *cell(const struct sl_table *t, int col)
{
    const char *name = t->column[col].name;
    char buf[64] = "";

    if (sl_table_is_null(t, col))
        return sl_strdup("-");
    if (ends_in(name, "_s") && !ends_in(name, "_per_s"))
        sl_seconds_text(sl_table_real(t, col), buf);
    else if (ends_in(name, "_percent"))
        snprintf(buf, sizeof buf, "%.1f %%", sl_table_real(t, col));
    else if (sl_table_type(t, col) == SQLITE_INTEGER)
        sl_show_count((unsigned long long)sl_table_int(t, col), buf);
    else if (sl_table_type(t, col) == SQLITE_FLOAT)
        sl_show_digits(sl_table_real(t, col), buf);
    else
        return sl_strdup(sl_table_text_or_empty(t, col));
    return sl_strdup(buf);
}

static char *heading(const char *name)
{
    char *s = sl_strdup(name);

    if (ends_in(s, "_percent"))
        memcpy(s + strlen(s) - 8, " %", 3);
    else if (ends_in(s, "_s") && !ends_in(s, "_per_s"))
        s[strlen(s) - 2] = 0;
    for (char *c = s; *c; c++)
        *c = *c == '_' ? ' ' : *c;
    return s;
}

/* The first and the last column of texts stand to the left, all else to the right. */
static void put(FILE *out, const char *s, int width, bool left, bool last)
{
    int blank = width - sl_show_width(s);

    if (!left)
        fprintf(out, "%*s", blank, "");
    fputs(s, out);
    if (left && !last)
        fprintf(out, "%*s", blank, "");
    fputs(last ? "\n" : "  ", out);
}

/* A name, to so many columns: its beginning and its end. */
static void cut(char **s, int columns)
{
    size_t n = sl_show_fitting(*s, (columns - 1) / 2);
    struct sl_buf b = {0};

    if (sl_show_width(*s) <= columns)
        return;
    sl_buf_add(&b, *s, n);
    sl_show_end(&b, *s + n, columns - sl_show_width(b.s));
    free(*s);
    *s = b.s;
}

int sl_show_groups(FILE *out, struct sl_table *t, struct sl_err *err)
{
    SL_VEC(char *) v = {0};
    int n = t->columns, all = 0, *width = sl_alloc((size_t)n * sizeof *width), rc;

    for (int i = 0; i < n; i++)
        *sl_vec_add(&v) = heading(t->column[i].name);
    while ((rc = sl_table_next(t, err)) > 0)
        for (int i = 0; i < n; i++)
            *sl_vec_add(&v) = cell(t, i);
    for (size_t i = 0; i < v.n; i++) {
        int w = sl_show_width(v.v[i]);
        width[i % (size_t)n] = w > width[i % (size_t)n] ? w : width[i % (size_t)n];
    }
    for (int i = 0; i < n; i++)
        all += width[i] + 2;
    if (sl_show_room() && all - 2 > sl_show_room() && width[0] > all - 2 - sl_show_room() + LEAST) {
        width[0] -= all - 2 - sl_show_room(); /* numbers are whole */
        for (size_t i = 0; i < v.n; i += (size_t)n)
            cut(&v.v[i], width[0]);
    }
    for (size_t i = 0; i < v.n && !rc; i++) {
        int col = (int)(i % (size_t)n);
        bool text = !col || !strcmp(t->column[col].name, "over_time") || !strcmp(t->column[col].name, "interval");
        put(out, v.v[i], width[col], text, col + 1 == n);
    }
    for (size_t i = 0; i < v.n; i++)
        free(v.v[i]);
    sl_vec_free(&v);
    free(width);
    return rc;
}
