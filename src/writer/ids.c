/* SPDX-License-Identifier: Apache-2.0 */
#include "writer/ids.h"
#include "base/hash.h"

#include <stdlib.h>

struct sl_key sl_ids_key(const struct sl_id *s)
{
    if (s->type & SL_ID_TEXT)
        return (struct sl_key){s->key.s->n, {.s = s->key.s->s}};
    return (struct sl_key){SL_KEY_INT, {.i = s->key.i}};
}

/* Any number of slots will do, so that the table can grow by a quarter: at ten million spans a doubling hurts. */
static uint64_t home(const struct sl_ids *t, uint64_t hash)
{
    return (uint64_t)((unsigned __int128)hash * t->slots >> 64);
}

static uint8_t tag_of(uint64_t hash)
{
    return (uint8_t)(hash | 1);
}

/* Where it is, or, as the slot is free, where it belongs. */
static uint64_t slot_of(const struct sl_ids *t, uint64_t hash, uint32_t parent, uint32_t type, struct sl_key key)
{
    uint8_t tag = tag_of(hash);
    uint64_t i = home(t, hash);

    for (; t->tag[i]; i = i + 1 == t->slots ? 0 : i + 1) {
        const struct sl_id *s = &t->v[t->slot[i]];
        if (t->tag[i] != tag || s->parent != parent || (s->type & SL_ID_TYPE) != type ||
            !(s->type & SL_ID_TEXT) != (key.n == SL_KEY_INT))
            continue;
        if (key.n == SL_KEY_INT ? s->key.i == key.i : s->key.s->n == key.n && !memcmp(s->key.s->s, key.s, key.n))
            break;
    }
    return i;
}

uint32_t sl_ids_find(const struct sl_ids *t, uint32_t parent, uint32_t type, struct sl_key key)
{
    uint64_t at;

    if (!t->slots)
        return UINT32_MAX;
    at = slot_of(t, sl_key_hash(parent + 1, type, key), parent + 1, type, key);
    return t->tag[at] ? t->slot[at] : UINT32_MAX;
}

void sl_ids_rehash(struct sl_ids *t)
{
    free(t->slot);
    free(t->tag);
    t->slot = sl_alloc(t->slots * sizeof *t->slot);
    t->tag = sl_alloc(t->slots);
    for (uint32_t i = 0; i < t->n; i++) {
        const struct sl_id *s = &t->v[i];
        uint64_t hash = sl_key_hash(s->parent, s->type & SL_ID_TYPE, sl_ids_key(s)), at = home(t, hash);
        while (t->tag[at])
            at = at + 1 == t->slots ? 0 : at + 1;
        t->slot[at] = i;
        t->tag[at] = tag_of(hash);
    }
}

static void grow(struct sl_ids *t)
{
    t->slots = t->slots < 1 << 20 ? (t->slots ? t->slots * 2 : 1024) : t->slots + t->slots / 4;
    sl_ids_rehash(t);
}

uint32_t sl_ids_add(struct sl_ids *t, uint32_t parent, uint32_t type, struct sl_key key)
{
    uint64_t at, hash = sl_key_hash(parent + 1, type, key);
    struct sl_id *s;

    if ((uint64_t)t->n * 10 >= t->slots * 7)
        grow(t);
    at = slot_of(t, hash, parent + 1, type, key);
    if (t->tag[at])
        return t->slot[at];
    if (t->n == t->cap) {
        t->cap = t->cap ? t->cap + t->cap / 2 : 1024;
        t->v = sl_realloc(t->v, (size_t)t->cap * sizeof *t->v);
    }
    s = &t->v[t->n];
    *s = (struct sl_id){.parent = parent + 1, .type = type};
    if (key.n == SL_KEY_INT) {
        s->key.i = key.i;
    } else {
        struct sl_id_text *x = sl_arena_alloc(&t->arena, sizeof *x + key.n + 1);
        x->n = key.n;
        memcpy(x->s, key.s, key.n);
        x->s[key.n] = 0;
        s->key.s = x;
        s->type |= SL_ID_TEXT;
    }
    t->slot[at] = t->n;
    t->tag[at] = tag_of(hash);
    return t->n++;
}

uint32_t sl_ids_root(const struct sl_ids *t, uint32_t i)
{
    while (t->v[i].parent)
        i = t->v[i].parent - 1;
    return i;
}

/* ---- facets ---- */

bool sl_ids_paired(const struct sl_ids *t, uint32_t a, uint32_t b)
{
    return t->v[a].partner == b + 1 || sl_set_has(&t->pairs, (uint64_t)a << 32 | b);
}

/* The first of a, index + 1; 0: none. */
static uint32_t first_of(const struct sl_ids *t, uint32_t a)
{
    uint64_t hash = sl_hash_mix(0, a);
    size_t at = hash;

    for (uint32_t i; sl_map_next(&t->first, hash, &at, &i);)
        if (t->partners.v[i].a == a)
            return i + 1;
    return 0;
}

static void add_partner(struct sl_ids *t, uint32_t a, uint32_t b)
{
    uint32_t first = first_of(t, a), now = (uint32_t)t->partners.n + 1;

    *sl_vec_add(&t->partners) = (struct sl_id_pair){a, b, 0, now};
    if (first) {
        struct sl_id_pair *f = &t->partners.v[first - 1];
        t->partners.v[f->last - 1].next = now;
        f->last = now;
    } else {
        sl_map_add(&t->first, sl_hash_mix(0, a), now - 1);
    }
}

bool sl_ids_pair(struct sl_ids *t, uint32_t a, uint32_t b)
{
    if (a == b || sl_ids_paired(t, a, b))
        return false;
    for (int side = 0; side < 2; side++) {
        uint32_t x = side ? b : a, y = side ? a : b;
        if (!t->v[x].partner)
            t->v[x].partner = y + 1;
        else if (!sl_ids_paired(t, x, y) && sl_set_add(&t->pairs, (uint64_t)x << 32 | y))
            add_partner(t, x, y);
    }
    return true;
}

uint32_t sl_ids_partner(const struct sl_ids *t, uint32_t a, uint32_t *at)
{
    uint32_t now = *at;

    if (!now) {
        *at = 1 + first_of(t, a);
        return t->v[a].partner - 1; /* UINT32_MAX where there is none */
    }
    if (now == 1)
        return UINT32_MAX;
    *at = 1 + t->partners.v[now - 2].next;
    return t->partners.v[now - 2].b;
}

void sl_ids_free(struct sl_ids *t)
{
    free(t->v);
    free(t->slot);
    free(t->tag);
    sl_arena_free(&t->arena);
    sl_vec_free(&t->partners);
    sl_set_free(&t->pairs);
    sl_map_free(&t->first);
    *t = (struct sl_ids){0};
}
