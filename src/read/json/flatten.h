/* SPDX-License-Identifier: Apache-2.0 */
/* JSON objects as records; shared by the readers of JSON. */
#ifndef SL_READ_JSON_FLATTEN_H
#define SL_READ_JSON_FLATTEN_H

#include "base/buf.h"
#include "engine/apply.h"

enum { SL_FLATTEN_DEPTH = 32 };

struct sl_flatten { /* zeroed by the caller, who sets p; freed by sl_flatten_free */
    struct sl_parse *p;
    struct sl_buf path; /* of the value at hand */
    struct {
        size_t len;
        long index;
    } level[SL_FLATTEN_DEPTH]; /* path length outside; index >= 0: a list */
    int depth, top;            /* top: values at depth 0 seen */
    int inside;                /* how many texts that hold JSON we are inside of */
    bool list;                 /* the value at depth 0 is a list */
    bool object;
    struct sl_buf pair_name; /* of a row of {name, value} objects */
    struct sl_value pair_value;
    int pair_key; /* 1: the name comes next, 2: the value */
};

/* One record: an object, or, where the input has pairs:, a list of pairs.  NULL: it was read; else why it is none. */
const char *sl_flatten_record(struct sl_flatten *f, int64_t place, const char *text, size_t n);
void sl_flatten_free(struct sl_flatten *f);

#endif
