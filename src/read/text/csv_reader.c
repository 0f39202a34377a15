/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables as text: RFC 4180 with any separator.  A quoted field may go over several lines; a quote that is never closed
 * costs the line that it stands in and no more, because reading goes on behind that line.
 */
#include "base/mem.h"
#include "read/text/text.h"

#include <stdio.h>
#include <stdlib.h>

struct cell {
    size_t at, n; /* from the beginning of the row, without quotes */
    bool doubled; /* holds "" */
};

struct column {
    int slot;
    const char *name;
    size_t n;
};

struct state {
    struct sl_parse *p;
    struct sl_text t;
    SL_VEC(struct cell) cells;
    SL_VEC(struct column) columns;
    struct sl_arena names;
    bool named;       /* columns are known */
    int64_t line;     /* where the row begins */
    size_t length;    /* of the row, from t.start */
    struct cell open; /* the quoted field that the row ended in so far, and how much of the row was looked at */
    size_t looked;
    size_t first_line; /* of its first line with its end: reading goes on there when the row is none */
    int64_t lines_end; /* number of the last line looked at */
};

enum quoting { SOUND, OPEN, BROKEN };

/* Behind the quote that closes c, which opened before i; n + 1: there is none yet. */
static size_t skip_quoted(struct cell *c, const char *row, size_t i, size_t n)
{
    for (;;) {
        const char *q = memchr(row + i, '"', n - i);
        if (!q)
            return n + 1;
        i = (size_t)(q - row) + 1;
        if (i >= n || row[i] != '"')
            return i;
        c->doubled = true;
        i++;
    }
}

/* Takes a row apart; OPEN: it ends inside of a quoted field, s->open, and goes on there with the next line. */
static enum quoting split(struct state *s, const char *row, size_t n, bool resume)
{
    char sep = s->p->input->sep;
    size_t i = resume ? s->looked : 0;

    for (;; resume = false) {
        struct cell c = {.at = i};
        if (resume || (i < n && row[i] == '"')) {
            if (resume)
                c = s->open;
            else
                c.at = ++i;
            i = skip_quoted(&c, row, i, n);
            if (i > n) {
                s->open = c;
                s->looked = n;
                return OPEN;
            }
            c.n = i - 1 - c.at;
            if (i < n && row[i] != sep)
                return BROKEN;
        } else {
            const char *end = memchr(row + i, sep, n - i);
            i = end ? (size_t)(end - row) : n;
            c.n = i - c.at;
        }
        *sl_vec_add(&s->cells) = c;
        if (i >= n)
            return SOUND;
        i++;
    }
}

/* The text of a cell; inside of the row where it stands there as it is meant. */
static const char *cell_text(struct state *s, const struct cell *c, size_t *n)
{
    const char *row = s->t.buf + s->t.start;
    char *to;

    *n = c->n;
    if (!c->doubled)
        return row + c->at;
    to = sl_arena_alloc(&s->p->scratch, c->n);
    *n = 0;
    for (size_t i = 0; i < c->n; i++) {
        to[(*n)++] = row[c->at + i];
        if (row[c->at + i] == '"')
            i++;
    }
    return to;
}

static void add_column(struct state *s, const char *name, size_t n)
{
    int slot = sl_parse_slot(s->p, name, n);

    *sl_vec_add(&s->columns) = (struct column){slot, sl_arena_copy(&s->names, name, n), n};
}

static void header(struct state *s)
{
    for (size_t i = 0; i < s->cells.n; i++) {
        size_t n;
        const char *name = cell_text(s, &s->cells.v[i], &n);
        add_column(s, name, n);
    }
    sl_arena_reset(&s->p->scratch);
    s->named = true;
}

static void row(struct state *s)
{
    struct sl_parse *p = s->p;
    const char *text = s->t.buf + s->t.start;

    if (s->cells.n > s->columns.n) {
        char why[100];
        snprintf(why, sizeof why, "%zu columns, but %s %zu", s->cells.n,
                 p->input->ncolumns ? "columns: names" : "the header has", s->columns.n);
        sl_parse_reject(p, s->line, why, text, s->length);
        return;
    }
    sl_parse_begin(p, s->line);
    for (size_t i = 0; i < s->cells.n; i++) {
        const struct column *c = &s->columns.v[i];
        struct sl_value v = {.kind = SL_TEXT};
        size_t n;
        if (!c->n || (c->slot < 0 && !p->recipe->wants_all))
            continue;
        v.s = cell_text(s, &s->cells.v[i], &n);
        v.n = (uint32_t)n;
        sl_parse_set(p, c->slot, c->name, c->n, v);
    }
    p->shown = text;
    p->nshown = s->length;
    sl_parse_end(p);
    p->shown = NULL;
}

/* The row that begins in the line at hand is none: it alone is rejected, the next line is looked at again. */
static void give_up(struct state *s, const char *why)
{
    struct sl_text *t = &s->t;
    size_t n = s->first_line;
    const char *text = t->buf + t->start;

    while (n && (text[n - 1] == '\n' || text[n - 1] == '\r'))
        n--;
    if (t->line == s->lines_end) { /* else a line too long was passed over, and is gone */
        t->at = t->start + s->first_line;
        t->line = s->line;
    }
    sl_parse_reject(s->p, s->line, why, text, n);
}

/* Fetches line after line until the row is whole.  1: it is, 0: it was rejected; negative: reading failed. */
static int whole_row(struct state *s, struct sl_err *err)
{
    struct sl_text *t = &s->t;
    enum quoting q;

    sl_vec_clear(&s->cells);
    q = split(s, t->buf + t->start, s->length, false);
    while (q == OPEN) {
        size_t behind = t->at - t->start, n;
        char *line;
        int rc = s->length > SL_LINE_MAX ? 0 : sl_text_line(t, &line, &n, err);
        if (rc < 0)
            return rc;
        s->lines_end++;
        if (rc == 0) {
            if (t->at - t->start != behind) /* a cut last line was rejected, and is not to be seen again */
                t->end = t->start + behind;
            s->lines_end = t->line;
        }
        if (rc == 0 || t->line != s->lines_end) {
            give_up(s, "a quote is not closed");
            return 0;
        }
        s->length = (size_t)(line - t->buf) - t->start + n;
        q = split(s, t->buf + t->start, s->length, true);
    }
    if (q == BROKEN)
        give_up(s, "text behind a closing quote");
    return q == SOUND;
}

static bool passed_over(const struct sl_input *in, const char *s, size_t n)
{
    size_t ncomment = in->comment ? strlen(in->comment) : 0;

    return n == 0 || (ncomment && n >= ncomment && !memcmp(s, in->comment, ncomment));
}

static int next_row(struct state *s, struct sl_err *err)
{
    struct sl_text *t = &s->t;
    char *line;
    size_t n;
    int rc;

    t->start = t->at;
    rc = sl_text_line(t, &line, &n, err);
    if (rc <= 0)
        return rc;
    if (t->line == 1 && n >= 3 && !memcmp(line, "\xEF\xBB\xBF", 3))
        line += 3, n -= 3;
    if (passed_over(s->p->input, line, n))
        return 1;
    t->start = (size_t)(line - t->buf);
    s->length = n;
    s->first_line = t->at - t->start;
    s->line = s->lines_end = t->line;
    rc = whole_row(s, err);
    if (rc == 1 && s->named)
        row(s);
    else if (rc == 1)
        header(s);
    else if (rc == 0 && !s->named) { /* what follows would be taken for the names */
        s->named = true;
        return 1;
    }
    return rc < 0 ? rc : 1;
}

static int run(struct sl_parse *p, const char *path, struct sl_err *err)
{
    struct state s = {.p = p, .named = p->input->ncolumns > 0};
    int rc = sl_text_open(&s.t, p, path, err);

    if (rc)
        return rc;
    for (int i = 0; i < p->input->ncolumns; i++)
        add_column(&s, p->input->columns[i], strlen(p->input->columns[i]));
    while (!sl_parse_stopped(p) && (rc = next_row(&s, err)) > 0)
        ;
    rc = sl_text_close(&s.t, rc, err);
    sl_vec_free(&s.cells);
    sl_vec_free(&s.columns);
    sl_arena_free(&s.names);
    return rc;
}

const struct sl_reader sl_reader_csv = {
    .name = "csv",
    .keys = " text sep columns empty defaults comment ",
    .run = run,
    .grows = true,
    .appends = true,
};
