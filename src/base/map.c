/* SPDX-License-Identifier: Apache-2.0 */
#include "base/map.h"
#include "base/mem.h"

#include <stdlib.h>

static void put(struct sl_map *m, uint32_t hash, uint32_t index)
{
    size_t i = hash & (m->slots - 1);

    while (m->slot[i].index)
        i = (i + 1) & (m->slots - 1);
    m->slot[i].hash = hash;
    m->slot[i].index = index;
}

void sl_map_add(struct sl_map *m, uint64_t hash, uint32_t index)
{
    if (2 * (m->n + 1) > m->slots) {
        struct sl_map old = *m;
        m->slots = old.slots ? 2 * old.slots : 64;
        m->slot = sl_alloc(m->slots * sizeof *m->slot);
        for (size_t i = 0; i < old.slots; i++)
            if (old.slot[i].index)
                put(m, old.slot[i].hash, old.slot[i].index);
        free(old.slot);
    }
    m->n++;
    put(m, (uint32_t)hash, index + 1);
}

void sl_map_clear(struct sl_map *m)
{
    if (m->n)
        memset(m->slot, 0, m->slots * sizeof *m->slot);
    m->n = 0;
}

void sl_map_free(struct sl_map *m)
{
    free(m->slot);
    *m = (struct sl_map){0};
}
