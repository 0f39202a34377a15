/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a tree of processes used, those that came and went between two readings included.
 *
 * The kernel adds what a process used to what its parent's children used, when the parent waits for it.  So the sum
 * over the living of their own and their children's goes on as processes end, and counts those that were never seen. It
 * falls short where nobody waits: children of who ignores SIGCHLD, and orphans, whose new parent is not in the tree. So
 * what a process that is gone was last seen to have used is compared with what its next living ancestor gained, and
 * kept here (`dead`) as far as it is not found there.  Of our own children wait4() tells all to the microsecond.
 */
#include "base/clock.h"
#include "collect/sampler/tree_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const double MB = 1048576;

/* ---- new and free ---- */

/* Numbers of processes are those of the /proc that is mounted: in a namespace of its own it may be another's. */
static bool proc_is_ours(void)
{
    char self[32], is[32];
    ssize_t n = readlink("/proc/self", self, sizeof self - 1);

    snprintf(is, sizeof is, "%d", (int)getpid());
    return n > 0 && (self[n] = 0, !strcmp(self, is));
}

struct sl_tree *sl_tree_new(const struct sl_tree_options *options, struct sl_err *err)
{
    struct sl_tree *t = calloc(1, sizeof *t);

    if (!t || !(t->proc = strdup(options->roots.proc ? options->roots.proc : "/proc")) ||
        !kept_file_init(&t->loadavg, t->proc, "loadavg") || !kept_file_init(&t->own_io, t->proc, "self/io")) {
        sl_err(err, SL_EIO, "no memory for a tree of processes: %s", strerror(ENOMEM));
        sl_tree_free(t);
        return NULL;
    }
    t->options = *options;
    t->boot_time = (double)(sl_clock_ns(CLOCK_REALTIME) - sl_clock_ns(CLOCK_BOOTTIME)) / 1e9;
    t->us_per_tick = 1e6 / (double)sysconf(_SC_CLK_TCK);
    t->page_mb = (double)sysconf(_SC_PAGESIZE) / MB;
    t->proc_fd = open(t->proc, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (t->proc_fd < 0 || (!options->roots.proc && !proc_is_ours())) {
        if (t->proc_fd < 0)
            sl_err(err, SL_EIO, "%s: %s; processes cannot be watched without it", t->proc, strerror(errno));
        else
            sl_err(err, SL_ENOTFOUND,
                   "/proc is that of another namespace of processes: mount it anew (unshare --mount-proc)");
        sl_tree_free(t);
        return NULL;
    }
    tree_find(t, true);
    if (!tree_member(t, options->root) && !options->ours) {
        sl_err(err, SL_ENOTFOUND, "there is no process %d", (int)options->root);
        sl_tree_free(t);
        return NULL;
    }
    for (size_t i = 0; i < t->n; i++) {
        process_read_details(t, &t->v[i]);
        if (!options->ours)
            memset(t->switches, 0, sizeof t->switches);
    }
    t->last_mono_ns = sl_clock_ns(CLOCK_MONOTONIC);
    return t;
}

void sl_tree_free(struct sl_tree *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->n; i++)
        process_close(t, &t->v[i]);
    if (t->proc && t->proc_fd >= 0)
        close(t->proc_fd);
    kept_file_free(&t->loadavg);
    kept_file_free(&t->own_io);
    free(t->proc);
    free(t->v);
    free(t->pids);
    free(t->text.s);
    free(t->reports);
    free(t->order);
    free(t);
}

/* ---- our own children ---- */

/*
 * What a child read and wrote, with all that it waited for, is added to ours when it is waited for; so it is the
 * difference of ours before and after.  A zombie's own file is for root alone.
 */
static bool own_io(struct sl_tree *t, struct process_io *io)
{
    *io = (struct process_io){0};
    return kept_file_read(&t->own_io, &t->text) && process_io_parse(io, &t->text);
}

void sl_tree_ending(struct sl_tree *t, pid_t pid)
{
    (void)pid;
    t->has_io_before = t->options.detail >= SL_DETAIL_IO && own_io(t, &t->io_before);
    t->io_before.read += t->text.n; /* which reading that has added */
}

static void gained_io(struct sl_tree *t)
{
    struct process_io now;

    if (!t->has_io_before || !own_io(t, &now))
        return;
    t->any_io = true;
    t->reaped[USED_READ] += now.read - t->io_before.read;
    t->reaped[USED_WRITE] += now.write - t->io_before.write;
    t->reaped[USED_DISK_READ] += now.disk_read - t->io_before.disk_read;
    t->reaped[USED_DISK_WRITE] += now.disk_write - t->io_before.disk_write;
    t->has_io_before = false;
}

static uint64_t microseconds(struct timeval v)
{
    return (uint64_t)v.tv_sec * 1000000 + (uint64_t)v.tv_usec;
}

void sl_tree_ended(struct sl_tree *t, pid_t pid, const struct rusage *usage)
{
    struct member *p = tree_member(t, pid);
    const uint64_t switches[2] = {(uint64_t)usage->ru_nvcsw, (uint64_t)usage->ru_nivcsw};

    gained_io(t);
    t->reaped[USED_USER] += microseconds(usage->ru_utime);
    t->reaped[USED_SYSTEM] += microseconds(usage->ru_stime);
    t->reaped[USED_FAULTS] += (uint64_t)usage->ru_majflt;
    if (p) {
        p->reaped = true;
        memcpy(p->final_switches, switches, sizeof switches);
        return;
    }
    t->ended++;
    for (int i = 0; i < 2; i++)
        t->switches[i] += switches[i];
}

/* ---- those that are gone ---- */

/* Of what is gone: the next ancestor that lives, or NULL, where that is us or nobody. */
static struct member *next_living(const struct sl_tree *t, struct member *p)
{
    size_t steps = 0;

    while (p && p->gone && steps++ <= t->n)
        p = tree_member(t, p->stat.ppid);
    return p && !p->gone ? p : NULL;
}

/* What is missing of D where G arrived: a tick may be the rounding's. */
static int64_t missing(const struct sl_tree *t, int k, uint64_t d, uint64_t g)
{
    uint64_t grain = k == USED_USER || k == USED_SYSTEM ? (uint64_t)t->us_per_tick : 0;

    return d > g + grain ? (int64_t)(d - g) : 0;
}

/* CPU times arrive as two numbers that are cut at ticks, and what one lacks the other has. */
static void keep_missing(struct sl_tree *t, const uint64_t d[USED], const uint64_t g[USED])
{
    for (int k = 0; k < USED; k++)
        t->dead[k] += missing(t, k, d[k], g[k]);
}

/*
 * Switches are told of living threads only, and in wait4() of a child with all below it.  So those that end keep what
 * was counted with the one that may be waited for.
 */
static void hand_on_switches(struct sl_tree *t, struct member *p)
{
    struct member *to = tree_member(t, p->stat.ppid);

    for (size_t steps = 0; to && to->gone && !to->reaped && steps < t->n; steps++)
        to = tree_member(t, to->stat.ppid);
    for (int i = 0; to && i < 2; i++)
        to->ended_with[i] += p->switches[i] + p->ended_with[i];
}

static void settle_switches(struct sl_tree *t)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->v[i].gone && !t->v[i].reaped)
            hand_on_switches(t, &t->v[i]);
    for (size_t i = 0; i < t->n; i++)
        for (int k = 0; t->v[i].reaped && k < 2; k++) {
            uint64_t counted = t->v[i].switches[k] + t->v[i].ended_with[k];
            if (t->v[i].final_switches[k] > counted)
                t->switches[k] += t->v[i].final_switches[k] - counted;
        }
}

static void settle(struct sl_tree *t)
{
    uint64_t ours[USED] = {0};
    struct member *living;

    settle_switches(t);
    for (size_t i = 0; i < t->n; i++) { /* what living ancestors should have gained, less what they did */
        struct member *p = &t->v[i];
        if (!p->gone)
            continue;
        t->ended++;
        living = next_living(t, p);
        for (int k = 0; k < USED; k++) {
            uint64_t *g = living ? &living->from_children[k] : &ours[k];
            if (!living) {
                ours[k] += p->used[k];
                t->dead[k] -= (int64_t)p->base[k];
                continue;
            }
            living->base[k] += p->base[k];
            t->dead[k] += missing(t, k, p->used[k], *g);
            *g -= p->used[k] < *g ? p->used[k] : *g;
        }
    }
    for (int k = 0; k < USED; k++)
        t->dead[k] += (int64_t)t->reaped[k];
    keep_missing(t, ours, t->reaped);
    memset(t->reaped, 0, sizeof t->reaped);
}

static void remove_gone(struct sl_tree *t)
{
    size_t n = 0;

    for (size_t i = 0; i < t->n; i++)
        if (t->v[i].gone)
            process_close(t, &t->v[i]);
        else
            t->v[n++] = t->v[i];
    t->n = n;
}

/* ---- reports ---- */

static double kb(int64_t x)
{
    return x < 0 ? NAN : (double)x / 1024;
}

static void report_process(struct sl_tree *t, struct member *p, double step_s, struct sl_process_report *r)
{
    const struct process_stat *s = &p->stat;
    double tick_s = t->us_per_tick / 1e6;
    bool io = p->has_io;

    *r = (struct sl_process_report){
        .pid = s->pid,
        .ppid = s->ppid,
        .start = t->boot_time + (double)s->start_ticks * tick_s,
        .state = s->state,
        .command = process_command(t, p),
        .threads = (double)s->threads,
        .cpu_pct = step_s > 0 ? (double)p->own_step_us / 1e4 / step_s : NAN,
        .cpu_user_s = (double)s->user * tick_s,
        .cpu_system_s = (double)s->system * tick_s,
        .cpu_children_s = (double)(s->children_user + s->children_system) * tick_s,
        .rss_mb = (double)s->rss_pages * t->page_mb,
        .rss_peak_mb = kb(p->status.peak_kb),
        .pss_mb = kb(p->pss_kb),
        .swap_mb = kb(p->status.swap_kb),
        .read_mb = io ? (double)p->used[USED_READ] / MB : NAN,
        .write_mb = io ? (double)p->used[USED_WRITE] / MB : NAN,
        .disk_read_mb = io ? (double)p->used[USED_DISK_READ] / MB : NAN,
        .disk_write_mb = io ? (double)p->used[USED_DISK_WRITE] / MB : NAN,
        .major_faults = (double)s->faults,
        .switches_voluntary = p->status.voluntary < 0 ? NAN : (double)p->status.voluntary,
        .switches_involuntary = p->status.involuntary < 0 ? NAN : (double)p->status.involuntary,
    };
    memcpy(r->name, s->name, sizeof r->name);
}

static int by_use(const void *a, const void *b)
{
    const struct member *p = *(struct member *const *)a, *q = *(struct member *const *)b;

    if (p->own_step_us != q->own_step_us)
        return p->own_step_us < q->own_step_us ? 1 : -1;
    if (p->stat.rss_pages != q->stat.rss_pages)
        return p->stat.rss_pages < q->stat.rss_pages ? 1 : -1;
    return (p->stat.pid > q->stat.pid) - (p->stat.pid < q->stat.pid);
}

static void report_top(struct sl_tree *t, double step_s, struct sl_tree_report *r)
{
    size_t n = t->n < t->options.top ? t->n : t->options.top;

    if (t->n > t->reports_cap) {
        void *reports = read_realloc(t->reports, t->cap * sizeof *t->reports), *order;
        if (!reports)
            return;
        t->reports = reports;
        if (!(order = read_realloc(t->order, t->cap * sizeof *t->order)))
            return;
        t->order = order;
        t->reports_cap = t->cap;
    }
    for (size_t i = 0; i < t->n; i++)
        t->order[i] = &t->v[i];
    if (t->n)
        qsort(t->order, t->n, sizeof *t->order, by_use);
    for (size_t i = 0; i < n; i++)
        report_process(t, t->order[i], step_s, &t->reports[i]);
    r->processes_top = t->reports;
    r->ntop = n;
}

/* Never less than before: what was lost between two readings is not taken away. */
static double total(struct sl_tree *t, int k, double unit)
{
    double sum = (double)t->dead[k];

    for (size_t i = 0; i < t->n; i++)
        sum += (double)t->v[i].used[k] - (double)t->v[i].base[k];
    t->last[k] = sum > t->last[k] ? sum : t->last[k];
    return t->last[k] * unit;
}

static void add_living(const struct sl_tree *t, struct sl_tree_report *r)
{
    bool pss = t->options.detail >= SL_DETAIL_PSS, swap = t->options.detail >= SL_DETAIL_IO;

    r->processes = r->threads = r->rss_mb = 0;
    r->pss_mb = pss ? 0 : NAN;
    r->swap_mb = swap ? 0 : NAN;
    for (size_t i = 0; i < t->n; i++) {
        const struct member *p = &t->v[i];
        if (p->stat.state == 'Z' || p->stat.state == 'X')
            continue;
        r->processes++;
        r->threads += (double)p->stat.threads;
        r->rss_mb += (double)p->stat.rss_pages * t->page_mb;
        r->pss_mb += kb(p->pss_kb); /* absent where it is of one */
        r->swap_mb += kb(p->status.swap_kb);
    }
}

bool sl_tree_read(struct sl_tree *t, struct sl_tree_report *r)
{
    int64_t mono = sl_clock_ns(CLOCK_MONOTONIC);
    double step_s = (double)(mono - t->last_mono_ns) / 1e9;
    double cpu_before = t->last[USED_USER] + t->last[USED_SYSTEM];

    *r = (struct sl_tree_report){
#define SL_FIELD(name, decimals) .name = NAN,
        SL_TREE_FIELDS(SL_FIELD)
#undef SL_FIELD
    };
    tree_find(t, false);
    t->last_mono_ns = mono;
    settle(t);
    remove_gone(t);
    for (size_t i = 0; i < t->n; i++)
        process_read_details(t, &t->v[i]);
    add_living(t, r);
    r->cpu_user_s = total(t, USED_USER, 1e-6);
    r->cpu_system_s = total(t, USED_SYSTEM, 1e-6);
    r->major_faults = total(t, USED_FAULTS, 1);
    if (step_s > 0)
        r->cpu_pct = (t->last[USED_USER] + t->last[USED_SYSTEM] - cpu_before) / 1e4 / step_s;
    if (t->any_io && !t->denied_io) {
        r->read_mb = total(t, USED_READ, 1 / MB);
        r->write_mb = total(t, USED_WRITE, 1 / MB);
        r->disk_read_mb = total(t, USED_DISK_READ, 1 / MB);
        r->disk_write_mb = total(t, USED_DISK_WRITE, 1 / MB);
    }
    if (t->any_switches) {
        r->switches_voluntary = (double)t->switches[0];
        r->switches_involuntary = (double)t->switches[1];
    }
    r->ended = (double)t->ended;
    report_top(t, step_s, r);
    return r->processes > 0;
}
