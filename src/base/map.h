/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hash map from what a caller can hash and compare to indices of an array of the caller's (open addressing):
 *
 *     size_t at = hash;
 *     for (uint32_t i; sl_map_next(&map, hash, &at, &i);)
 *         if (array[i] is it)
 *             return i;
 *     sl_map_add(&map, hash, new index);
 *
 * Zero-initialise; free with sl_map_free().  Nothing is taken out again.
 */
#ifndef SL_BASE_MAP_H
#define SL_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_map {
    struct {
        uint32_t hash, index; /* index: plus 1; 0: free */
    } * slot;
    size_t slots, n;
};

/* The next index that was added with this hash; at: the hash, at first.  False: there is no more. */
static inline bool sl_map_next(const struct sl_map *m, uint64_t hash, size_t *at, uint32_t *index)
{
    size_t mask = m->slots - 1;

    if (!m->slots)
        return false;
    for (size_t i = *at & mask; m->slot[i].index; i = (i + 1) & mask)
        if (m->slot[i].hash == (uint32_t)hash) {
            *index = m->slot[i].index - 1;
            *at = i + 1;
            return true;
        }
    return false;
}

void sl_map_add(struct sl_map *m, uint64_t hash, uint32_t index);
void sl_map_clear(struct sl_map *m); /* keeps its memory */
void sl_map_free(struct sl_map *m);

#endif
