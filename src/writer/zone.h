/* SPDX-License-Identifier: Apache-2.0 */
/* What local times mean, per root span: an offset, or several in turn where daylight saving began or ended. */
#ifndef SL_WRITER_ZONE_H
#define SL_WRITER_ZONE_H

#include "base/map.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>

struct sl_zone_step {
    int64_t since_ns, until_ns; /* UTC: seen first and last; the first step holds before, the last behind, too */
    int32_t offset_s;           /* local = UTC + offset */
    uint32_t id;                /* in sl_zone; 0: not used yet */
};

struct sl_zone_steps {
    uint32_t root; /* index of the root span; UINT32_MAX: dropped */
    const char *how;
    bool learned;                     /* from records, not assumed */
    SL_VEC(struct sl_zone_step) step; /* in order of time */
};

struct sl_zones {
    SL_VEC(struct sl_zone_steps *) v;
    struct sl_map by_root;
    struct sl_zone_steps *last; /* found last: sources ask for one root again and again */
};

struct sl_zone_steps *sl_zones_get(struct sl_zones *z, uint32_t root); /* NULL: none */
/* Records say that from since_ns to until_ns the offset was this.  In any order. */
void sl_zones_learn(struct sl_zones *z, uint32_t root, int64_t since_ns, int64_t until_ns, int32_t offset_s);
struct sl_zone_steps *sl_zones_copy(struct sl_zones *z, uint32_t root, const struct sl_zone_steps *of, const char *how);
struct sl_zone_steps *sl_zones_set(struct sl_zones *z, uint32_t root, int32_t offset_s, const char *how, bool learned);
void sl_zones_drop(struct sl_zones *z, uint32_t root);
/* The step in force at a local time. */
struct sl_zone_step *sl_zone_step_of(struct sl_zone_steps *z, int64_t local_ns);
void sl_zones_free(struct sl_zones *z);

#endif
