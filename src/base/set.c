/* SPDX-License-Identifier: Apache-2.0 */
#include "base/set.h"
#include "base/hash.h"

#include <stdlib.h>

static bool has(const struct sl_set *s, uint64_t member, uint64_t hash)
{
    size_t at = hash;

    for (uint32_t i; sl_map_next(&s->by_member, hash, &at, &i);)
        if (s->v.v[i] == member)
            return true;
    return false;
}

bool sl_set_add(struct sl_set *s, uint64_t member)
{
    uint64_t hash = sl_hash_mix(0, member);

    if (has(s, member, hash))
        return false;
    sl_map_add(&s->by_member, hash, (uint32_t)s->v.n);
    *sl_vec_add(&s->v) = member;
    return true;
}

bool sl_set_has(const struct sl_set *s, uint64_t member)
{
    return has(s, member, sl_hash_mix(0, member));
}

void sl_set_clear(struct sl_set *s)
{
    sl_map_clear(&s->by_member);
    sl_vec_clear(&s->v);
}

void sl_set_free(struct sl_set *s)
{
    sl_vec_free(&s->v);
    sl_map_free(&s->by_member);
}
