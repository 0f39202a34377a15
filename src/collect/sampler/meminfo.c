/* SPDX-License-Identifier: Apache-2.0 */
/* /proc/meminfo: proc_meminfo(5) */
#include "collect/sampler/sampler_internal.h"

void memory_parse(struct memory *m, const struct text *t)
{
    static const struct {
        const char *key;
        size_t at;
    } keys[] = {
        {"MemTotal:", offsetof(struct memory, total)},         {"MemFree:", offsetof(struct memory, free)},
        {"MemAvailable:", offsetof(struct memory, available)}, {"Buffers:", offsetof(struct memory, buffers)},
        {"Cached:", offsetof(struct memory, cached)},          {"SwapTotal:", offsetof(struct memory, swap_total)},
        {"SwapFree:", offsetof(struct memory, swap_free)},     {"Dirty:", offsetof(struct memory, dirty)},
        {"Shmem:", offsetof(struct memory, shared)},           {"Slab:", offsetof(struct memory, slab)},
    };
    enum { KEYS = sizeof keys / sizeof *keys };
    struct scan s = scan_text(t), line;
    size_t next = 0; /* they come in this order */

    *m = (struct memory){-1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
    while (scan_line(&s, &line))
        for (size_t i = next; i < KEYS; i++) {
            uint64_t kb;
            if (*keys[i].key != *line.at || !scan_word(&line, keys[i].key))
                continue;
            if (scan_uint(&line, &kb) && kb <= INT64_MAX)
                *(int64_t *)((char *)m + keys[i].at) = (int64_t)kb;
            next = i + 1;
            break;
        }
}
