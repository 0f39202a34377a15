/* SPDX-License-Identifier: Apache-2.0 */
/* A set of 64-bit numbers. */
#ifndef SL_BASE_SET_H
#define SL_BASE_SET_H

#include "base/map.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>

/* Zero-initialise; free with sl_set_free(). */
struct sl_set {
    SL_VEC(uint64_t) v;      /* the members, in the order in which they came */
    struct sl_map by_member; /* of v */
};

bool sl_set_add(struct sl_set *s, uint64_t member); /* true: it is new */
bool sl_set_has(const struct sl_set *s, uint64_t member);
void sl_set_clear(struct sl_set *s); /* keeps its memory */
void sl_set_free(struct sl_set *s);

#endif
