/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the decoder of pickles: decode.c (opcodes), values.c (what came of them). */
#ifndef SL_READ_PICKLE_PICKLE_DECODE_INTERNAL_H
#define SL_READ_PICKLE_PICKLE_DECODE_INTERNAL_H

#include "base/mem.h"
#include "read/pickle/pickle_decode.h"

struct sl_py_object {
    uint8_t kind;
    bool owned; /* its text is in the arena, not in the file */
    uint32_t n; /* items, or bytes */
    union {
        struct {
            uint32_t at, cap; /* of items */
        };
        int64_t i;
        double d;
        const char *s;
    };
};

typedef SL_VEC(uint32_t) sl_py_refs;

struct sl_pickle {
    const unsigned char *data;
    size_t n, at, op_at; /* op_at: of the opcode at hand */
    const char *path;
    struct sl_err *err;
    SL_VEC(struct sl_py_object) objects;
    sl_py_refs items, stack, marks, memo; /* marks: stack heights */
    size_t memos;                         /* how many MEMOIZE has put */
    struct sl_arena texts;
    uint32_t top;
    bool failed, done;
};

#endif
