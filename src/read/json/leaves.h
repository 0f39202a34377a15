/* SPDX-License-Identifier: Apache-2.0 */
/* What is in objects and lists, as paths and values: {"a": {"b": 1}, "c": [2]} has a.b and c.0. */
#ifndef SL_READ_JSON_LEAVES_H
#define SL_READ_JSON_LEAVES_H

#include "base/buf.h"
#include "base/json.h"
#include "recipe/value.h"

/* A walk over all values that are no objects or lists themselves. */
struct sl_leaves {
    struct sl_json c;
    struct sl_arena *arena; /* of keys with escapes */
    struct sl_buf *path;    /* of the value at hand, behind what was there before */
    void (*leaf)(struct sl_leaves *w, const struct sl_json_text *t);
    void *to; /* the caller's */
};

/* From the bracket at c.at to behind the one that closes it.  Depth is that of sl_json_value(). */
enum sl_json_status sl_leaves_walk(struct sl_leaves *w, int depth);
/* Borrows from t, or in the arena. */
struct sl_value sl_leaf_value(const struct sl_json_text *t, struct sl_arena *arena);

/* For each value inside of an object that sl_json_value() took: its path, which stays in the arena, and itself. */
void sl_json_leaves(const char *s, size_t n, struct sl_arena *arena,
                    void (*leaf)(void *to, const char *path, size_t npath, struct sl_value v), void *to);

#endif
