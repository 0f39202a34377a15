/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The node: seven files of /proc that stay open, and statvfs() (mounts.c).  Of what one costs, most is the kernel's: it
 * formats /proc/stat and /proc/diskstats.  vmstat costs as much as all others together, so it is read where there is
 * swap only.
 */
#include "base/clock.h"
#include "collect/sampler/sampler_internal.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

static const double MB = 1024 * 1024;
enum { SECTOR = 512, LEAST_MS = 100 }; /* sector: in /proc, whatever the device has */

struct sl_sampler {
    struct kept_file stat, meminfo, diskstats, net, loadavg, vmstat;
    struct text text;
    struct cpus cpus;
    struct devices disks, nets;
    struct pressure pressure;
    struct counter swap_in, swap_out;
    struct oddities odd;
    struct mounts mounts;
    int64_t last_mono_ns, measured_mono_ns; /* the last reading, and the last one with percentages of CPU */
    double ticks_per_s;
    double page_mb;
    struct sl_disk_report *disk_reports;
    struct sl_net_report *net_reports;
    size_t disk_cap, net_cap;
};

/* ---- new and free ---- */

static bool open_files(struct sl_sampler *s, const char *proc)
{
    char dir[4096];

    snprintf(dir, sizeof dir, "%s/pressure", proc);
    return kept_file_init(&s->stat, proc, "stat") && kept_file_init(&s->meminfo, proc, "meminfo") &&
           kept_file_init(&s->diskstats, proc, "diskstats") && kept_file_init(&s->net, proc, "net/dev") &&
           kept_file_init(&s->loadavg, proc, "loadavg") && kept_file_init(&s->vmstat, proc, "vmstat") &&
           pressure_init(&s->pressure, dir, "");
}

struct sl_sampler *sl_sampler_new(const struct sl_sampler_options *options, struct sl_err *err)
{
    static const struct sl_sampler_options nothing = {{NULL, NULL}, NULL, 0};
    const struct sl_sampler_options *o = options ? options : &nothing;
    const char *proc = o->roots.proc ? o->roots.proc : "/proc";
    struct sl_sampler *s = calloc(1, sizeof *s);
    struct sl_node_report first;

    if (!s || !open_files(s, proc) || !mounts_init(&s->mounts, o->mounts, o->nmounts)) {
        sl_err(err, SL_EIO, "no memory for a sampler: %s", strerror(ENOMEM));
        sl_sampler_free(s);
        return NULL;
    }
    s->ticks_per_s = (double)sysconf(_SC_CLK_TCK);
    s->page_mb = (double)sysconf(_SC_PAGESIZE) / MB;
    sl_sampler_read(s, &first);
    if (!s->cpus.is_there && !s->meminfo.is_there) {
        sl_err(err, SL_EIO, "%s/stat and %s/meminfo cannot be read: %s; is %s mounted?", proc, proc, strerror(errno),
               proc);
        sl_sampler_free(s);
        return NULL;
    }
    return s;
}

void sl_sampler_free(struct sl_sampler *s)
{
    if (!s)
        return;
    mounts_free(&s->mounts);
    free(s->disk_reports);
    free(s->net_reports);
    free(s->text.s);
    kept_file_free(&s->stat);
    kept_file_free(&s->meminfo);
    kept_file_free(&s->diskstats);
    kept_file_free(&s->net);
    kept_file_free(&s->loadavg);
    kept_file_free(&s->vmstat);
    pressure_free(&s->pressure);
    cpus_free(&s->cpus);
    devices_free(&s->disks);
    devices_free(&s->nets);
    free(s);
}

void sl_sampler_oddities(const struct sl_sampler *s, uint64_t *reset, uint64_t *wrapped)
{
    *reset = s->odd.reset;
    *wrapped = s->odd.wrapped;
}

int sl_sampler_mount_error(const struct sl_sampler *s, size_t i)
{
    return i < s->mounts.n ? s->mounts.v[i].error : 0;
}

/* ---- a reading ---- */

static double seconds(const struct sl_sampler *s, int time)
{
    return s->cpus.times > time ? (double)s->cpus.total[time] / s->ticks_per_s : NAN;
}

static double or_zero(double x)
{
    return isnan(x) ? 0 : x;
}

static void report_cpus(struct sl_sampler *s, struct sl_node_report *r, bool measure)
{
    struct cpus *c = &s->cpus;

    if (!kept_file_read(&s->stat, &s->text))
        return;
    cpus_parse(c, &s->text, measure, &s->odd);
    r->forks = c->has_forks ? (double)c->forks.total : NAN;
    r->context_switches = c->has_switches ? (double)c->switches.total : NAN;
    r->tasks_blocked = c->has_blocked ? (double)c->blocked : NAN;
    if (!c->is_there)
        return;
    r->cpu_pct_per_cpu_avg = c->avg;
    r->cpu_pct_per_cpu_min = c->min;
    r->cpu_pct_per_cpu_max = c->max;
    r->cpus = c->online ? c->online : NAN;
    r->cpu_user_s = seconds(s, CPU_USER) + seconds(s, CPU_NICE);
    r->cpu_system_s = seconds(s, CPU_SYSTEM) + or_zero(seconds(s, CPU_IRQ)) + or_zero(seconds(s, CPU_SOFTIRQ));
    r->cpu_iowait_s = seconds(s, CPU_IOWAIT);
    r->cpu_steal_s = seconds(s, CPU_STEAL);
    r->cpu_busy_s = r->cpu_user_s + r->cpu_system_s + or_zero(r->cpu_steal_s);
    r->cpu_capacity_s = r->cpu_busy_s + seconds(s, CPU_IDLE) + or_zero(r->cpu_iowait_s);
    r->cpu_pct = c->pct;
    r->ncpu_pct = c->ncpu;
}

static double kb(int64_t x)
{
    return x < 0 ? NAN : (double)x / 1024;
}

static void swap_traffic(struct sl_sampler *s, struct sl_node_report *r)
{
    struct scan text, line;
    uint64_t pages;

    if (!kept_file_read(&s->vmstat, &s->text))
        return;
    text = scan_text(&s->text);
    while (scan_line(&text, &line))
        if (scan_word(&line, "pswpin ") && scan_uint(&line, &pages)) {
            counter_add(&s->swap_in, pages, LESS_RESET, &s->odd);
            r->swap_in_mb = (double)s->swap_in.total * s->page_mb;
        } else if (scan_word(&line, "pswpout ") && scan_uint(&line, &pages)) {
            counter_add(&s->swap_out, pages, LESS_RESET, &s->odd);
            r->swap_out_mb = (double)s->swap_out.total * s->page_mb;
        }
}

static void report_memory(struct sl_sampler *s, struct sl_node_report *r)
{
    struct memory m;

    if (!kept_file_read(&s->meminfo, &s->text))
        return;
    memory_parse(&m, &s->text);
    if (m.total > 0 && m.available >= 0 && m.available <= m.total)
        r->mem_percent = 100 * (double)(m.total - m.available) / (double)m.total;
    r->mem_available_mb = kb(m.available);
    r->mem_free_mb = kb(m.free);
    r->mem_page_cache_mb = kb(m.cached) + kb(m.buffers);
    r->mem_dirty_mb = kb(m.dirty);
    r->mem_shared_mb = kb(m.shared);
    r->mem_slab_mb = kb(m.slab);
    if (m.swap_total > 0) {
        r->swap_used_mb = kb(m.swap_total) - kb(m.swap_free);
        swap_traffic(s, r);
    }
}

static void report_disks(struct sl_sampler *s, struct sl_node_report *r)
{
    struct devices *d = &s->disks;
    uint64_t read, write;

    if (!kept_file_read(&s->diskstats, &s->text))
        return;
    disks_parse(d, &s->text, &s->odd);
    if (d->any[true]) {
        devices_sum(d, true, &read, &write);
        r->disk_io_read_mb = (double)read * SECTOR / MB;
        r->disk_io_write_mb = (double)write * SECTOR / MB;
    }
    if (s->disk_cap < d->cap) {
        struct sl_disk_report *v = read_realloc(s->disk_reports, d->cap * sizeof *v);
        if (!v)
            return;
        s->disk_reports = v;
        s->disk_cap = d->cap;
    }
    for (size_t i = 0; i < d->n; i++)
        if (d->v[i].active)
            s->disk_reports[r->ndisks++] = (struct sl_disk_report){
                .name = d->v[i].name,
                .read_mb = (double)d->v[i].read.total * SECTOR / MB,
                .write_mb = (double)d->v[i].write.total * SECTOR / MB,
                .busy_s = d->v[i].has_busy ? (double)d->v[i].busy_ms.total / 1000 : NAN,
            };
    r->disks = s->disk_reports;
}

static void report_nets(struct sl_sampler *s, struct sl_node_report *r)
{
    struct devices *d = &s->nets;
    uint64_t received, sent;

    if (!kept_file_read(&s->net, &s->text))
        return;
    nets_parse(d, &s->text, &s->odd);
    if (d->any[false]) {
        devices_sum(d, false, &received, &sent);
        r->net_io_lo_recv_mb = (double)received / MB;
        r->net_io_lo_sent_mb = (double)sent / MB;
    }
    if (d->any[true]) {
        devices_sum(d, true, &received, &sent);
        r->net_io_ext_recv_mb = (double)received / MB;
        r->net_io_ext_sent_mb = (double)sent / MB;
    }
    if (s->net_cap < d->cap) {
        struct sl_net_report *v = read_realloc(s->net_reports, d->cap * sizeof *v);
        if (!v)
            return;
        s->net_reports = v;
        s->net_cap = d->cap;
    }
    for (size_t i = 0; i < d->n; i++)
        if (d->v[i].active)
            s->net_reports[r->nnets++] = (struct sl_net_report){
                .name = d->v[i].name,
                .sent_mb = (double)d->v[i].write.total / MB,
                .recv_mb = (double)d->v[i].read.total / MB,
            };
    r->nets = s->net_reports;
}

/* "0.20 0.18 0.12 1/80 11206": runnable of all tasks, and the last pid */
static void report_load(struct sl_sampler *s, struct sl_node_report *r)
{
    struct scan text;
    uint64_t running, all;

    if (!kept_file_read(&s->loadavg, &s->text))
        return;
    text = scan_text(&s->text);
    r->load_1 = scan_decimal(&text);
    r->load_5 = scan_decimal(&text);
    r->load_15 = scan_decimal(&text);
    if (scan_uint(&text, &running) && scan_word(&text, "/") && scan_uint(&text, &all)) {
        r->tasks_running = (double)running;
        r->tasks = (double)all;
    }
}

void sl_sampler_read(struct sl_sampler *s, struct sl_node_report *r)
{
    int64_t mono = sl_clock_ns(CLOCK_MONOTONIC);
    int64_t step = mono - s->last_mono_ns;
    bool measure;

    *r = (struct sl_node_report){.timestamp_ns = sl_clock_ns(CLOCK_REALTIME),
                                 .uptime_ns = sl_clock_ns(CLOCK_BOOTTIME),
                                 .interval_s = (double)step / 1e9,
#define SL_FIELD(name, decimals) .name = NAN,
                                 SL_NODE_FIELDS(SL_FIELD)
#undef SL_FIELD
    };
    measure = s->measured_mono_ns && mono - s->measured_mono_ns >= (int64_t)LEAST_MS * 1000000;
    report_cpus(s, r, measure);
    if (measure || !s->measured_mono_ns)
        s->measured_mono_ns = mono;
    s->last_mono_ns = mono;
    report_memory(s, r);
    report_disks(s, r);
    report_nets(s, r);
    report_load(s, r);
    mounts_read(&s->mounts, r);
    pressure_read(&s->pressure, &s->text, &s->odd);
    PRESSURE_REPORT(&s->pressure, r);
}

/* ---- what does not change ---- */

static int count_cpus(const struct text *t)
{
    struct scan s = scan_text(t), line;
    int n = 0;

    while (scan_line(&s, &line))
        n += scan_word(&line, "cpu") && line.at < line.end && *line.at >= '0' && *line.at <= '9';
    return n;
}

static int count_allowed(void)
{
    for (int cpus = 1024; cpus <= 1 << 16; cpus *= 2) { /* EINVAL: the kernel has more */
        cpu_set_t *set = CPU_ALLOC(cpus);
        size_t size = CPU_ALLOC_SIZE(cpus);
        int n = -1;
        if (set && sched_getaffinity(0, size, set) == 0)
            n = CPU_COUNT_S(size, set);
        CPU_FREE(set);
        if (n >= 0)
            return n;
    }
    return 0;
}

void sl_node_facts(const struct sl_roots *roots, struct sl_node_facts *facts)
{
    const char *proc = roots && roots->proc ? roots->proc : "/proc";
    struct text t = {0};
    struct utsname u;
    char path[4096];
    size_t n;

    *facts = (struct sl_node_facts){.memory_mb = NAN, .swap_mb = NAN};
    facts->boot_time = (double)(sl_clock_ns(CLOCK_REALTIME) - sl_clock_ns(CLOCK_BOOTTIME)) / 1e9;
    facts->tick_s = 1.0 / (double)sysconf(_SC_CLK_TCK);
    facts->cpus_allowed = count_allowed();
    if (gethostname(facts->host, sizeof facts->host - 1) != 0 || !*facts->host)
        snprintf(facts->host, sizeof facts->host, "localhost");
    if (uname(&u) == 0) {
        memcpy(facts->kernel, u.release, sizeof u.release);
        memcpy(facts->machine, u.machine, sizeof u.machine);
    }
    snprintf(path, sizeof path, "%s/stat", proc);
    if (text_read(&t, path))
        facts->cpus = count_cpus(&t);
    snprintf(path, sizeof path, "%s/meminfo", proc);
    if (text_read(&t, path)) {
        struct memory m;
        memory_parse(&m, &t);
        facts->memory_mb = kb(m.total);
        facts->swap_mb = kb(m.swap_total);
    }
    snprintf(path, sizeof path, "%s/sys/kernel/random/boot_id", proc);
    if (text_read(&t, path) && (n = strcspn(t.s, "\n")) < sizeof facts->boot_id)
        memcpy(facts->boot_id, t.s, n);
    free(t.s);
}
