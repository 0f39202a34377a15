/* SPDX-License-Identifier: Apache-2.0 */
#include "base/intern.h"
#include "base/hash.h"

#include <stdlib.h>

static size_t find(const struct sl_intern *t, const char *s, size_t n)
{
    size_t i = sl_hash(s, n) & (t->slots - 1);

    while (t->slot[i] && (t->of.v[t->slot[i] - 1].n != n || (n && memcmp(t->of.v[t->slot[i] - 1].s, s, n) != 0)))
        i = (i + 1) & (t->slots - 1);
    return i;
}

static void grow(struct sl_intern *t)
{
    free(t->slot);
    t->slots = t->slots ? t->slots * 2 : 64;
    t->slot = sl_alloc(t->slots * sizeof *t->slot);
    for (size_t i = 0; i < t->of.n; i++)
        t->slot[find(t, t->of.v[i].s, t->of.v[i].n)] = (uint32_t)i + 1;
}

uint32_t sl_intern_find(const struct sl_intern *t, const char *s, size_t n)
{
    return t->slots ? t->slot[find(t, s, n)] : 0;
}

uint32_t sl_intern(struct sl_intern *t, const char *s, size_t n)
{
    uint32_t id = sl_intern_find(t, s, n);

    if (id)
        return id;
    if ((t->of.n + 1) * 2 > t->slots)
        grow(t);
    *sl_vec_add(&t->of) = (typeof(*t->of.v)){sl_arena_copy(&t->text, s, n), n};
    t->slot[find(t, s, n)] = (uint32_t)t->of.n;
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
    free(t->slot);
    *t = (struct sl_intern){0};
}
