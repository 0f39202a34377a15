/* SPDX-License-Identifier: Apache-2.0 */
/* Objects as paths and values. */
#ifndef SL_READ_JSON_LEAVES_H
#define SL_READ_JSON_LEAVES_H

#include "base/mem.h"
#include "recipe/value.h"

/*
 * For each value inside of a valid object: its path (a.b, list.0) and itself.  Depth is that of sl_json_value().
 */
void sl_json_leaves(const char *s, size_t n, struct sl_arena *arena,
                    void (*leaf)(void *to, const char *path, size_t npath, struct sl_value v), void *to);

#endif
