/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/variables.h"
#include "base/hash.h"

#include <stdlib.h>

static size_t variable_find(const struct sl_variables *k, int value, int by, const char *of, size_t n, uint64_t h)
{
    size_t i = h & (k->slots - 1);

    for (; k->slot[i]; i = (i + 1) & (k->slots - 1)) {
        const struct sl_kept *e = &k->v.v[k->slot[i] - 1];
        if (e->hash == h && e->value == value && e->by == by && e->nof == n && !memcmp(e->of, of, n))
            break;
    }
    return i;
}

static uint64_t variable_hash(int value, int by, const char *of, size_t n)
{
    return sl_hash_mix(sl_hash(of, n), (uint64_t)value << 32 | (uint32_t)by);
}

void sl_variables_put(struct sl_variables *k, int value, int by, const char *of, size_t n, const char *is, size_t nis)
{
    uint64_t h = variable_hash(value, by, of, n);
    struct sl_kept *e;
    size_t i;

    if (k->v.n * 2 >= k->slots) {
        free(k->slot);
        k->slots = k->slots ? k->slots * 2 : 64;
        k->slot = sl_alloc(k->slots * sizeof *k->slot);
        for (uint32_t m = 0; m < k->v.n; m++) {
            size_t at = k->v.v[m].hash & (k->slots - 1);
            while (k->slot[at])
                at = (at + 1) & (k->slots - 1);
            k->slot[at] = m + 1;
        }
    }
    i = variable_find(k, value, by, of, n, h);
    if (!k->slot[i]) {
        e = sl_vec_add(&k->v);
        *e = (struct sl_kept){value, by, sl_arena_copy(&k->arena, of, n), NULL, (uint32_t)n, 0, h};
        k->slot[i] = (uint32_t)k->v.n;
    }
    e = &k->v.v[k->slot[i] - 1];
    if (!e->is || e->nis != nis || memcmp(e->is, is, nis) != 0) {
        e->is = sl_arena_copy(&k->arena, is, nis);
        e->nis = (uint32_t)nis;
    }
}

const struct sl_kept *sl_variables_get(const struct sl_variables *k, int value, int by, const char *of, size_t n)
{
    size_t i;

    if (!k->slots)
        return NULL;
    i = variable_find(k, value, by, of, n, variable_hash(value, by, of, n));
    return k->slot[i] ? &k->v.v[k->slot[i] - 1] : NULL;
}

void sl_variables_free(struct sl_variables *k)
{
    sl_arena_free(&k->arena);
    sl_vec_free(&k->v);
    free(k->slot);
}
