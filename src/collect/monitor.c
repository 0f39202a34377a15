/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/monitor.h"
#include "base/clock.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FILES_LEFT = 64 }; /* open files that are not for processes */

struct monitor_inside {
    struct monitor *m;
    struct sl_sampler *sampler;
    struct sl_tree *tree;
    struct sl_cgroup *cgroup;
    struct sl_gpus *gpus;
    struct sl_decimator decimator;
    struct sl_buf lines;
    int64_t interval_ns, start_boot_ns;
    int64_t clock_offset_ns, suspend_offset_ns; /* CLOCK_REALTIME and CLOCK_MONOTONIC against CLOCK_BOOTTIME */
    int64_t first_suspend_offset_ns;
    struct sl_err *err;
    int rc;
};

/* ---- readings ---- */

/*
 * What the clock went apart from CLOCK_BOOTTIME: adjustment is at most 500 ppm (adjtimex(2)), what is more than twice
 * that was set.  Suspension is what CLOCK_MONOTONIC lags behind.
 */
static void watch_clocks(struct monitor_inside *in)
{
    int64_t boot = sl_clock_ns(CLOCK_BOOTTIME), offset = sl_clock_ns(CLOCK_REALTIME) - boot;
    int64_t suspend = boot - sl_clock_ns(CLOCK_MONOTONIC);
    int64_t since = in->m->last.node.uptime_ns ? boot - in->m->last.node.uptime_ns : 0;
    int64_t step = offset - in->clock_offset_ns, allowed = since / 1000 + 1000000;

    if (in->clock_offset_ns && (step > allowed || step < -allowed))
        in->m->clock_steps_s += (double)step / 1e9;
    in->clock_offset_ns = offset;
    if (!in->first_suspend_offset_ns)
        in->first_suspend_offset_ns = suspend;
    if (suspend - in->first_suspend_offset_ns > 1000000)
        in->m->suspended_s = (double)(suspend - in->first_suspend_offset_ns) / 1e9;
}

static void most(double *most_so_far, double x)
{
    if (isnan(*most_so_far) || x > *most_so_far)
        *most_so_far = x;
}

static void take(struct monitor_inside *in, int64_t n)
{
    struct monitor *m = in->m;
    struct monitor_readings *r = &m->last;

    watch_clocks(in);
    r->n = n;
    sl_sampler_read(in->sampler, &r->node);
    if (in->tree) {
        sl_tree_read(in->tree, &r->tree);
        r->has_tree = true;
    }
    r->has_cgroup = in->cgroup && sl_cgroup_read(in->cgroup, &r->cgroup);
    for (size_t i = 0; i < r->ngpus; i++)
        r->gpu_is_there[i] = sl_gpus_read(in->gpus, i, &r->gpus[i]);
    r->cost_cpu_s = (double)sl_clock_ns(CLOCK_PROCESS_CPUTIME_ID) / 1e9;
    most(&m->sums.most_cpu_pct, r->node.cpu_pct_per_cpu_avg);
    most(&m->sums.most_mem_percent, r->node.mem_percent);
    most(&m->sums.most_disk_percent, r->node.disk_usage_percent);
    if (r->has_tree) {
        most(&m->sums.most_rss_mb, r->tree.rss_mb);
        most(&m->sums.most_processes, r->tree.processes);
    }
    for (size_t i = 0; i < r->ngpus; i++)
        if (r->gpu_is_there[i])
            most(&m->sums.most_gpu_mb, r->gpus[i].memory_mb);
}

static void write_moment(struct monitor_inside *in, int64_t n)
{
    struct monitor *m = in->m;

    in->decimator.count = (uint64_t)n - 1;
    switch (sl_decimator_add(&in->decimator)) {
    case SL_DECIMATE_SKIP: return;
    case SL_DECIMATE_HALVE:
        monitor_file_halve(&m->file);
        m->kept = in->decimator.length;
        return;
    case SL_DECIMATE_KEEP: break;
    }
    sl_buf_clear(&in->lines);
    monitor_json_moment(&in->lines, &m->last, in->gpus);
    m->kept += monitor_file_add(&m->file, &in->lines);
}

/* What is due: a reading, where it is time for one.  When the next one is, on CLOCK_MONOTONIC. */
static int64_t reading_is_due(struct monitor_inside *in)
{
    struct monitor *m = in->m;
    int64_t step = in->interval_ns * (int64_t)in->decimator.every, now = sl_clock_ns(CLOCK_BOOTTIME);
    int64_t n = (now - in->start_boot_ns) / step * (int64_t)in->decimator.every;

    /* what was missed, while the machine slept or was too busy, stays missed */
    if (n > m->last.n) {
        take(in, n);
        m->taken++;
        write_moment(in, n);
        if (m->options->show)
            m->options->show(m->options->arg, m, &m->last);
        step = in->interval_ns * (int64_t)in->decimator.every;
        now = sl_clock_ns(CLOCK_BOOTTIME);
    }
    return sl_clock_ns(CLOCK_MONOTONIC) + step - (now - in->start_boot_ns) % step;
}

/* ---- begin ---- */

static void begin_tree(struct monitor_inside *in, pid_t target, bool ours)
{
    const struct monitor_options *o = in->m->options;
    struct rlimit files = {1024, 1024};
    struct sl_tree_options t = {o->roots, target, ours, o->detail, o->top, 0};

    getrlimit(RLIMIT_NOFILE, &files);
    t.files = files.rlim_cur > FILES_LEFT ? (size_t)files.rlim_cur - FILES_LEFT : 0;
    in->tree = sl_tree_new(&t, &in->m->no_tree);
}

/* All that costs time comes when the command has begun, and nothing of it keeps it from running. */
static int begin(struct monitor_inside *in, pid_t target)
{
    struct monitor *m = in->m;
    const struct monitor_options *o = m->options;
    struct sl_err no_cgroup = {0}, no_gpus = {0};

    if (target)
        begin_tree(in, target, o->argv != NULL);
    if (target && !in->tree && !o->argv)
        return sl_err(in->err, m->no_tree.code, "%s", m->no_tree.text);
    if ((in->cgroup = sl_cgroup_new(&o->roots, o->pid, &no_cgroup))) /* a command begins in ours */
        sl_cgroup_facts(in->cgroup, &m->cgroup_facts);
    if (!o->no_gpu && (in->gpus = sl_gpus_new(&no_gpus))) {
        m->last.ngpus = sl_gpus_count(in->gpus);
        m->last.gpus = sl_alloc(m->last.ngpus * sizeof *m->last.gpus);
        m->last.gpu_is_there = sl_alloc(m->last.ngpus * sizeof *m->last.gpu_is_there);
    }
    m->unwatched = m->no_tree.code == SL_EIO ? m->no_tree : no_cgroup.code == SL_EIO ? no_cgroup : no_gpus;
    monitor_json_header(&in->lines, m, in->gpus, target);
    return monitor_file_header(&m->file, &in->lines, in->err);
}

static void stamp(struct monitor_inside *in)
{
    struct monitor *m = in->m;

    m->last.node.timestamp_ns = sl_clock_ns(CLOCK_REALTIME);
    m->last.node.uptime_ns = in->start_boot_ns = sl_clock_ns(CLOCK_BOOTTIME);
    m->start_s = (double)in->start_boot_ns / 1e9;
    watch_clocks(in);
}

/* ---- a command ---- */

static int64_t command_due(void *arg, const struct child *c)
{
    struct monitor_inside *in = arg;

    if (!in->lines.n && in->rc == 0) /* it has begun just now */
        in->rc = begin(in, c->pid);
    if (in->rc < 0)
        return INT64_MAX;
    return reading_is_due(in);
}

static void command_ending(void *arg, pid_t pid)
{
    struct monitor_inside *in = arg;

    if (in->tree)
        sl_tree_ending(in->tree, pid);
}

static void command_ended(void *arg, pid_t pid, const struct rusage *usage)
{
    struct monitor_inside *in = arg;
    struct monitor_sums *sums = &in->m->sums;

    most(&in->m->peak_rss_mb, (double)usage->ru_maxrss / 1024);
    most(&sums->most_rss_mb, in->m->peak_rss_mb); /* between two readings it may have had, and given back, much more */
    if (!(sums->most_processes >= 1))
        sums->most_processes = 1;
    if (in->tree)
        sl_tree_ended(in->tree, pid, usage);
}

static int run_command(struct monitor_inside *in)
{
    struct monitor *m = in->m;
    struct child_watch watch = {command_due, command_ending, command_ended, in};

    m->why = MONITOR_COMMAND;
    child_run_watched(&m->child, m->options->argv, &watch);
    if (m->child.error)
        return sl_err(in->err, SL_ENOTFOUND, "%s: %s", m->options->argv[0], strerror(m->child.error));
    return in->rc;
}

/* ---- without a command ---- */

/* Waits for a signal or the end of the process, until a time on CLOCK_MONOTONIC; true: it is over. */
static bool wait_until(struct monitor *m, struct pollfd wait[2], int64_t until_ns)
{
    int64_t left = until_ns - sl_clock_ns(CLOCK_MONOTONIC);
    struct timespec t = {0, 0};
    struct signalfd_siginfo info;

    if (left > 0)
        t = (struct timespec){left / 1000000000, left % 1000000000};
    wait[0].revents = wait[1].revents = 0;
    if (ppoll(wait, 2, &t, NULL) <= 0)
        return false;
    if (wait[0].revents && read(wait[0].fd, &info, sizeof info) == sizeof info) {
        m->why = MONITOR_SIGNAL;
        m->signal = (int)info.ssi_signo;
        return true;
    }
    if (!wait[1].revents)
        return false;
    m->why = MONITOR_PROCESS;
    return true;
}

static int watch(struct monitor_inside *in)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    struct pollfd wait[2] = {{-1, POLLIN, 0}, {-1, POLLIN, 0}};
    struct monitor *m = in->m;
    pid_t pid = m->options->pid;
    sigset_t set, before;
    int rc;

    sigemptyset(&set);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct sigaction now;
        if (sigaction(ends[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN) /* nohup, and jobs in the background */
            sigaddset(&set, ends[i]);
    }
    sigprocmask(SIG_BLOCK, &set, &before);
    if ((wait[0].fd = signalfd(-1, &set, SFD_CLOEXEC)) < 0) {
        rc = sl_err(in->err, SL_EIO, "signals cannot be waited for: %s", strerror(errno));
        sigprocmask(SIG_SETMASK, &before, NULL);
        return rc;
    }
    if (pid)
        wait[1].fd = (int)syscall(SYS_pidfd_open, pid, 0); /* -1, Linux before 5.3: seen at the next reading */
    if ((rc = begin(in, pid)) == 0)
        while (!wait_until(m, wait, reading_is_due(in))) {
            if (pid && wait[1].fd < 0 && kill(pid, 0) != 0 && errno == ESRCH) {
                m->why = MONITOR_PROCESS;
                break;
            }
            if (m->file.closed) {
                m->why = MONITOR_ERROR;
                break;
            }
        }
    for (int i = 0; i < 2; i++)
        if (wait[i].fd >= 0)
            close(wait[i].fd);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return rc;
}

/* ---- all of it ---- */

static double peak_rss_mb(void)
{
    char line[256];
    long kb = -1;
    FILE *f = fopen("/proc/self/status", "re");

    while (f && fgets(line, sizeof line, f) && sscanf(line, "VmHWM: %ld", &kb) != 1)
        ;
    if (f)
        fclose(f);
    return kb < 0 ? NAN : (double)kb / 1024;
}

static void tell_of_mounts(struct monitor_inside *in)
{
    const struct monitor_options *o = in->m->options;

    for (size_t i = 0; i < o->nmounts && !in->m->no_mount.code; i++) {
        int error = sl_sampler_mount_error(in->sampler, i);
        if (error)
            sl_err(&in->m->no_mount, SL_EIO, "%s: %s", o->mounts[i],
                   error == ETIMEDOUT ? "it does not answer" : strerror(error));
    }
}

static void end(struct monitor_inside *in)
{
    struct monitor *m = in->m;
    uint64_t reset, wrapped;

    take(in, -1);
    tell_of_mounts(in);
    m->cost_rss_mb = peak_rss_mb();
    sl_sampler_oddities(in->sampler, &reset, &wrapped);
    sl_buf_clear(&in->lines);
    monitor_json_moment(&in->lines, &m->last, in->gpus);
    monitor_json_end(&in->lines, m, &m->last, reset, wrapped, m->options->interval_s * (double)in->decimator.every);
    m->file.ended = monitor_file_add(&m->file, &in->lines);
}

/* What failed meanwhile and kept it from nothing. */
static int failed_meanwhile(struct monitor *m, struct sl_err *err)
{
    const char *why;
    uint64_t n = sl_read_failures(&why);
    int rc = monitor_file_close(&m->file, err);

    if (n && rc)
        sl_err_wrap(err, "%llu readings failed (%s)", (unsigned long long)n, why);
    else if (n)
        rc = sl_err(err, SL_EIO, "%llu reading%s failed: %s", (unsigned long long)n, n == 1 ? "" : "s", why);
    if (m->unwatched.code != SL_EIO)
        return rc;
    return rc ? sl_err_wrap(err, "%s", m->unwatched.text) : sl_err(err, SL_EIO, "%s", m->unwatched.text);
}

int monitor_run(struct monitor *m, const struct monitor_options *o, struct sl_err *err)
{
    struct monitor_inside *in = sl_alloc(sizeof *in);
    struct sl_err own = {0};
    int rc;

    *m = (struct monitor){.options = o,
                          .inside = in,
                          .file = {.fd = -1},
                          .peak_rss_mb = NAN,
                          .cgroup_facts = {0, NULL, NAN, NAN, NAN, NAN},
                          .sums = {NAN, NAN, NAN, NAN, NAN, NAN}};
    in->m = m;
    in->err = err ? err : &own;
    in->interval_ns = llround(o->interval_s * 1e9);
    in->decimator = sl_decimator(o->max_length);
    sl_node_facts(&o->roots, &m->facts);
    if ((rc = monitor_file_open(&m->file, o->output, m->facts.host, getpid(), in->err)) < 0)
        return rc;
    m->file.stream = !o->max_length;
    in->sampler = sl_sampler_new(&(struct sl_sampler_options){o->roots, o->mounts, o->nmounts}, in->err);
    if (!in->sampler) {
        rc = in->err->code;
    } else {
        stamp(in);
        rc = o->argv ? run_command(in) : watch(in);
    }
    if (rc < 0) {
        monitor_file_discard(&m->file);
        return rc;
    }
    end(in);
    m->has_file = true;
    return failed_meanwhile(m, in->err);
}

void monitor_free(struct monitor *m)
{
    struct monitor_inside *in = m->inside;

    sl_tree_free(in->tree);
    sl_cgroup_free(in->cgroup);
    sl_gpus_free(in->gpus);
    sl_sampler_free(in->sampler);
    sl_buf_free(&in->lines);
    free(m->last.gpus);
    free(m->last.gpu_is_there);
    free(in);
}
