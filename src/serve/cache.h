/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers that a child leaves for those after it, which processes that are forked after sl_cache_open() share: in
 * memory, so that nothing of them outlives the server.
 */
#ifndef SL_SERVE_CACHE_H
#define SL_SERVE_CACHE_H

#include "base/buf.h"

#include <stdbool.h>

enum { SL_CACHE_SLOTS = 4 };

struct sl_cache {
    int fd[SL_CACHE_SLOTS]; /* -1: there is no such memory, and nothing is kept */
};

void sl_cache_open(struct sl_cache *c);
/* Appends what was put under the key last, if nothing else took its place. */
bool sl_cache_get(const struct sl_cache *c, const struct sl_buf *key, struct sl_buf *out);
void sl_cache_put(const struct sl_cache *c, const struct sl_buf *key, const struct sl_buf *value);

#endif
