/* SPDX-License-Identifier: Apache-2.0 */
/* JSON objects as records; shared by the readers of JSON. */
#ifndef SL_READ_JSON_FLATTEN_H
#define SL_READ_JSON_FLATTEN_H

#include "base/buf.h"
#include "engine/apply.h"

struct sl_flatten { /* zeroed by the caller, who sets p; freed by sl_flatten_free */
    struct sl_parse *p;
    struct sl_buf path; /* of the value at hand */
    int inside;         /* how many texts that hold JSON we are inside of */
};

/* One record: an object, or, where the input has pairs:, a list of pairs.  NULL: it was read; else why it is none. */
const char *sl_flatten_record(struct sl_flatten *f, int64_t place, const char *text, size_t n);
void sl_flatten_free(struct sl_flatten *f);

#endif
