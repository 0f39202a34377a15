/* SPDX-License-Identifier: Apache-2.0 */
#include "read/json/leaves.h"

#include <errno.h>
#include <stdlib.h>

/* Numbers keep their digits: a double cannot hold a time in nanoseconds. */
static struct sl_value number(const struct sl_json_text *t)
{
    struct sl_value v = {.kind = SL_TEXT, .s = t->s, .n = t->n};
    char copy[40], *end;

    if (t->n >= sizeof copy)
        return v;
    memcpy(copy, t->s, t->n);
    copy[t->n] = 0;
    errno = 0;
    v.kind = SL_INT;
    v.i = strtoll(copy, &end, 10);
    if (errno || *end) {
        v.kind = SL_REAL;
        v.d = strtod(copy, NULL);
    }
    return v;
}

struct sl_value sl_leaf_value(const struct sl_json_text *t, struct sl_arena *arena)
{
    struct sl_value v = {.kind = SL_TEXT, .s = t->s, .n = t->n};
    size_t n;

    switch (t->kind) {
    case '"':
        v.s = sl_json_unescape(t, arena, &n);
        v.n = (uint32_t)n;
        break;
    case '0': return number(t);
    case 'n':
    case 0: return (struct sl_value){.kind = SL_NONE};
    default: break;
    }
    return v;
}

/* The key at hand goes behind the path. */
static enum sl_json_status add_key(struct sl_leaves *w)
{
    struct sl_json_text key;
    enum sl_json_status rc = sl_json_key(&w->c, &key);
    const char *s;
    size_t n;

    if (rc)
        return rc;
    s = sl_json_unescape(&key, w->arena, &n);
    sl_buf_add(w->path, s, n);
    return SL_JSON_OK;
}

enum sl_json_status sl_leaves_walk(struct sl_leaves *w, int depth)
{
    char close = *w->c.at == '{' ? '}' : ']';
    size_t outside = w->path->n;
    struct sl_json_text t;
    enum sl_json_status rc;

    w->c.at++;
    if (depth >= SL_JSON_DEPTH)
        return SL_JSON_BAD;
    for (int64_t i = 0; !(rc = sl_json_next(&w->c, close, !i)); i++) {
        w->path->n = outside;
        if (outside)
            sl_buf_addc(w->path, '.');
        if (close == ']')
            sl_buf_add_int(w->path, i);
        else if ((rc = add_key(w)))
            return rc;
        if (w->c.at < w->c.end && (*w->c.at == '{' || *w->c.at == '['))
            rc = sl_leaves_walk(w, depth + 1);
        else if (!(rc = sl_json_value(&w->c, &t, depth + 1)))
            w->leaf(w, &t);
        if (rc)
            return rc;
    }
    w->path->n = outside;
    return rc == SL_JSON_END ? SL_JSON_OK : rc;
}

/* ---- of a valid object ---- */

struct receiver {
    void (*leaf)(void *to, const char *path, size_t npath, struct sl_value v);
    void *to;
};

static void hand_over(struct sl_leaves *w, const struct sl_json_text *t)
{
    const struct receiver *r = w->to;

    r->leaf(r->to, sl_arena_copy(w->arena, w->path->n ? w->path->s : "", w->path->n), w->path->n,
            sl_leaf_value(t, w->arena));
}

void sl_json_leaves(const char *s, size_t n, struct sl_arena *arena,
                    void (*leaf)(void *to, const char *path, size_t npath, struct sl_value v), void *to)
{
    struct sl_buf path = {0};
    struct receiver r = {leaf, to};
    struct sl_leaves w = {.c = {.at = s, .end = s + n}, .arena = arena, .path = &path, .leaf = hand_over, .to = &r};

    if (n && *s == '{')
        sl_leaves_walk(&w, 0);
    sl_buf_free(&path);
}
