/* SPDX-License-Identifier: Apache-2.0 */
/* Ids of an imported store have few gaps, so a plain table finds them; ids that users chose may need a binary search.
 */
#include "analyse/load/idmap.h"

#include <stdlib.h>

void sl_idmap_finish(struct sl_idmap *m)
{
    uint64_t range = m->n ? (uint64_t)m->v[m->n - 1] - (uint64_t)m->v[0] : UINT64_MAX;

    m->whole = m->n && range == m->n - 1;
    if (m->whole || range > 4 * (uint64_t)m->n + 1024)
        return;
    m->at = sl_realloc(NULL, (range + 1) * sizeof *m->at);
    memset(m->at, 0xff, (range + 1) * sizeof *m->at); /* SL_NO_INDEX */
    for (size_t i = 0; i < m->n; i++)
        m->at[(uint64_t)m->v[i] - (uint64_t)m->v[0]] = (uint32_t)i;
}

uint32_t sl_idmap_search(const struct sl_idmap *m, int64_t id)
{
    size_t low = 0, high = m->n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (m->v[mid] < id)
            low = mid + 1;
        else
            high = mid;
    }
    return low < m->n && m->v[low] == id ? (uint32_t)low : SL_NO_INDEX;
}

void sl_idmap_free(struct sl_idmap *m)
{
    free(m->at);
    sl_vec_free(m);
    *m = (struct sl_idmap){0};
}
