/* SPDX-License-Identifier: Apache-2.0 */
#include "base/intern.h"
#include "base/hash.h"

#include <stdlib.h>

static uint32_t find(const struct sl_intern *t, const char *s, size_t n, uint64_t hash)
{
    size_t at = hash;

    for (uint32_t i; sl_map_next(&t->by_text, hash, &at, &i);)
        if (t->of.v[i].n == n && (!n || !memcmp(t->of.v[i].s, s, n)))
            return i + 1;
    return 0;
}

uint32_t sl_intern_find(const struct sl_intern *t, const char *s, size_t n)
{
    return find(t, s, n, sl_hash(s, n));
}

uint32_t sl_intern(struct sl_intern *t, const char *s, size_t n)
{
    uint64_t hash = sl_hash(s, n);
    uint32_t id = find(t, s, n, hash);

    if (id)
        return id;
    sl_map_add(&t->by_text, hash, (uint32_t)t->of.n);
    *sl_vec_add(&t->of) = (typeof(*t->of.v)){sl_arena_copy(&t->text, s, n), n};
    return (uint32_t)t->of.n;
}

const char *sl_intern_text(const struct sl_intern *t, uint32_t id)
{
    return t->of.v[id - 1].s;
}

size_t sl_intern_len(const struct sl_intern *t, uint32_t id)
{
    return t->of.v[id - 1].n;
}

void sl_intern_free(struct sl_intern *t)
{
    sl_arena_free(&t->text);
    sl_vec_free(&t->of);
    sl_map_free(&t->by_text);
    *t = (struct sl_intern){0};
}
