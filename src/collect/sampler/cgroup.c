/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The figures of a control group: https://docs.kernel.org/admin-guide/cgroup-v2.html and cgroup-v1/.  Machines mix
 * both: a controller is in one of them, so of each figure the first place that has it is taken.
 */
#include "collect/sampler/sampler_internal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define AT(field) offsetof(struct sl_cgroup_report, field)
#define US 1e-6
#define NS 1e-9
#define MB (1.0 / 1048576)

static const struct figure {
    int place;
    const char *file, *key; /* key: what its line begins with; NULL: the file is the number */
    size_t field;
    double unit; /* 0: ticks of the clock */
    bool counter;
} figures[] = {
    /* those of one file lie together */
    {CGROUP_CPUACCT, "cpuacct.usage", NULL, AT(cpu_s), NS, true},
    {CGROUP_CPUACCT, "cpuacct.usage_user", NULL, AT(cpu_user_s), NS, true},
    {CGROUP_CPUACCT, "cpuacct.usage_sys", NULL, AT(cpu_system_s), NS, true},
    {CGROUP_CPUACCT, "cpuacct.stat", "user ", AT(cpu_user_s), 0, true},
    {CGROUP_CPUACCT, "cpuacct.stat", "system ", AT(cpu_system_s), 0, true},
    {CGROUP_CPU, "cpu.stat", "nr_throttled ", AT(cpu_throttled), 1, true},
    {CGROUP_CPU, "cpu.stat", "throttled_time ", AT(cpu_throttled_s), NS, true},
    {CGROUP_V2, "cpu.stat", "usage_usec ", AT(cpu_s), US, true},
    {CGROUP_V2, "cpu.stat", "user_usec ", AT(cpu_user_s), US, true},
    {CGROUP_V2, "cpu.stat", "system_usec ", AT(cpu_system_s), US, true},
    {CGROUP_V2, "cpu.stat", "nr_throttled ", AT(cpu_throttled), 1, true},
    {CGROUP_V2, "cpu.stat", "throttled_usec ", AT(cpu_throttled_s), US, true},
    {CGROUP_V2, "memory.current", NULL, AT(memory_mb), MB, false},
    {CGROUP_V2, "memory.peak", NULL, AT(memory_peak_mb), MB, false},
    {CGROUP_V2, "memory.stat", "anon ", AT(memory_anon_mb), MB, false},
    {CGROUP_V2, "memory.stat", "file ", AT(memory_file_mb), MB, false},
    {CGROUP_V2, "memory.swap.current", NULL, AT(swap_mb), MB, false},
    {CGROUP_V2, "memory.events", "oom_kill ", AT(oom_kills), 1, true},
    {CGROUP_MEMORY, "memory.usage_in_bytes", NULL, AT(memory_mb), MB, false},
    {CGROUP_MEMORY, "memory.max_usage_in_bytes", NULL, AT(memory_peak_mb), MB, false},
    {CGROUP_MEMORY, "memory.stat", "total_rss ", AT(memory_anon_mb), MB, false},
    {CGROUP_MEMORY, "memory.stat", "total_cache ", AT(memory_file_mb), MB, false},
    {CGROUP_MEMORY, "memory.stat", "total_swap ", AT(swap_mb), MB, false},
    {CGROUP_MEMORY, "memory.oom_control", "oom_kill ", AT(oom_kills), 1, true},
    {CGROUP_V2, "pids.current", NULL, AT(tasks), 1, false},
    {CGROUP_PIDS, "pids.current", NULL, AT(tasks), 1, false},
};
enum { FIGURES = sizeof figures / sizeof *figures };

static const struct {
    int place;
    const char *file;
    bool v2;
} io_files[] = {
    {CGROUP_V2, "io.stat", true},
    {CGROUP_BLKIO, "blkio.throttle.io_service_bytes_recursive", false},
    {CGROUP_BLKIO, "blkio.throttle.io_service_bytes", false},
};
enum { IO_FILES = sizeof io_files / sizeof *io_files, MAJORS = 16 };

struct sl_cgroup {
    struct cgroup_place place[CGROUP_PLACES]; /* dir: as it is opened; "": it has none of its own */
    struct kept_file file[FIGURES];           /* of the first figure of each file; without a path: not there */
    struct counter counter[FIGURES];
    struct kept_file io;
    bool io_v2;
    struct device_io {
        unsigned major, minor;
        struct counter read, write;
    } * devices;
    size_t ndevices;
    unsigned stacked[MAJORS]; /* majors of block devices that lie on others */
    size_t nstacked;
    bool begun; /* it was read before */
    struct pressure pressure;
    struct text text;
    struct oddities odd;
    struct sl_cgroup_facts facts;
};

/* ---- limits: the least of the group and those above it ---- */

static bool number_of(struct text *t, const char *dir, const char *file, struct scan *s)
{
    char path[1024];

    if (snprintf(path, sizeof path, "%s/%s", dir, file) >= (int)sizeof path || !text_read(t, path))
        return false;
    *s = scan_text(t);
    return true;
}

static void lower(double *limit, double value)
{
    if (isnan(*limit) || value < *limit)
        *limit = value;
}

static void number_limit(struct text *t, const char *dir, const char *file, double unit, double *limit)
{
    struct scan s;
    uint64_t x;

    if (number_of(t, dir, file, &s) && scan_uint(&s, &x) && x < UINT64_C(1) << 60) /* none: "max", or nearly 2^63 */
        lower(limit, (double)x * unit);
}

static void cpu_limit(struct text *t, const char *dir, bool v2, double *limit)
{
    uint64_t quota, period;
    struct scan s;

    if (v2) { /* "150000 100000", "max 100000" */
        if (number_of(t, dir, "cpu.max", &s) && scan_uint(&s, &quota) && scan_uint(&s, &period) && period)
            lower(limit, (double)quota / (double)period);
        return;
    }
    if (number_of(t, dir, "cpu.cfs_quota_us", &s) && scan_uint(&s, &quota) && quota && /* none: -1 */
        number_of(t, dir, "cpu.cfs_period_us", &s) && scan_uint(&s, &period) && period)
        lower(limit, (double)quota / (double)period);
}

static void limits(struct sl_cgroup *c, int which)
{
    const struct cgroup_place *p = &c->place[which];
    struct sl_cgroup_facts *f = &c->facts;
    char dir[sizeof p->dir];
    size_t top = strlen(p->mount);

    if (!*p->dir)
        return;
    memcpy(dir, p->dir, sizeof dir);
    for (;;) {
        char *slash;
        if (which == CGROUP_V2 || which == CGROUP_CPU)
            cpu_limit(&c->text, dir, which == CGROUP_V2, &f->cpus);
        number_limit(&c->text, dir, "memory.max", MB, &f->memory_mb);
        number_limit(&c->text, dir, "memory.limit_in_bytes", MB, &f->memory_mb);
        number_limit(&c->text, dir, "memory.swap.max", MB, &f->swap_mb);
        number_limit(&c->text, dir, "pids.max", 1, &f->tasks);
        if (strlen(dir) <= top || !(slash = strrchr(dir, '/')))
            break;
        *slash = 0;
    }
}

/* ---- new and free ---- */

/* Of the whole machine are the figures of its root, which has no file that all others have, or one that none has. */
static bool is_whole_machine(const struct cgroup_place *p, bool v2)
{
    char path[1024];

    snprintf(path, sizeof path, "%s/%s", p->dir, v2 ? "cgroup.events" : "release_agent");
    return v2 ? access(path, F_OK) != 0 : access(path, F_OK) == 0;
}

/* Mount points begin with /sys, which may lie elsewhere here. */
static void move_place(struct cgroup_place *p, const char *sys)
{
    char dir[sizeof p->dir], mount[sizeof p->mount];

    if (strncmp(p->dir, "/sys/", 5))
        return;
    if (snprintf(dir, sizeof dir, "%s%s", sys, p->dir + 4) >= (int)sizeof dir ||
        snprintf(mount, sizeof mount, "%s%s", sys, p->mount + 4) >= (int)sizeof mount)
        *dir = *mount = 0;
    memcpy(p->dir, dir, sizeof dir);
    memcpy(p->mount, mount, sizeof mount);
}

static bool find_places(struct sl_cgroup *c, const char *proc, const char *sys, pid_t pid)
{
    struct text mounts = {0};
    char path[4096];
    bool any = false;

    snprintf(path, sizeof path, "%s/self/mountinfo", proc);
    if (text_read(&mounts, path)) {
        if (pid)
            snprintf(path, sizeof path, "%s/%d/cgroup", proc, (int)pid);
        else
            snprintf(path, sizeof path, "%s/self/cgroup", proc);
        if (text_read(&c->text, path))
            cgroup_places_parse(c->place, &c->text, &mounts);
    }
    free(mounts.s);
    for (int i = 0; i < CGROUP_PLACES; i++) {
        struct cgroup_place *p = &c->place[i];
        if (*p->dir)
            move_place(p, sys);
        if (*p->dir && (access(p->dir, F_OK) != 0 || is_whole_machine(p, i == CGROUP_V2)))
            *p->dir = 0;
        any |= *p->dir;
    }
    return any;
}

/* Opened where it is there; true: no error. */
static bool keep(struct sl_cgroup *c, struct kept_file *f, int place, const char *name)
{
    if (!*c->place[place].dir)
        return true;
    if (!kept_file_init(f, c->place[place].dir, name))
        return false;
    if (access(f->path, F_OK) != 0)
        kept_file_free(f);
    return true;
}

/* /proc/devices: "253 device-mapper" below "Block devices:" */
static void find_stacked(struct sl_cgroup *c, const char *proc)
{
    static const char *const kinds[] = {"device-mapper", "md",     "mdp",  "loop", "ramdisk",
                                        "zram",          "bcache", "drbd", "zvol"};
    struct scan s, line;
    bool block = false;
    char path[4096];

    snprintf(path, sizeof path, "%s/devices", proc);
    if (!text_read(&c->text, path))
        return;
    s = scan_text(&c->text);
    while (scan_line(&s, &line)) {
        uint64_t major;
        block |= scan_word(&line, "Block devices:");
        if (!block || !scan_uint(&line, &major) || !scan_word(&line, " "))
            continue;
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds && c->nstacked < MAJORS; i++)
            if ((size_t)(line.end - line.at) == strlen(kinds[i]) && !memcmp(line.at, kinds[i], strlen(kinds[i])))
                c->stacked[c->nstacked++] = (unsigned)major;
    }
}

struct sl_cgroup *sl_cgroup_new(const struct sl_roots *roots, pid_t pid, struct sl_err *err)
{
    const char *proc = roots && roots->proc ? roots->proc : "/proc", *sys = roots && roots->sys ? roots->sys : "/sys";
    static const int named[] = {CGROUP_MEMORY, CGROUP_V2, CGROUP_CPUACCT, CGROUP_CPU, CGROUP_PIDS, CGROUP_BLKIO};
    struct sl_cgroup *c = calloc(1, sizeof *c);
    struct sl_cgroup_report first;
    bool ok = c != NULL;

    if (ok && !find_places(c, proc, sys, pid)) {
        sl_err(err, SL_ENOTFOUND, "there is no control group but that of the whole machine, or none can be seen");
        sl_cgroup_free(c);
        return NULL;
    }
    for (int i = 0; ok && i < FIGURES; i++)
        if (!i || figures[i].place != figures[i - 1].place || strcmp(figures[i].file, figures[i - 1].file))
            ok = keep(c, &c->file[i], figures[i].place, figures[i].file);
    for (int i = 0; ok && i < IO_FILES && !c->io.path; i++) {
        ok = keep(c, &c->io, io_files[i].place, io_files[i].file);
        c->io_v2 = io_files[i].v2;
    }
    if (ok && *c->place[CGROUP_V2].dir)
        ok = pressure_init(&c->pressure, c->place[CGROUP_V2].dir, ".pressure");
    if (!ok) {
        sl_err(err, SL_EIO, "no memory for a control group: %s", strerror(ENOMEM));
        sl_cgroup_free(c);
        return NULL;
    }
    find_stacked(c, proc);
    c->facts = (struct sl_cgroup_facts){2, NULL, NAN, NAN, NAN, NAN};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        const struct cgroup_place *p = &c->place[named[i]];
        limits(c, named[i]);
        if (*p->dir && named[i] != CGROUP_V2)
            c->facts.version = 1;
        if (*p->dir && !c->facts.path)
            c->facts.path = p->path;
    }
    sl_cgroup_read(c, &first);
    return c;
}

void sl_cgroup_free(struct sl_cgroup *c)
{
    if (!c)
        return;
    for (int i = 0; i < FIGURES; i++)
        kept_file_free(&c->file[i]);
    kept_file_free(&c->io);
    pressure_free(&c->pressure);
    free(c->devices);
    free(c->text.s);
    free(c);
}

void sl_cgroup_facts(const struct sl_cgroup *c, struct sl_cgroup_facts *facts)
{
    *facts = c->facts;
}

/* ---- a reading ---- */

static bool find_number(const struct text *t, const char *key, uint64_t *x)
{
    struct scan s = scan_text(t), line;

    if (!key)
        return scan_uint(&s, x);
    while (scan_line(&s, &line))
        if (scan_word(&line, key))
            return scan_uint(&line, x);
    return false;
}

static struct device_io *device_io(struct sl_cgroup *c, unsigned major, unsigned minor)
{
    struct device_io *v;

    for (size_t i = 0; i < c->nstacked; i++)
        if (c->stacked[i] == major)
            return NULL;
    for (size_t i = 0; i < c->ndevices; i++)
        if (c->devices[i].major == major && c->devices[i].minor == minor)
            return &c->devices[i];
    if (!(v = read_realloc(c->devices, (c->ndevices + 1) * sizeof *v)))
        return NULL;
    c->devices = v;
    v += c->ndevices++;
    *v = (struct device_io){.major = major, .minor = minor};
    v->read.begun = v->write.begun = c->begun; /* the group's own count: what comes later began at zero */
    return v;
}

/* v2: "8:0 rbytes=1 wbytes=2 ...".  v1: "8:0 Read 1", "8:0 Write 2", "Total 3". */
static void io_line(struct sl_cgroup *c, struct scan line)
{
    struct device_io *d;
    uint64_t major, minor, x;

    if (!scan_uint(&line, &major) || !scan_word(&line, ":") || !scan_uint(&line, &minor) ||
        !(d = device_io(c, (unsigned)major, (unsigned)minor)))
        return;
    scan_blanks(&line);
    if (!c->io_v2) {
        if (scan_word(&line, "Read ") && scan_uint(&line, &x))
            counter_add(&d->read, x, LESS_RESET, &c->odd);
        else if (scan_word(&line, "Write ") && scan_uint(&line, &x))
            counter_add(&d->write, x, LESS_RESET, &c->odd);
        return;
    }
    while (line.at < line.end) {
        if (scan_word(&line, "rbytes=") && scan_uint(&line, &x))
            counter_add(&d->read, x, LESS_RESET, &c->odd);
        else if (scan_word(&line, "wbytes=") && scan_uint(&line, &x))
            counter_add(&d->write, x, LESS_RESET, &c->odd);
        while (line.at < line.end && *line.at != ' ')
            line.at++;
        scan_blanks(&line);
    }
}

static void read_io(struct sl_cgroup *c, struct sl_cgroup_report *r)
{
    uint64_t read = 0, write = 0;
    struct scan s, line;

    if (!c->io.path || !kept_file_read(&c->io, &c->text))
        return;
    s = scan_text(&c->text);
    while (scan_line(&s, &line))
        io_line(c, line);
    for (size_t i = 0; i < c->ndevices; i++) {
        read += c->devices[i].read.total;
        write += c->devices[i].write.total;
    }
    r->read_mb = (double)read * MB;
    r->write_mb = (double)write * MB;
}

bool sl_cgroup_read(struct sl_cgroup *c, struct sl_cgroup_report *r)
{
    double tick = 1.0 / (double)sysconf(_SC_CLK_TCK);
    bool any = false, have = false;

    *r = (struct sl_cgroup_report){
#define SL_FIELD(name, decimals) .name = NAN,
        SL_CGROUP_FIELDS(SL_FIELD)
#undef SL_FIELD
    };
    for (int i = 0; i < FIGURES; i++) {
        const struct figure *f = &figures[i];
        double *field = (double *)((char *)r + f->field), unit = f->unit > 0 ? f->unit : tick;
        uint64_t x;
        if (!i || f->place != f[-1].place || strcmp(f->file, f[-1].file))
            any |= have = c->file[i].path && kept_file_read(&c->file[i], &c->text);
        if (!have || !isnan(*field) || !find_number(&c->text, f->key, &x))
            continue;
        if (f->counter) {
            counter_add(&c->counter[i], x, LESS_RESET, &c->odd);
            x = c->counter[i].total;
        }
        *field = (double)x * unit;
    }
    read_io(c, r);
    if (*c->place[CGROUP_V2].dir) {
        pressure_read(&c->pressure, &c->text, &c->odd);
        PRESSURE_REPORT(&c->pressure, r);
    }
    c->begun = true;
    return any;
}
