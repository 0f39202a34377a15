/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nested objects and lists are flattened: {"a": {"b": 1}, "c": [2]} has the fields a.b and c.0.  Texts that hold JSON
 * are flattened in the same way where the recipe says so, and stay there as texts, too.
 */
#include "read/json/flatten.h"
#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <yajl/yajl_parse.h>

enum { MAX_INSIDE = 4 }; /* JSON in a text of JSON in a text ... */

static bool enter(struct sl_flatten *s, bool list)
{
    if (s->depth == 0) {
        s->object = !list;
        s->list = list;
        s->top++;
    }
    if (s->depth >= SL_FLATTEN_DEPTH - 1)
        return false;
    s->level[++s->depth].len = s->path.n;
    s->level[s->depth].index = list ? 0 : -1;
    return true;
}

/* In a list each value names itself by its index. */
static void name_item(struct sl_flatten *s)
{
    if (s->depth && s->level[s->depth].index >= 0) {
        s->path.n = s->level[s->depth].len;
        sl_buf_addf(&s->path, "%s%ld", s->path.n ? "." : "", s->level[s->depth].index++);
    }
}

static void open_text(struct sl_flatten *s, const char *text, size_t n);

static bool may_hold_json(const struct sl_flatten *s, const struct sl_value *v)
{
    const struct sl_input *in = s->p->input;

    if (v->kind != SL_TEXT || v->n < 2)
        return false;
    for (int i = 0; i < in->njson; i++)
        if (strlen(in->json[i]) == s->path.n && !memcmp(in->json[i], s->path.s, s->path.n))
            return true;
    return false;
}

/* The field named by path. */
static void set(struct sl_flatten *s, struct sl_value v)
{
    int slot = sl_parse_slot(s->p, s->path.s, s->path.n);

    if (slot >= 0 || s->p->recipe->wants_all) {
        const char *name = slot < 0 ? sl_arena_copy(&s->p->scratch, s->path.s, s->path.n) : NULL;
        if (v.kind == SL_TEXT || v.s)
            v.s = sl_arena_copy(&s->p->scratch, v.s, v.n);
        sl_parse_set(s->p, slot, name, s->path.n, v);
    }
    if (s->p->input->njson && may_hold_json(s, &v))
        open_text(s, v.s, v.n);
}

static int value(struct sl_flatten *s, struct sl_value v)
{
    name_item(s);
    if (s->depth == 0) {
        s->top++;
        if (!s->inside)
            return 1;
    }
    if (s->depth == 0 && v.kind == SL_TEXT) /* escaped twice: a text in the text */
        open_text(s, v.s, v.n);
    else if (s->depth)
        set(s, v);
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
static struct sl_value number(const char *s, size_t n)
{
    struct sl_value v = {.kind = SL_REAL, .s = s, .n = (uint32_t)n};
    char copy[40], *end;

    if (n >= sizeof copy)
        return (struct sl_value){.kind = SL_TEXT, .s = s, .n = (uint32_t)n};
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
    return v;
}

static int on_number(void *c, const char *s, size_t n)
{
    return value(c, number(s, n));
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
    struct sl_flatten *t = c;

    t->path.n = t->level[t->depth].len;
    if (t->path.n)
        sl_buf_addc(&t->path, '.');
    sl_buf_add(&t->path, s, n);
    return 1;
}

static int on_end(void *c)
{
    struct sl_flatten *s = c;

    s->path.n = s->level[s->depth--].len;
    return 1;
}

static int on_start_list(void *c)
{
    name_item(c);
    return enter(c, true);
}

static const yajl_callbacks callbacks = {on_null,      on_bool, NULL,   NULL,          on_number, on_string,
                                         on_start_map, on_key,  on_end, on_start_list, on_end};

static bool parse(const yajl_callbacks *with, void *to, const char *text, size_t n)
{
    yajl_handle h = yajl_alloc(with, NULL, to);
    yajl_status st;

    yajl_config(h, yajl_dont_validate_strings, 1); /* other encodings are data, too */
    st = yajl_parse(h, (const unsigned char *)text, n);
    if (st == yajl_status_ok) /* a text that is begun behind the end would go unnoticed */
        st = yajl_parse(h, (const unsigned char *)"\n", 1);
    if (st == yajl_status_ok)
        st = yajl_complete_parse(h);
    yajl_free(h);
    return st == yajl_status_ok;
}

/* ---- texts that hold JSON ---- */

static int deeper(void *c)
{
    return ++*(int *)c < SL_FLATTEN_DEPTH;
}

static int back(void *c)
{
    --*(int *)c;
    return 1;
}

/* Whether the whole of it can be flattened: a field is never taken from half a text. */
static bool is_json(const char *s, size_t n, int depth)
{
    static const yajl_callbacks count = {
        .yajl_start_map = deeper, .yajl_end_map = back, .yajl_start_array = deeper, .yajl_end_array = back};

    return parse(&count, &depth, s, n);
}

/* The text at path: its members become fields below that name.  What is no JSON stays a text. */
static void open_text(struct sl_flatten *s, const char *text, size_t n)
{
    struct sl_flatten in = {.p = s->p, .inside = s->inside + 1};
    struct sl_buf quoted = {0};

    while (n && (*text == ' ' || *text == '\n' || *text == '\t' || *text == '\r'))
        text++, n--;
    if (!n || !strchr("{[\"", *text) || in.inside > MAX_INSIDE)
        return;
    if (*text != '"' && memmem(text, n, "\\\"", 2) && !is_json(text, n, 0)) {
        sl_buf_addc(&quoted, '"'); /* escaped twice, and the quotes around it were lost */
        sl_buf_add(&quoted, text, n);
        sl_buf_addc(&quoted, '"');
        text = quoted.s;
        n = quoted.n;
    }
    if (is_json(text, n, 0)) {
        sl_buf_add(&in.path, s->path.s, s->path.n);
        parse(&callbacks, &in, text, n);
    }
    sl_buf_free(&in.path);
    sl_buf_free(&quoted);
}

/* ---- rows of pairs: [{"field": "@message", "value": "..."}, ...] ---- */

static void pair_keep(struct sl_flatten *s, struct sl_value v)
{
    if (s->depth != 2 || !s->pair_key)
        return;
    if (s->pair_key == 1) {
        sl_buf_clear(&s->pair_name);
        if (v.s)
            sl_buf_add(&s->pair_name, v.s, v.n);
    } else {
        s->pair_value = v;
        if (v.s)
            s->pair_value.s = sl_arena_copy(&s->p->scratch, v.s, v.n);
    }
    s->pair_key = 0;
}

static int pair_null(void *c)
{
    pair_keep(c, (struct sl_value){.kind = SL_NONE});
    return 1;
}

static int pair_bool(void *c, int b)
{
    pair_keep(c, (struct sl_value){.kind = SL_TEXT, .s = b ? "true" : "false", .n = b ? 4 : 5});
    return 1;
}

static int pair_number(void *c, const char *s, size_t n)
{
    pair_keep(c, number(s, n));
    return 1;
}

static int pair_string(void *c, const unsigned char *s, size_t n)
{
    pair_keep(c, (struct sl_value){.kind = SL_TEXT, .s = (const char *)s, .n = (uint32_t)n});
    return 1;
}

static int pair_start_map(void *c)
{
    struct sl_flatten *s = c;

    if (!enter(s, false))
        return 0;
    if (s->depth == 2) {
        sl_buf_clear(&s->pair_name);
        s->pair_value = (struct sl_value){.kind = SL_NONE};
    }
    s->pair_key = 0;
    return s->depth > 1; /* a row is a list */
}

static int pair_key(void *c, const unsigned char *key, size_t n)
{
    struct sl_flatten *s = c;
    const struct sl_input *in = s->p->input;

    if (s->depth != 2)
        return 1;
    s->pair_key = strlen(in->pair_name) == n && !memcmp(in->pair_name, key, n)     ? 1
                  : strlen(in->pair_value) == n && !memcmp(in->pair_value, key, n) ? 2
                                                                                   : 0;
    return 1;
}

static int pair_end_map(void *c)
{
    struct sl_flatten *s = c;

    if (s->depth == 2 && s->pair_name.n) {
        sl_buf_clear(&s->path);
        sl_buf_add(&s->path, s->pair_name.s, s->pair_name.n);
        set(s, s->pair_value);
    }
    s->depth--;
    return 1;
}

static int pair_start_list(void *c)
{
    struct sl_flatten *s = c;

    s->pair_key = 0;
    return enter(s, true);
}

static int pair_end_list(void *c)
{
    ((struct sl_flatten *)c)->depth--;
    return 1;
}

static const yajl_callbacks pair_callbacks = {pair_null,    pair_bool,       NULL,           NULL,
                                              pair_number,  pair_string,     pair_start_map, pair_key,
                                              pair_end_map, pair_start_list, pair_end_list};

/* ---- the whole ---- */

const char *sl_flatten_record(struct sl_flatten *f, int64_t place, const char *text, size_t n)
{
    struct sl_parse *p = f->p;
    bool pairs = p->input->pair_name && n && *text == '[', ok;

    sl_buf_clear(&f->path);
    f->depth = f->top = 0;
    f->object = f->list = false;
    sl_parse_begin(p, place);
    ok = parse(pairs ? &pair_callbacks : &callbacks, f, text, n);
    if (!ok || (pairs ? !f->list : !f->object) || f->top != 1) {
        sl_arena_reset(&p->scratch);
        return ok ? "JSON, but not an object" : "not JSON";
    }
    p->whole = text;
    p->nwhole = n;
    sl_parse_end(p);
    p->whole = NULL;
    return NULL;
}

void sl_flatten_free(struct sl_flatten *f)
{
    sl_buf_free(&f->path);
    sl_buf_free(&f->pair_name);
}
