/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Python pickles of plain data, protocols 0 to 5 (docs.python.org/3/library/pickletools.html lists the opcodes).  What
 * asks for a class, a call, a persistent object or a buffer is an error: it is never run, looked up or guessed.
 */
#ifndef SL_READ_PICKLE_PICKLE_DECODE_H
#define SL_READ_PICKLE_PICKLE_DECODE_H

#include "base/buf.h"
#include "base/err.h"
#include "recipe/value.h"

#include <stdint.h>

enum sl_py_kind {
    SL_PY_NONE,
    SL_PY_FALSE,
    SL_PY_TRUE,
    SL_PY_INT,
    SL_PY_LONG, /* decimal digits, or hexadecimal ones (0x) where it is very long */
    SL_PY_FLOAT,
    SL_PY_TEXT,
    SL_PY_BYTES,
    SL_PY_TUPLE,
    SL_PY_LIST,
    SL_PY_SET,
    SL_PY_DICT, /* items: key, value, key, value ... */
};

struct sl_pickle;

/*
 * Decodes the pickle in data[0..n), which must stay until it is freed.  Memory is bounded by a small multiple of n.
 * NULL: err says at which byte which opcode is why not.  path is for messages.
 */
struct sl_pickle *sl_pickle_load(const unsigned char *data, size_t n, const char *path, struct sl_err *err);
void sl_pickle_free(struct sl_pickle *p);

/* Objects are numbers.  They may be shared, and may hold themselves. */
uint32_t sl_pickle_top(const struct sl_pickle *p);
enum sl_py_kind sl_pickle_kind(const struct sl_pickle *p, uint32_t o);
size_t sl_pickle_len(const struct sl_pickle *p, uint32_t o); /* items of a container; bytes of a text */
uint32_t sl_pickle_item(const struct sl_pickle *p, uint32_t o, size_t i);
const char *sl_pickle_text(const struct sl_pickle *p, uint32_t o); /* of TEXT, BYTES, LONG; not NUL-terminated */
/* The value of a text key in a dict, the last where there are several; false: it has none. */
bool sl_pickle_get(const struct sl_pickle *p, uint32_t dict, const char *key, size_t n, uint32_t *value);

/*
 * As a field of a record: numbers and texts as they are, all else as JSON text in b, which is appended to.  The value
 * borrows from p and b.  false: it is nested too deeply, or into itself, or too long to be a field.
 */
bool sl_pickle_value(const struct sl_pickle *p, uint32_t o, struct sl_buf *b, struct sl_value *v);

#endif
