/* SPDX-License-Identifier: Apache-2.0 */
/* Ids of the store to indices.  Zero-initialise, sl_vec_add() ids in ascending order, sl_idmap_finish(), then find. */
#ifndef SL_ANALYSE_LOAD_IDMAP_H
#define SL_ANALYSE_LOAD_IDMAP_H

#include "base/mem.h"

#include <stdbool.h>

#define SL_NO_INDEX UINT32_MAX /* no index: at most SL_NO_INDEX ids */

struct sl_idmap {
    int64_t *v; /* ascending, each once */
    size_t n, cap;
    uint32_t *at; /* id - v[0] -> index, where there are few gaps; NULL: none (whole) or too many */
    bool whole;   /* v[i] is v[0] + i */
};

void sl_idmap_finish(struct sl_idmap *m);
uint32_t sl_idmap_search(const struct sl_idmap *m, int64_t id);
void sl_idmap_free(struct sl_idmap *m);

/* The index of id in v; SL_NO_INDEX: it is not there. */
static inline uint32_t sl_idmap_find(const struct sl_idmap *m, int64_t id)
{
    if (!m->n || id < m->v[0] || id > m->v[m->n - 1])
        return SL_NO_INDEX;
    if (m->whole)
        return (uint32_t)((uint64_t)id - (uint64_t)m->v[0]);
    return m->at ? m->at[(uint64_t)id - (uint64_t)m->v[0]] : sl_idmap_search(m, id);
}

#endif
