/* SPDX-License-Identifier: Apache-2.0 */
/* A field of a record.  Texts are borrowed from the reader's buffer: valid only until the next record. */
#ifndef SL_RECIPE_VALUE_H
#define SL_RECIPE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sl_value_kind { SL_NONE, SL_TEXT, SL_INT, SL_REAL };

struct sl_value {
    const char *s; /* SL_TEXT, or the digits of a number where the source had them */
    union {
        int64_t i; /* SL_INT */
        double d;  /* SL_REAL */
    };
    uint32_t n;
    uint8_t kind;
};

#endif
