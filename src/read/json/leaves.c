/* SPDX-License-Identifier: Apache-2.0 */
#include "read/json/leaves.h"
#include "base/buf.h"
#include "base/json.h"

#include <errno.h>
#include <stdlib.h>

static struct sl_value value_of(const struct sl_json_text *t, struct sl_arena *arena)
{
    struct sl_value v = {.kind = SL_TEXT, .s = t->s, .n = t->n};
    char *end;
    size_t n;

    switch (t->kind) {
    case '"':
        v.s = sl_json_unescape(t, arena, &n);
        v.n = (uint32_t)n;
        break;
    case 'n': return (struct sl_value){.kind = SL_NONE};
    case '0':
        if (t->n >= 40)
            break;
        end = sl_arena_copy(arena, t->s, t->n);
        errno = 0;
        v.kind = SL_INT;
        v.i = strtoll(end, &end, 10);
        if (errno || *end) {
            v.kind = SL_REAL;
            v.d = strtod(sl_arena_copy(arena, t->s, t->n), NULL);
        }
        break;
    default: break;
    }
    return v;
}

struct leaves {
    struct sl_json c;
    struct sl_arena *arena;
    struct sl_buf path;
    void (*leaf)(void *to, const char *path, size_t npath, struct sl_value v);
    void *to;
};

static void walk(struct leaves *w, int depth)
{
    char open = *w->c.at, close = open == '{' ? '}' : ']';
    size_t outside = w->path.n;
    struct sl_json_text t;

    w->c.at++;
    for (long i = 0; depth < SL_JSON_DEPTH; i++) {
        sl_json_blank(&w->c);
        if (w->c.at < w->c.end && *w->c.at == ',') {
            w->c.at++;
            sl_json_blank(&w->c);
        }
        if (w->c.at >= w->c.end || *w->c.at == close)
            break;
        w->path.n = outside;
        if (outside)
            sl_buf_addc(&w->path, '.');
        if (open == '{') {
            size_t n;
            const char *key;
            if (sl_json_string(&w->c, &t))
                break;
            key = sl_json_unescape(&t, w->arena, &n);
            sl_buf_add(&w->path, key, n);
            sl_json_blank(&w->c);
            w->c.at++;
            sl_json_blank(&w->c);
        } else {
            sl_buf_addf(&w->path, "%ld", i);
        }
        if (w->c.at < w->c.end && (*w->c.at == '{' || *w->c.at == '[')) {
            walk(w, depth + 1);
        } else {
            if (sl_json_value(&w->c, &t, depth + 1))
                break;
            w->leaf(w->to, sl_arena_copy(w->arena, w->path.n ? w->path.s : "", w->path.n), w->path.n,
                    value_of(&t, w->arena));
        }
    }
    w->path.n = outside;
    if (w->c.at < w->c.end)
        w->c.at++;
}

void sl_json_leaves(const char *s, size_t n, struct sl_arena *arena,
                    void (*leaf)(void *to, const char *path, size_t npath, struct sl_value v), void *to)
{
    struct leaves w = {.c = {s, s + n, 0}, .arena = arena, .leaf = leaf, .to = to};

    if (n && *s == '{')
        walk(&w, 0);
    sl_buf_free(&w.path);
}
