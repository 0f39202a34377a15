/* SPDX-License-Identifier: Apache-2.0 */
/*
 * YAML as a tree whose scalars are all strings (`on:` and 0119 stay what they are), with the line of each node.
 * Duplicate keys, several documents and cyclic aliases are refused.
 */
#ifndef SL_RECIPE_YAML_H
#define SL_RECIPE_YAML_H

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>

enum sl_yaml_kind { SL_YAML_SCALAR, SL_YAML_LIST, SL_YAML_MAP };

struct sl_yaml {
    enum sl_yaml_kind kind;
    int line; /* 1 upwards */
    bool quoted;
    const char *text;      /* scalar; NUL-terminated */
    size_t n;              /* length of text, or number of items */
    struct sl_yaml **item; /* list items, or map values */
    struct sl_yaml **key;  /* map keys (scalars) */
};

/* name is for messages.  On success *out is the caller's (sl_yaml_free). */
int sl_yaml_parse(struct sl_yaml **out, const char *text, size_t n, const char *name, struct sl_err *err);
void sl_yaml_free(struct sl_yaml *y);

/*
 * A tree as bytes, appended to `to`, and the tree that such bytes are: what stands in the program is taken apart when
 * that is built.  The tree borrows the bytes; it is the caller's (sl_yaml_free).  Nothing is checked.
 */
void sl_yaml_pack(struct sl_buf *to, const struct sl_yaml *y);
struct sl_yaml *sl_yaml_unpack(const char *packed);

/* Appends the file at path to b; 0, or errno.  No file of people is larger than 16 MiB: EFBIG. */
int sl_yaml_read(struct sl_buf *b, const char *path);

/* The value of key in map y; NULL if y is not a map or lacks it. */
const struct sl_yaml *sl_yaml_get(const struct sl_yaml *y, const char *key);

/* A document that is being taken apart: what is wrong with it, of which the first thing counts. */
struct sl_yaml_check {
    const char *path;
    struct sl_err *err;
    int rc;
    struct sl_arena *arena; /* of the texts that are kept, by who keeps some (yaml_keys.h) */
};
/* Says what is wrong at y; NULL: with the whole. */
void sl_yaml_fail(struct sl_yaml_check *c, const struct sl_yaml *y, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Is y there, and a map?  Something else must be one: fails with this text. */
bool sl_yaml_is_map(struct sl_yaml_check *c, const struct sl_yaml *y, const char *must);

/* Nothing behind the colon, or a list or map without items.  A text in quotes is one, empty or not. */
bool sl_yaml_is_empty(const struct sl_yaml *y);

/* The items of a list.  A scalar, or a map, counts as a list of one; nothing (NULL) as a list of none. */
size_t sl_yaml_len(const struct sl_yaml *y);
const struct sl_yaml *sl_yaml_item(const struct sl_yaml *y, size_t i);

#endif
