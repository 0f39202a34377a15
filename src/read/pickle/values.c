/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of a pickle as values and as JSON. */
#include "read/pickle/pickle_decode_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_DEPTH = 32, MAX_TEXT = 1 << 18 };

uint32_t sl_pickle_top(const struct sl_pickle *p)
{
    return p->top;
}

enum sl_py_kind sl_pickle_kind(const struct sl_pickle *p, uint32_t o)
{
    return p->objects.v[o].kind;
}

size_t sl_pickle_len(const struct sl_pickle *p, uint32_t o)
{
    return p->objects.v[o].n;
}

uint32_t sl_pickle_item(const struct sl_pickle *p, uint32_t o, size_t i)
{
    return p->items.v[p->objects.v[o].at + i];
}

const char *sl_pickle_text(const struct sl_pickle *p, uint32_t o)
{
    return p->objects.v[o].s;
}

bool sl_pickle_get(const struct sl_pickle *p, uint32_t dict, const char *key, size_t n, uint32_t *value)
{
    for (size_t i = sl_pickle_len(p, dict); i >= 2; i -= 2) {
        uint32_t k = sl_pickle_item(p, dict, i - 2);
        if (p->objects.v[k].kind == SL_PY_TEXT && p->objects.v[k].n == n && !memcmp(p->objects.v[k].s, key, n)) {
            *value = sl_pickle_item(p, dict, i - 1);
            return true;
        }
    }
    return false;
}

static void add_float(struct sl_buf *b, double d)
{
    char digits[32];

    sl_buf_add(b, digits, sl_real_text(d, digits));
}

/* Keys of JSON are texts: others are written as JSON in a text. */
static bool add_json(const struct sl_pickle *p, uint32_t x, struct sl_buf *b, int depth, bool as_key)
{
    const struct sl_py_object *o = &p->objects.v[x];
    struct sl_buf inner = {0};
    bool ok = depth < MAX_DEPTH && b->n <= MAX_TEXT;

    if (!ok)
        return false;
    if (as_key && o->kind != SL_PY_TEXT && o->kind != SL_PY_BYTES) {
        ok = add_json(p, x, &inner, depth + 1, false);
        sl_buf_add_json(b, inner.s ? inner.s : "", inner.n);
        sl_buf_free(&inner);
        return ok;
    }
    switch (o->kind) {
    case SL_PY_NONE: sl_buf_adds(b, "null"); return true;
    case SL_PY_FALSE: sl_buf_adds(b, "false"); return true;
    case SL_PY_TRUE: sl_buf_adds(b, "true"); return true;
    case SL_PY_INT: sl_buf_add_int(b, o->i); return true;
    case SL_PY_LONG: sl_buf_add(b, o->s, o->n); return true;
    case SL_PY_FLOAT:
        if (isfinite(o->d))
            add_float(b, o->d);
        else
            sl_buf_adds(b, isnan(o->d) ? "\"nan\"" : o->d > 0 ? "\"inf\"" : "\"-inf\"");
        return true;
    case SL_PY_TEXT:
    case SL_PY_BYTES: sl_buf_add_json(b, o->s, o->n); return b->n <= MAX_TEXT;
    default: break;
    }
    sl_buf_addc(b, o->kind == SL_PY_DICT ? '{' : '[');
    for (uint32_t i = 0; i < o->n && ok; i++) {
        bool key = o->kind == SL_PY_DICT && i % 2 == 0;
        if (i)
            sl_buf_addc(b, o->kind == SL_PY_DICT && !key ? ':' : ',');
        ok = add_json(p, sl_pickle_item(p, x, i), b, depth + 1, key);
    }
    sl_buf_addc(b, o->kind == SL_PY_DICT ? '}' : ']');
    return ok;
}

bool sl_pickle_value(const struct sl_pickle *p, uint32_t x, struct sl_buf *b, struct sl_value *v)
{
    const struct sl_py_object *o = &p->objects.v[x];
    size_t from = b->n;

    *v = (struct sl_value){.kind = SL_TEXT};
    switch (o->kind) {
    case SL_PY_NONE: v->kind = SL_NONE; return true;
    case SL_PY_INT: *v = (struct sl_value){.kind = SL_INT, .i = o->i}; return true;
    case SL_PY_FLOAT: *v = (struct sl_value){.kind = SL_REAL, .d = o->d}; return true;
    case SL_PY_TEXT:
    case SL_PY_BYTES:
    case SL_PY_LONG:
        v->s = o->s;
        v->n = o->n;
        return true;
    case SL_PY_TRUE: v->s = "true", v->n = 4; return true;
    case SL_PY_FALSE: v->s = "false", v->n = 5; return true;
    default: break;
    }
    if (!add_json(p, x, b, 0, false))
        return false;
    v->n = (uint32_t)(b->n - from);
    v->s = b->s + from; /* moves when b grows: the caller clears b for each value, or copies */
    return true;
}
