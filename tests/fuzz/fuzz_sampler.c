/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts of /proc and /sys, which containers (lxcfs) make, too: the first byte says of which file, and lines with \x1e
 * alone part readings that follow each other.  Counters never go back, and percentages are from 0 to 100.
 */
#include "collect/sampler/sampler_internal.h"

#include "fuzz.h"

#include <math.h>

static struct oddities odd;

static bool percentage(double x)
{
    return isnan(x) || (x >= 0 && x <= 100);
}

static void cpus(struct cpus *c, const struct text *t)
{
    uint64_t before[CPU_TIMES];

    memcpy(before, c->total, sizeof before);
    cpus_parse(c, t, true, &odd);
    for (int i = 0; i < CPU_TIMES; i++)
        MUST(c->total[i] >= before[i]);
    for (size_t i = 0; i < c->ncpu; i++)
        MUST(percentage(c->pct[i]));
    MUST(percentage(c->avg) && percentage(c->min) && percentage(c->max) && (size_t)c->online <= c->ncpu);
}

static void devices(struct devices *d, const struct text *t, bool disks)
{
    uint64_t before[2], after[2];

    devices_sum(d, false, &before[0], &before[1]);
    (disks ? disks_parse : nets_parse)(d, t, &odd);
    devices_sum(d, false, &after[0], &after[1]);
    for (size_t i = 0; i < d->n; i++)
        MUST(memchr(d->v[i].name, 0, sizeof d->v[i].name) && *d->v[i].name);
    if (!disks) /* a disk that turns out to have partitions goes from one sum to the other */
        MUST(after[0] >= before[0] && after[1] >= before[1]);
}

static void process(const struct text *t)
{
    struct process_status status;
    struct process_stat stat;
    struct process_io io = {0};

    if (process_stat_parse(&stat, t))
        MUST(stat.pid >= 0 && stat.ppid >= 0 && memchr(stat.name, 0, sizeof stat.name));
    process_io_parse(&io, t);
    process_status_parse(&status, t);
    MUST(process_pss_parse(t) >= -1);
}

static void groups(const struct text *t)
{
    struct cgroup_place place[CGROUP_PLACES];

    cgroup_places_parse(place, t, t);
    for (int i = 0; i < CGROUP_PLACES; i++)
        MUST(memchr(place[i].dir, 0, sizeof place[i].dir) && memchr(place[i].path, 0, sizeof place[i].path) &&
             (!*place[i].dir || !strncmp(place[i].dir, place[i].mount, strlen(place[i].mount))));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct devices disks = {0}, nets = {0};
    struct memory memory;
    struct cpus c = {0};
    const uint8_t *at, *end = data + size;
    int which;

    if (!size)
        return 0;
    which = *data % 6;
    for (at = data + 1; at < end;) {
        const uint8_t *stop = memchr(at, 0x1e, (size_t)(end - at));
        size_t n = (size_t)((stop ? stop : end) - at);
        char *s = malloc(n + 1);
        struct text t = {s, n, n + 1};
        memcpy(s, at, n);
        s[n] = 0; /* as text_read_fd() leaves it */
        switch (which) {
        case 0: cpus(&c, &t); break;
        case 1: memory_parse(&memory, &t); break;
        case 2: devices(&disks, &t, true); break;
        case 3: devices(&nets, &t, false); break;
        case 4: process(&t); break;
        default: groups(&t);
        }
        free(s);
        at += n + 1;
    }
    cpus_free(&c);
    devices_free(&disks);
    devices_free(&nets);
    return 0;
}
