/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/batch.h"
#include "base/hash.h"
#include "base/mem.h"

#include <pthread.h>
#include <stdlib.h>

/*
 * Batches are used again: they wander from one thread to another, and allocators keep what a thread frees for another.
 */
static struct {
    pthread_mutex_t lock;
    struct sl_batch *head;
    int n;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

#ifdef SL_ASAN
enum { POOL = 0 }; /* so that using a batch after it was freed is seen */
#else
enum { POOL = 16 };
#endif

struct sl_batch *sl_batch_new(void)
{
    struct sl_batch *b;

    pthread_mutex_lock(&pool.lock);
    if ((b = pool.head)) {
        pool.head = b->next;
        pool.n--;
    }
    pthread_mutex_unlock(&pool.lock);
    if (!b)
        b = sl_alloc(sizeof *b);
    b->next = NULL;
    b->last_record = INT64_MIN;
    return b;
}

static void empty(struct sl_batch *b)
{
    sl_vec_clear(&b->spans);
    sl_vec_clear(&b->events);
    sl_vec_clear(&b->links);
    sl_vec_clear(&b->attrs);
    sl_vec_clear(&b->samples);
    sl_vec_clear(&b->rejects);
    sl_vec_clear(&b->raws);
    sl_vec_clear(&b->zones);
    sl_vec_clear(&b->shares);
    sl_vec_clear(&b->wrotes);
    sl_arena_reset(&b->arena);
    b->read = b->used = b->skipped = b->rejected = 0;
    b->part = NULL;
    sl_map_clear(&b->by_identity);
}

void sl_batch_free(struct sl_batch *b)
{
    if (!b)
        return;
    pthread_mutex_lock(&pool.lock);
    if (pool.n < POOL) {
        empty(b);
        b->next = pool.head;
        pool.head = b;
        pool.n++;
        b = NULL;
    }
    pthread_mutex_unlock(&pool.lock);
    if (!b)
        return;
    sl_vec_free(&b->spans);
    sl_vec_free(&b->events);
    sl_vec_free(&b->links);
    sl_vec_free(&b->attrs);
    sl_vec_free(&b->samples);
    sl_vec_free(&b->rejects);
    sl_vec_free(&b->raws);
    sl_vec_free(&b->zones);
    sl_vec_free(&b->shares);
    sl_vec_free(&b->wrotes);
    sl_arena_free(&b->arena);
    sl_map_free(&b->by_identity);
    free(b);
}

uint64_t sl_key_hash(uint64_t parent, uint32_t type, struct sl_key key)
{
    uint64_t h = sl_hash_mix(parent, type);
    return key.n == SL_KEY_INT ? sl_hash_mix(h, (uint64_t)key.i) : sl_hash_mix(h, sl_hash(key.s, key.n));
}

struct sl_key sl_key_of(const char *s, size_t n)
{
    int64_t v = 0; /* as a negative number: there is one more of them */
    size_t i = n && s[0] == '-';

    if (n == i || n > 19 + i || (s[i] == '0' && (n > i + 1 || i)))
        return (struct sl_key){(uint32_t)n, {.s = s}};
    for (size_t k = i; k < n; k++)
        if (s[k] < '0' || s[k] > '9' || __builtin_mul_overflow(v, 10, &v) || __builtin_sub_overflow(v, s[k] - '0', &v))
            return (struct sl_key){(uint32_t)n, {.s = s}};
    if (!i && v == INT64_MIN)
        return (struct sl_key){(uint32_t)n, {.s = s}};
    return (struct sl_key){SL_KEY_INT, {.i = i ? v : -v}};
}

static bool same(const struct sl_batch_span *s, int32_t parent, uint32_t type, struct sl_key key)
{
    return s->parent == parent && s->type == type && s->key.n == key.n &&
           (key.n == SL_KEY_INT ? s->key.i == key.i : memcmp(s->key.s, key.s, key.n) == 0);
}

uint32_t sl_batch_span(struct sl_batch *b, int32_t parent, uint32_t type, struct sl_key key)
{
    uint64_t h = sl_key_hash((uint64_t)(int64_t)parent, type, key);
    size_t at = h;

    for (uint32_t i; sl_map_next(&b->by_identity, h, &at, &i);)
        if (same(&b->spans.v[i], parent, type, key))
            return i;
    if (key.n != SL_KEY_INT)
        key.s = sl_arena_copy(&b->arena, key.s, key.n);
    *sl_vec_add(&b->spans) = (struct sl_batch_span){parent, type, key, false, false};
    sl_map_add(&b->by_identity, h, (uint32_t)b->spans.n - 1);
    return (uint32_t)b->spans.n - 1;
}
