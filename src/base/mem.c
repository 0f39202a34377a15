/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"
#include "base/files/temporary.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ARENA_BLOCK = 64 * 1024 };

struct sl_arena_block {
    struct sl_arena_block *next;
    size_t used, cap;
    _Alignas(8) char data[];
};

void sl_no_memory(size_t bytes)
{
    if (bytes)
        fprintf(stderr, "spanloom: out of memory (%zu bytes wanted)\n", bytes);
    else
        fputs("spanloom: out of memory\n", stderr);
    sl_temporary_clear();
    _exit(1);
}

void *sl_must(void *p)
{
    if (!p)
        sl_no_memory(0);
    return p;
}

static void *must(void *p, size_t bytes)
{
    if (!p && bytes)
        sl_no_memory(bytes);
    return p;
}

void *sl_alloc(size_t bytes)
{
    return must(calloc(1, bytes ? bytes : 1), bytes);
}

void *sl_realloc(void *p, size_t bytes)
{
    return must(realloc(p, bytes ? bytes : 1), bytes);
}

char *sl_strndup(const char *s, size_t n)
{
    char *p = sl_alloc(n + 1);
    memcpy(p, s, n);
    return p;
}

char *sl_strdup(const char *s)
{
    return sl_strndup(s, strlen(s));
}

void *sl_vec_grow(void *v, size_t *cap, size_t size)
{
    *cap = *cap ? *cap * 2 : 8;
    return sl_realloc(v, *cap * size);
}

void *sl_arena_alloc(struct sl_arena *a, size_t bytes)
{
    struct sl_arena_block *b = a->head;
    void *p;

    bytes = (bytes + 7) & ~(size_t)7;
    if (!b || b->cap - b->used < bytes) {
        size_t cap = bytes > ARENA_BLOCK ? bytes : ARENA_BLOCK;
        b = sl_realloc(NULL, sizeof *b + cap);
        b->next = a->head;
        b->used = 0;
        b->cap = cap;
        a->head = b;
    }
    p = b->data + b->used;
    b->used += bytes;
    a->bytes += bytes;
    return p;
}

char *sl_arena_copy(struct sl_arena *a, const void *s, size_t n)
{
    char *p = sl_arena_alloc(a, n + 1);
    if (n)
        memcpy(p, s, n);
    p[n] = 0;
    return p;
}

void sl_arena_reset(struct sl_arena *a)
{
    while (a->head && (a->head->next || a->head->cap > ARENA_BLOCK)) {
        struct sl_arena_block *b = a->head;
        a->head = b->next;
        free(b);
    }
    if (a->head)
        a->head->used = 0;
    a->bytes = 0;
}

void sl_arena_free(struct sl_arena *a)
{
    while (a->head) {
        struct sl_arena_block *b = a->head;
        a->head = b->next;
        free(b);
    }
    a->bytes = 0;
}
