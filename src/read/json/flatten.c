/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nested objects and lists are flattened: {"a": {"b": 1}, "c": [2]} has the fields a.b and c.0.  Texts that hold JSON
 * are flattened in the same way where the recipe says so, and stay there as texts, too.
 */
#include "read/json/flatten.h"
#include "read/json/leaves.h"

enum { MAX_INSIDE = 4 }; /* JSON in a text of JSON in a text ... */

static struct sl_json strict(const char *text, size_t n)
{
    return (struct sl_json){.at = text, .end = text + n, .strict = true};
}

static bool nothing_follows(struct sl_json *c)
{
    sl_json_blank(c);
    return c->at == c->end;
}

static void open_text(struct sl_flatten *s, const char *text, size_t n);

static bool may_hold_json(const struct sl_flatten *s)
{
    const struct sl_input *in = s->p->input;

    for (int i = 0; i < in->njson; i++)
        if (strlen(in->json[i]) == s->path.n && !memcmp(in->json[i], s->path.s, s->path.n))
            return true;
    return false;
}

/* The field named by path. */
static void set(struct sl_flatten *s, const struct sl_json_text *t)
{
    struct sl_arena *scratch = &s->p->scratch;
    int slot = sl_parse_slot(s->p, s->path.s, s->path.n);
    bool wanted = slot >= 0 || s->p->recipe->wants_all, open = t->kind == '"' && may_hold_json(s);
    struct sl_value v;

    if (!wanted && !open)
        return;
    v = sl_leaf_value(t, scratch);
    if (wanted) {
        const char *name = slot < 0 ? sl_arena_copy(scratch, s->path.s, s->path.n) : NULL;
        if (v.s && !t->escaped)
            v.s = sl_arena_copy(scratch, v.s, v.n);
        sl_parse_set(s->p, slot, name, s->path.n, v);
    }
    if (open)
        open_text(s, v.s, v.n);
}

static void leaf(struct sl_leaves *w, const struct sl_json_text *t)
{
    set(w->to, t);
}

/* The value at c; what is in it becomes fields below path. */
static enum sl_json_status flatten(struct sl_flatten *s, struct sl_json *c, struct sl_json_text *t)
{
    struct sl_leaves w = {.c = *c, .arena = &s->p->scratch, .path = &s->path, .leaf = leaf, .to = s};
    enum sl_json_status rc;

    if (c->at == c->end || (*c->at != '{' && *c->at != '['))
        return sl_json_value(c, t, 1);
    *t = (struct sl_json_text){.kind = *c->at};
    rc = sl_leaves_walk(&w, 1);
    *c = w.c;
    return rc;
}

/* ---- texts that hold JSON ---- */

/* Whether the whole of it can be flattened: a field is never taken from half a text. */
static bool is_json(const char *s, size_t n)
{
    struct sl_json c = strict(s, n);
    struct sl_json_text t;

    return !sl_json_value(&c, &t, 1) && nothing_follows(&c);
}

/* The text at path: its members become fields below that name.  What is no JSON stays a text. */
static void open_text(struct sl_flatten *s, const char *text, size_t n)
{
    struct sl_flatten in = {.p = s->p, .inside = s->inside + 1};
    struct sl_buf quoted = {0};
    struct sl_json_text t;

    while (n && (*text == ' ' || *text == '\n' || *text == '\t' || *text == '\r'))
        text++, n--;
    if (!n || !strchr("{[\"", *text) || in.inside > MAX_INSIDE)
        return;
    if (*text != '"' && memmem(text, n, "\\\"", 2) && !is_json(text, n)) {
        sl_buf_addc(&quoted, '"'); /* escaped twice, and the quotes around it were lost */
        sl_buf_add(&quoted, text, n);
        sl_buf_addc(&quoted, '"');
        text = quoted.s;
        n = quoted.n;
    }
    if (is_json(text, n)) {
        struct sl_json c = strict(text, n);
        sl_buf_add(&in.path, s->path.s, s->path.n);
        if (!flatten(&in, &c, &t) && t.kind == '"') { /* escaped twice: a text in the text */
            text = sl_json_unescape(&t, &s->p->scratch, &n);
            open_text(&in, text, n);
        }
    }
    sl_buf_free(&in.path);
    sl_buf_free(&quoted);
}

/* ---- rows of pairs: [{"field": "@message", "value": "..."}, ...] ---- */

static bool is_key(const char *is, const char *key, size_t n)
{
    return strlen(is) == n && !memcmp(is, key, n);
}

/* At {. */
static enum sl_json_status pair(struct sl_flatten *s, struct sl_json *c)
{
    const struct sl_input *in = s->p->input;
    struct sl_json_text key, t, named = {0}, value = {0};
    struct sl_value name;
    enum sl_json_status rc;

    c->at++;
    for (bool first = true; !(rc = sl_json_next(c, '}', first)); first = false) {
        const char *k;
        size_t n;
        if ((rc = sl_json_key(c, &key)) || (rc = sl_json_value(c, &t, 3)))
            return rc;
        k = sl_json_unescape(&key, &s->p->scratch, &n);
        if (t.kind == '{' || t.kind == '[')
            continue;
        if (is_key(in->pair_name, k, n))
            named = t;
        else if (is_key(in->pair_value, k, n))
            value = t;
    }
    name = sl_leaf_value(&named, &s->p->scratch);
    if (rc == SL_JSON_END && name.s && name.n) {
        sl_buf_clear(&s->path);
        sl_buf_add(&s->path, name.s, name.n);
        set(s, &value);
    }
    return rc == SL_JSON_END ? SL_JSON_OK : rc;
}

/* At [; what is no pair says nothing. */
static enum sl_json_status pairs(struct sl_flatten *s, struct sl_json *c)
{
    struct sl_json_text t;
    enum sl_json_status rc;

    c->at++;
    for (bool first = true; !(rc = sl_json_next(c, ']', first)); first = false)
        if ((rc = *c->at == '{' ? pair(s, c) : sl_json_value(c, &t, 2)))
            return rc;
    return rc == SL_JSON_END ? SL_JSON_OK : rc;
}

/* ---- the whole ---- */

const char *sl_flatten_record(struct sl_flatten *f, int64_t place, const char *text, size_t n)
{
    struct sl_parse *p = f->p;
    struct sl_json c = strict(text, n);
    struct sl_json_text t = {.kind = '{'};
    bool ok;

    sl_buf_clear(&f->path);
    sl_parse_begin(p, place);
    sl_json_blank(&c);
    ok = !(p->input->pair_name && n && *text == '[' ? pairs(f, &c) : flatten(f, &c, &t)) && nothing_follows(&c);
    if (!ok || t.kind != '{') {
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
}
