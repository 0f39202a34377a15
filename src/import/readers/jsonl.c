/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON, one object a line.  Nested objects and lists are flattened: {"a": {"b": 1}, "c": [2]} has the fields a.b and
 * c.0.  A line may end in a comma, and lines of a lone [ or ] are passed over, so that a written-out array can be read.
 *
 * A writer that fails within a record leaves a beginning without a line end, and the next record follows in the same
 * line (Parsl's JSONLogging, when a program logs what is no JSON: an exception).  That record is read: it begins as
 * the records before it did, with the same key.
 */
#include "base/buf.h"
#include "base/mem.h"
#include "import/readers/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <yajl/yajl_parse.h>

enum { MAX_DEPTH = 32 };

struct state {
    struct sl_parse *p;
    struct sl_buf path; /* of the value at hand */
    struct {
        size_t len;
        long index;
    } level[MAX_DEPTH]; /* path length outside; index >= 0: a list */
    int depth, top;     /* top: values at depth 0 seen */
    bool object;
    struct sl_buf first; /* {"key": as records of this file begin */
};

static bool enter(struct state *s, bool list)
{
    if (s->depth == 0) {
        s->object = !list;
        s->top++;
    }
    if (s->depth >= MAX_DEPTH - 1)
        return false;
    s->level[++s->depth].len = s->path.n;
    s->level[s->depth].index = list ? 0 : -1;
    return true;
}

static void leave(struct state *s)
{
    s->path.n = s->level[s->depth--].len;
}

/* In a list each value names itself by its index. */
static void name_item(struct state *s)
{
    if (s->depth && s->level[s->depth].index >= 0) {
        s->path.n = s->level[s->depth].len;
        sl_buf_addf(&s->path, "%s%ld", s->path.n ? "." : "", s->level[s->depth].index++);
    }
}

static int value(struct state *s, struct sl_value v)
{
    const char *name;
    int slot;

    name_item(s);
    if (s->depth == 0) {
        s->top++;
        return 1;
    }
    slot = sl_parse_slot(s->p, s->path.s, s->path.n);
    if (slot < 0 && !s->p->recipe->wants_all)
        return 1;
    name = slot < 0 ? sl_arena_copy(&s->p->scratch, s->path.s, s->path.n) : NULL;
    if (v.kind == SL_TEXT || v.s)
        v.s = sl_arena_copy(&s->p->scratch, v.s, v.n);
    sl_parse_set(s->p, slot, name, s->path.n, v);
    return 1;
}

static int on_null(void *c)
{
    return value(c, (struct sl_value){.kind = SL_NONE});
}

static int on_bool(void *c, int b)
{
    return value(c, (struct sl_value){.kind = SL_TEXT, .s = b ? "true" : "false", .n = b ? 4 : 5});
}

/* Numbers keep their digits: a double cannot hold a time in nanoseconds. */
static int on_number(void *c, const char *s, size_t n)
{
    struct sl_value v = {.kind = SL_REAL, .s = s, .n = (uint32_t)n};
    char copy[40], *end;

    if (n >= sizeof copy)
        return value(c, (struct sl_value){.kind = SL_TEXT, .s = s, .n = (uint32_t)n});
    memcpy(copy, s, n);
    copy[n] = 0;
    errno = 0;
    if (!memchr(s, '.', n) && !memchr(s, 'e', n) && !memchr(s, 'E', n)) {
        v.kind = SL_INT;
        v.i = strtoll(copy, &end, 10);
    }
    if (v.kind == SL_REAL || errno) {
        v.kind = SL_REAL;
        v.d = strtod(copy, &end);
    }
    return value(c, v);
}

static int on_string(void *c, const unsigned char *s, size_t n)
{
    return value(c, (struct sl_value){.kind = SL_TEXT, .s = (const char *)s, .n = (uint32_t)n});
}

static int on_start_map(void *c)
{
    name_item(c);
    return enter(c, false);
}

static int on_key(void *c, const unsigned char *s, size_t n)
{
    struct state *t = c;

    t->path.n = t->level[t->depth].len;
    if (t->path.n)
        sl_buf_addc(&t->path, '.');
    sl_buf_add(&t->path, s, n);
    return 1;
}

static int on_end(void *c)
{
    leave(c);
    return 1;
}

static int on_start_list(void *c)
{
    name_item(c);
    return enter(c, true);
}

static const yajl_callbacks callbacks = {on_null,      on_bool, NULL,   NULL,          on_number, on_string,
                                         on_start_map, on_key,  on_end, on_start_list, on_end};

/* NULL: the record was read; else why not. */
static const char *object(struct state *s, int64_t line, const char *text, size_t n)
{
    struct sl_parse *p = s->p;
    yajl_handle h = yajl_alloc(&callbacks, NULL, s);
    yajl_status st;

    yajl_config(h, yajl_dont_validate_strings, 1); /* other encodings are data, too */
    sl_buf_clear(&s->path);
    s->depth = s->top = 0;
    s->object = false;
    sl_parse_begin(p, line);
    st = yajl_parse(h, (const unsigned char *)text, n);
    if (st == yajl_status_ok)
        st = yajl_complete_parse(h);
    yajl_free(h);
    if (st != yajl_status_ok || !s->object || s->top != 1) {
        sl_arena_reset(&p->scratch);
        return st == yajl_status_ok ? "JSON, but not an object" : "not JSON";
    }
    p->whole = text;
    p->nwhole = n;
    sl_parse_end(p);
    p->whole = NULL;
    return NULL;
}

static void remember_begin(struct state *s, const char *text, size_t n)
{
    const char *colon = n > 2 && text[0] == '{' && text[1] == '"' ? memchr(text, ':', n) : NULL;

    if (colon && !s->first.n)
        sl_buf_add(&s->first, text, (size_t)(colon + 1 - text));
}

static void one_line(struct state *s, int64_t line, const char *text, size_t n)
{
    const char *why = object(s, line, text, n), *at = text;

    if (!why) {
        remember_begin(s, text, n);
        return;
    }
    sl_parse_reject(s->p, line, why, text, n);
    while (s->first.n && (at = memmem(at + 1, (size_t)(text + n - at - 1), s->first.s, s->first.n)))
        if (!object(s, line, at, (size_t)(text + n - at)))
            break;
}

static int run(struct sl_parse *p, const char *path, struct sl_err *err)
{
    struct state s = {.p = p};
    struct sl_text t;
    int rc = sl_text_open(&t, p, path, err);

    if (rc)
        return rc;
    t.max = SL_JSON_MAX;
    while (!sl_parse_stopped(p)) {
        char *text;
        size_t n;
        t.start = t.at;
        rc = sl_text_line(&t, &text, &n, err);
        if (rc <= 0)
            break;
        while (n && (*text == ' ' || *text == '\t'))
            text++, n--;
        while (n && (text[n - 1] == ' ' || text[n - 1] == '\t' || text[n - 1] == ','))
            n--;
        if (n == 0 || (n == 1 && (*text == '[' || *text == ']')))
            continue;
        one_line(&s, t.line, text, n);
    }
    sl_buf_free(&s.path);
    sl_buf_free(&s.first);
    return sl_text_close(&t, rc, err);
}

const struct sl_reader sl_reader_jsonl = {"jsonl", " text empty defaults ", run, .grows = true};
