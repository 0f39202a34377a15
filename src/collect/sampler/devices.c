/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Disks (/proc/diskstats: https://docs.kernel.org/admin-guide/iostats.html) and network interfaces (/proc/net/dev).
 * They come and go.  One that is new counts from when it is first seen: what it did before may have been for others.
 */
#include "collect/sampler/sampler_internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

enum { FORGET_ABOVE = 512 }; /* a host of containers makes interfaces all day, each of a new name */

/* What went away is in sums only from now on. */
static void forget_gone(struct devices *d)
{
    size_t n = 0;

    for (size_t i = 0; i < d->n; i++) {
        struct device *v = &d->v[i];
        if (v->seen + 1 >= d->generation) {
            d->v[n++] = *v;
        } else {
            d->gone[v->whole][0] += v->read.total;
            d->gone[v->whole][1] += v->write.total;
        }
    }
    d->n = n;
}

/* The lines come in the same order as before, so that the one at `guess`, behind the last, is it. */
static struct device *find(struct devices *d, const char *name, size_t n, size_t *guess, bool *is_new)
{
    *is_new = false;
    if (!n || n >= sizeof d->v->name || memchr(name, 0, n))
        return NULL;
    for (size_t k = 0; k < d->n; k++) {
        struct device *v = &d->v[(*guess + k) % d->n];
        if (memcmp(v->name, name, n) || v->name[n])
            continue;
        *guess = (size_t)(v - d->v) + 1;
        return v;
    }
    if (d->n >= FORGET_ABOVE)
        forget_gone(d);
    if (d->n == d->cap) {
        size_t cap = d->cap ? d->cap * 2 : 16;
        struct device *v = read_realloc(d->v, cap * sizeof *v);
        if (!v)
            return NULL;
        d->v = v;
        d->cap = cap;
    }
    *is_new = true;
    d->v[d->n] = (struct device){0};
    memcpy(d->v[d->n].name, name, n);
    return &d->v[d->n++];
}

/* What was away counts from now on. */
static void begin_anew_if_away(const struct devices *d, struct device *v)
{
    if (v->seen + 1 < d->generation)
        v->read.begun = v->write.begun = v->reads.begun = v->writes.begun = v->busy_ms.begun = false;
    v->seen = d->generation;
}

/* Of which kind there is, or was, any. */
static void note_kinds(struct devices *d)
{
    for (size_t i = 0; i < d->n; i++)
        d->any[d->v[i].whole] = true;
}

/* ---- which disks count in the sum: each byte once, where it reaches a device ---- */

static bool begins(const char *name, const char *with)
{
    return !strncmp(name, with, strlen(with));
}

static const char *past_digits(const char *s)
{
    while (isdigit((unsigned char)*s))
        s++;
    return s;
}

/* sda1 of sda, nvme0n1p2 of nvme0n1, mmcblk0p1 of mmcblk0 */
static bool is_partition_of(const char *name, const char *disk)
{
    size_t n = strlen(disk);
    const char *rest = name + n;

    if (!begins(name, disk))
        return false;
    if (isdigit((unsigned char)disk[n - 1]) && *rest++ != 'p')
        return false;
    return *rest && !*past_digits(rest);
}

/* nvme0c1n1 is a path to what nvme0n1 is: the paths do the work. */
static bool is_nvme_path_of(const char *name, const char *head)
{
    const char *a = name, *b = head;

    if (!begins(a, "nvme") || !begins(b, "nvme"))
        return false;
    a = past_digits(a + 4);
    b = past_digits(b + 4);
    if (a - name != b - head || strncmp(name, head, (size_t)(a - name)) || *a != 'c')
        return false;
    return !strcmp(past_digits(a + 1), b);
}

/* These lie on other devices, or in memory. */
static bool is_stacked(const char *name)
{
    static const char *const kinds[] = {"dm-", "md", "loop", "ram", "zram", "bcache", "drbd", "zd"};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (begins(name, kinds[i]) && !isalpha((unsigned char)name[strlen(kinds[i])]))
            return true;
    return false;
}

static void classify_disk(struct devices *d, struct device *added)
{
    added->whole = !is_stacked(added->name);
    for (size_t i = 0; i < d->n; i++) {
        struct device *v = &d->v[i];
        if (is_partition_of(added->name, v->name) || is_nvme_path_of(v->name, added->name))
            added->whole = false;
        if (is_partition_of(v->name, added->name) || is_nvme_path_of(added->name, v->name))
            v->whole = false;
    }
}

/* ---- the files ---- */

void disks_parse(struct devices *d, const struct text *t, struct oddities *odd)
{
    enum {
        READS,
        READ_MERGED,
        SECTORS_READ,
        READ_MS,
        WRITES,
        WRITE_MERGED,
        SECTORS_WRITTEN,
        WRITE_MS,
        IN_FLIGHT,
        BUSY_MS,
        FIELDS
    };
    struct scan s = scan_text(t), line;
    size_t at = 0;

    d->generation++;
    d->is_there = true;
    while (scan_line(&s, &line)) {
        uint64_t device[2], x[FIELDS];
        const char *name;
        struct device *v;
        bool is_new, anew;
        if (scan_uints(&line, device, 2) != 2)
            continue;
        scan_blanks(&line);
        for (name = line.at; line.at < line.end && *line.at != ' ';)
            line.at++;
        v = find(d, name, (size_t)(line.at - name), &at, &is_new);
        if (!v || scan_uints(&line, x, FIELDS) != FIELDS) { /* partitions of Linux before 2.6.25 have four numbers */
            if (is_new)
                d->n--;
            continue;
        }
        if (is_new)
            classify_disk(d, v);
        begin_anew_if_away(d, v);
        anew = v->reads.begun && (x[READS] < v->reads.last || x[WRITES] < v->writes.last);
        counter_add_pair(&v->read, x[SECTORS_READ], &v->reads, x[READS], odd);
        counter_add_pair(&v->write, x[SECTORS_WRITTEN], &v->writes, x[WRITES], odd);
        /* 32 bits in all kernels: 49 days */
        counter_add(&v->busy_ms, x[BUSY_MS], anew ? LESS_RESET : LESS_WRAP_32, odd);
        v->has_busy = true;
        v->active |= x[READS] || x[WRITES];
    }
    note_kinds(d);
}

void nets_parse(struct devices *d, const struct text *t, struct oddities *odd)
{
    enum { RECEIVED, RECEIVED_PACKETS, SENT = 8, SENT_PACKETS, FIELDS };
    struct scan s = scan_text(t), line;
    size_t at = 0;

    d->generation++;
    d->is_there = true;
    while (scan_line(&s, &line)) {
        uint64_t x[FIELDS];
        const char *name, *colon;
        struct device *v;
        bool is_new;
        scan_blanks(&line);
        name = line.at;
        if (!(colon = memrchr(name, ':', (size_t)(line.end - name))))
            continue; /* the two lines on top */
        line.at = colon + 1;
        if (scan_uints(&line, x, FIELDS) != FIELDS || !(v = find(d, name, (size_t)(colon - name), &at, &is_new)))
            continue;
        if (is_new)
            v->whole = strcasecmp(v->name, "lo") && !strcasestr(v->name, "loopback");
        begin_anew_if_away(d, v);
        counter_add_pair(&v->read, x[RECEIVED], &v->reads, x[RECEIVED_PACKETS], odd);
        counter_add_pair(&v->write, x[SENT], &v->writes, x[SENT_PACKETS], odd);
        v->active |= x[RECEIVED] || x[SENT];
    }
    note_kinds(d);
}

void devices_sum(const struct devices *d, bool whole, uint64_t *read, uint64_t *write)
{
    *read = d->gone[whole][0];
    *write = d->gone[whole][1];
    for (size_t i = 0; i < d->n; i++)
        if (d->v[i].whole == whole) {
            *read += d->v[i].read.total;
            *write += d->v[i].write.total;
        }
}

void devices_free(struct devices *d)
{
    free(d->v);
    *d = (struct devices){0};
}
