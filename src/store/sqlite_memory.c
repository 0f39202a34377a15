/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SQLite asks for a small block for each word of a statement and each column of a schema: tens of thousands before the
 * first row.  Debian builds it without its lookaside, which would have them at hand.  Here a block waits in a list of
 * its thread for the next request of its size; larger ones are malloc's.  With AddressSanitizer all are, so that it
 * sees each.
 */
#include "base/mem.h"
#include "store/store.h"

#include <stdlib.h>

enum { HEAD = 8, STEP = 16, SIZES = 64, SMALL = STEP * SIZES, CHUNK = 64 << 10 };

#ifdef SL_ASAN
static const size_t small = 0;
#else
static const size_t small = SMALL;
#endif

/* SQLite gets what follows the size, aligned to 8 bytes, which is what it wants. */
struct block {
    size_t size;        /* with HEAD; a multiple of STEP */
    struct block *next; /* while it waits */
};

static _Thread_local struct {
    struct block *waiting[SIZES + 1]; /* by size / STEP */
    char *rest;                       /* of the newest chunk */
    size_t left;
} mine;

static struct block *block_of(void *p)
{
    return (struct block *)((char *)p - HEAD);
}

static void *content_of(struct block *b, size_t size)
{
    b->size = size;
    return (char *)b + HEAD;
}

static size_t with_head(int bytes)
{
    return ((size_t)bytes + HEAD + STEP - 1) / STEP * STEP;
}

static void *get(int bytes)
{
    size_t size = with_head(bytes);
    struct block *b;

    if (size > small)
        return content_of(sl_realloc(NULL, size), size);
    if ((b = mine.waiting[size / STEP])) {
        mine.waiting[size / STEP] = b->next;
        return content_of(b, size);
    }
    if (mine.left < size) {
        mine.rest = sl_realloc(NULL, CHUNK);
        mine.left = CHUNK;
    }
    b = (struct block *)mine.rest;
    mine.rest += size;
    mine.left -= size;
    return content_of(b, size);
}

static void give_back(void *p)
{
    struct block *b = block_of(p);

    if (b->size > small) {
        free(b);
        return;
    }
    b->next = mine.waiting[b->size / STEP];
    mine.waiting[b->size / STEP] = b;
}

static void *resize(void *p, int bytes)
{
    size_t size = with_head(bytes), had = block_of(p)->size;
    void *to;

    if (size == had)
        return p;
    if (size > small && had > small)
        return content_of(sl_realloc(block_of(p), size), size);
    to = get(bytes);
    memcpy(to, p, (size < had ? size : had) - HEAD);
    give_back(p);
    return to;
}

static int size_of(void *p)
{
    return (int)(block_of(p)->size - HEAD);
}

static int rounded(int bytes)
{
    return (int)(with_head(bytes) - HEAD);
}

void sl_store_memory(void)
{
    sqlite3_mem_methods ours;

    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); /* counting takes a lock for each block, and nobody asks */
    /* Each table that a statement keeps to itself would begin with twenty pages, and most of them have one. */
    sqlite3_config(SQLITE_CONFIG_PAGECACHE, NULL, 0, 0);
    if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &ours) != SQLITE_OK)
        return; /* it is in use */
    ours.xMalloc = get;
    ours.xRealloc = resize;
    ours.xFree = give_back;
    ours.xSize = size_of;
    ours.xRoundup = rounded;
    sqlite3_config(SQLITE_CONFIG_MALLOC, &ours);
}
