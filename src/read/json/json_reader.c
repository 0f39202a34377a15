/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A JSON document, whose rows are the items of a list in it, or the document itself, or a sequence of documents.  Only
 * brackets and quotes are looked at to find where a row begins and ends; then the row is parsed by itself.  So a
 * document of any size needs the memory of one row, each row is there as it stands in the file, and one that is no JSON
 * does not cost the others.
 */
#include "read/json/flatten.h"
#include "read/text/text.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_PARTS = 16, MAX_OPEN = 1 << 20, SHOWN = 200 };

struct state {
    struct sl_flatten flat;
    struct sl_text t;
    const char *part[MAX_PARTS]; /* of rows: path/to/list */
    size_t npart[MAX_PARTS];
    int nparts;
    struct sl_buf open; /* a byte for each open bracket */
    int chain;          /* how many of them are objects on the way to the list */
    size_t list;        /* how many are open in the list of rows; 0: we are not in it */
    bool in_text, escaped, in_scalar;
    bool key_next, keyed; /* in the last object of the chain: a key comes next; it was the one on the way */
    struct sl_buf key;
    bool in_key;
    bool in_row;
    size_t row_open; /* brackets open outside of the row */
    uint64_t row_bytes;
    char head[SHOWN]; /* of a row too long to be held */
    size_t nhead;
    bool found, any; /* the list; anything at all */
    int64_t rows;
};

static const char *row_text(const struct state *s, size_t *n)
{
    *n = s->nhead ? s->nhead : s->t.at - s->t.start;
    return s->nhead ? s->head : s->t.buf + s->t.start;
}

static void begin_row(struct state *s)
{
    s->in_row = true;
    s->found = true;
    s->row_open = s->open.n;
    s->row_bytes = 0;
    s->nhead = 0;
    s->t.start = s->t.at;
}

/* The row ends before the byte at hand. */
static void end_row(struct state *s)
{
    char too_long[120];
    size_t n;
    const char *text = row_text(s, &n), *why = too_long;

    s->in_row = false;
    s->rows++;
    if (s->nhead || n > SL_JSON_MAX)
        snprintf(too_long, sizeof too_long, "a row of %llu bytes; more than %d are not read",
                 (unsigned long long)(s->row_bytes + (s->t.at - s->t.start)), SL_JSON_MAX);
    else
        why = sl_flatten_record(&s->flat, s->rows, text, n);
    if (why)
        sl_parse_reject(s->flat.p, s->rows, why, text, n);
    s->t.start = s->t.at;
}

/* A value begins with c, outside of any row. */
static void begin_value(struct state *s, char c)
{
    if (s->list) {
        if (s->open.n == s->list)
            begin_row(s);
        return;
    }
    if (s->open.n != (size_t)s->chain || (s->chain && !s->keyed))
        return;
    s->keyed = false;
    if (s->chain < s->nparts) {
        if (c == '{') {
            s->chain++;
            s->key_next = true;
        }
    } else if (c == '[') {
        s->list = s->open.n + 1;
        s->found = true;
    } else {
        begin_row(s);
    }
}

static void end_key(struct state *s)
{
    int i = s->chain - 1;

    s->in_key = false;
    s->key_next = false;
    s->keyed = s->key.n == s->npart[i] && (!s->key.n || !memcmp(s->key.s, s->part[i], s->key.n));
}

/* One byte inside of a text; false: the text is broken. */
static bool text_byte(struct state *s, char c)
{
    if (c == '\n')
        return false;
    if (s->escaped) {
        s->escaped = false;
    } else if (c == '\\') {
        s->escaped = true;
    } else if (c == '"') {
        s->in_text = false;
        if (s->in_key)
            end_key(s);
        return true;
    }
    if (s->in_key && s->key.n < 1000)
        sl_buf_addc(&s->key, c);
    return true;
}

static bool open_bracket(struct state *s, char c)
{
    if (s->open.n >= MAX_OPEN)
        return false;
    if (!s->in_row)
        begin_value(s, c);
    sl_buf_addc(&s->open, c);
    return true;
}

static bool close_bracket(struct state *s, char c)
{
    if (!s->open.n || s->open.s[s->open.n - 1] != (c == '}' ? '{' : '['))
        return false;
    if (s->list == s->open.n && !s->in_row)
        s->list = 0;
    else if ((size_t)s->chain == s->open.n && !s->list)
        s->chain--, s->keyed = s->key_next = false;
    s->open.n--;
    return true;
}

/* One byte outside of texts; false: the document is broken. */
static bool byte(struct state *s, char c)
{
    bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r', on_chain;

    if (s->in_scalar && (blank || strchr(",:{}[]\"", c)) && c) {
        s->in_scalar = false;
        if (s->in_row && s->open.n == s->row_open)
            end_row(s);
    }
    if (blank)
        return true;
    s->any = true;
    on_chain = s->chain && !s->list && !s->in_row && s->open.n == (size_t)s->chain;
    switch (c) {
    case '{':
    case '[': return open_bracket(s, c);
    case '}':
    case ']': return close_bracket(s, c);
    case '"':
        s->in_text = true;
        if (on_chain && s->key_next) {
            s->in_key = true;
            sl_buf_clear(&s->key);
        } else if (!s->in_row) {
            begin_value(s, c);
        }
        return true;
    case ',':
        if (on_chain)
            s->key_next = true, s->keyed = false;
        return true;
    case ':': return true;
    default:
        if (!s->in_scalar && !s->in_row)
            begin_value(s, c);
        s->in_scalar = true;
        return true;
    }
}

/* What is buffered; false: the document is broken at t.at. */
static bool scan(struct state *s)
{
    struct sl_text *t = &s->t;

    while (t->at < t->end && !sl_parse_stopped(s->flat.p)) {
        char c = t->buf[t->at];
        bool was_text = s->in_text;
        if (!(was_text ? text_byte(s, c) : byte(s, c)))
            return false;
        t->at++;
        if (s->in_row && s->open.n == s->row_open &&
            (was_text ? !s->in_text : (c == '}' || c == ']') && !s->in_text && !s->in_scalar))
            end_row(s);
    }
    return true;
}

/* Makes room for what comes: only a row that is begun is kept, and no more of it than a row may have. */
static void forget(struct state *s)
{
    struct sl_text *t = &s->t;
    size_t held = t->at - t->start;

    if (s->in_row && !s->nhead && held <= SL_JSON_MAX)
        return;
    if (s->in_row && !s->nhead) {
        s->nhead = SHOWN;
        memcpy(s->head, t->buf + t->start, SHOWN);
    }
    s->row_bytes += held;
    t->start = t->at;
}

static void reject_rest(struct state *s, const char *why)
{
    const char *text;
    size_t n;

    if (!s->in_row)
        s->t.start = s->t.at;
    text = s->in_row ? row_text(s, &n) : s->t.buf + s->t.at;
    if (!s->in_row || (!n && s->t.end > s->t.at))
        n = s->t.end - s->t.at;
    sl_parse_reject(s->flat.p, s->rows + 1, why, text, n);
}

static void at_the_end(struct state *s)
{
    char why[200];

    if (s->in_scalar && s->in_row && s->open.n == s->row_open)
        end_row(s);
    if (s->open.n || s->in_text) {
        reject_rest(s, "the document is cut off");
    } else if (s->any && !s->found) {
        const char *rows = s->flat.p->input->rows;
        snprintf(why, sizeof why, "there is no list or object %.100s in the document", rows ? rows : "at all");
        sl_parse_reject(s->flat.p, 1, why, "", 0);
    }
}

static int read_document(struct state *s, struct sl_err *err)
{
    struct sl_text *t = &s->t;
    bool broken = false;
    int rc;

    while (!sl_parse_stopped(s->flat.p)) {
        forget(s);
        if ((rc = sl_text_more(t, err)) < 0)
            return rc;
        if (rc == 0)
            break;
        if (t->came == t->end && t->end >= 3 && !memcmp(t->buf, "\xEF\xBB\xBF", 3))
            t->at = t->start = 3;
        if (!broken && !scan(s)) {
            broken = true;
            reject_rest(s, "not JSON from here on");
            s->in_row = false;
        }
        if (broken)
            t->at = t->end;
    }
    if (!broken && !sl_parse_stopped(s->flat.p) && s->flat.p->mode != SL_PARSE_SHARES)
        at_the_end(s);
    return 0;
}

static int run(struct sl_parse *p, const char *path, struct sl_err *err)
{
    struct state s = {.flat = {.p = p}};
    int rc = sl_text_open(&s.t, p, path, err);

    if (rc)
        return rc;
    for (const char *r = p->input->rows; r && *r && s.nparts < MAX_PARTS; s.nparts++) {
        size_t n = strcspn(r, "/");
        s.part[s.nparts] = r;
        s.npart[s.nparts] = n;
        r += n + (r[n] == '/');
    }
    rc = read_document(&s, err);
    rc = sl_text_close(&s.t, rc, err);
    sl_flatten_free(&s.flat);
    sl_buf_free(&s.open);
    sl_buf_free(&s.key);
    return rc;
}

const struct sl_reader sl_reader_json = {
    .name = "json",
    .keys = " text rows json pairs empty defaults ",
    .run = run,
};
