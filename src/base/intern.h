/* SPDX-License-Identifier: Apache-2.0 */
/* Strings to small integers, 1 upwards, each string once.  Zero-initialise.  Not safe for several threads at once. */
#ifndef SL_BASE_INTERN_H
#define SL_BASE_INTERN_H

#include "base/map.h"
#include "base/mem.h"

struct sl_intern {
    struct sl_arena text;
    SL_VEC(struct {
        const char *s;
        size_t n;
    })
    of; /* of.v[id - 1] */
    struct sl_map by_text;
};

uint32_t sl_intern(struct sl_intern *t, const char *s, size_t n);            /* the id of s, new if need be */
uint32_t sl_intern_find(const struct sl_intern *t, const char *s, size_t n); /* 0: unknown */
const char *sl_intern_text(const struct sl_intern *t, uint32_t id);          /* borrowed, NUL-terminated */
size_t sl_intern_len(const struct sl_intern *t, uint32_t id);
void sl_intern_free(struct sl_intern *t);

#endif
