/* SPDX-License-Identifier: Apache-2.0 */
#include "base/set.h"
#include "base/hash.h"

#include <stdlib.h>

static uint64_t *find(const struct sl_set *s, uint64_t member)
{
    size_t at = sl_hash_mix(0, member) & (s->slots - 1);

    while (s->slot[at] && s->slot[at] != member)
        at = (at + 1) & (s->slots - 1);
    return &s->slot[at];
}

bool sl_set_add(struct sl_set *s, uint64_t member)
{
    uint64_t *at;

    if (s->v.n * 2 >= s->slots) {
        free(s->slot);
        s->slots = s->slots ? s->slots * 2 : 64;
        s->slot = sl_alloc(s->slots * sizeof *s->slot);
        for (size_t i = 0; i < s->v.n; i++)
            *find(s, s->v.v[i]) = s->v.v[i];
    }
    at = find(s, member);
    if (*at)
        return false;
    *at = *sl_vec_add(&s->v) = member;
    return true;
}

bool sl_set_has(const struct sl_set *s, uint64_t member)
{
    return s->slots && *find(s, member) == member;
}

void sl_set_clear(struct sl_set *s)
{
    if (s->v.n)
        memset(s->slot, 0, s->slots * sizeof *s->slot);
    sl_vec_clear(&s->v);
}

void sl_set_free(struct sl_set *s)
{
    sl_vec_free(&s->v);
    free(s->slot);
    *s = (struct sl_set){0};
}
