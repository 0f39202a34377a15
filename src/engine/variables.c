/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/variables.h"
#include "base/hash.h"

#include <stdlib.h>

static struct sl_kept *variable_find(const struct sl_variables *k, int value, int by, const char *of, size_t n,
                                     uint64_t h)
{
    size_t at = h;

    for (uint32_t i; sl_map_next(&k->map, h, &at, &i);) {
        struct sl_kept *e = &k->v.v[i];
        if (e->value == value && e->by == by && e->nof == n && !memcmp(e->of, of, n))
            return e;
    }
    return NULL;
}

static uint64_t variable_hash(int value, int by, const char *of, size_t n)
{
    return sl_hash_mix(sl_hash(of, n), (uint64_t)value << 32 | (uint32_t)by);
}

void sl_variables_put(struct sl_variables *k, int value, int by, const char *of, size_t n, const char *is, size_t nis)
{
    uint64_t h = variable_hash(value, by, of, n);
    struct sl_kept *e = variable_find(k, value, by, of, n, h);

    while (k->any.n <= (size_t)value)
        sl_vec_add(&k->any);
    k->any.v[value] = true;
    if (!e) {
        sl_map_add(&k->map, h, (uint32_t)k->v.n);
        e = sl_vec_add(&k->v);
        *e = (struct sl_kept){.value = value, .by = by, .of = sl_arena_copy(&k->arena, of, n), .nof = (uint32_t)n};
    }
    if (!e->is || e->nis != nis || memcmp(e->is, is, nis) != 0) {
        e->is = sl_arena_copy(&k->arena, is, nis);
        e->nis = (uint32_t)nis;
    }
}

const struct sl_kept *sl_variables_get(const struct sl_variables *k, int value, int by, const char *of, size_t n)
{
    return variable_find(k, value, by, of, n, variable_hash(value, by, of, n));
}

void sl_variables_free(struct sl_variables *k)
{
    sl_arena_free(&k->arena);
    sl_vec_free(&k->v);
    sl_vec_free(&k->any);
    sl_map_free(&k->map);
}
