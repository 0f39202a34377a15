/* SPDX-License-Identifier: Apache-2.0 */
/* Keys are those of docs/monitor.md.  What is NAN is not there. */
#include "base/json_out.h"
#include "collect/monitor.h"
#include "collect/process.h"
#include "trace/job_environment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

/* The number in decimal with at most so many decimals, without zeros at their end; a fifth of what printf costs. */
static void add_number(struct sl_buf *b, double x, int decimals)
{
    static const double scale[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
    char text[32], *at = text + sizeof text;
    int64_t whole;
    uint64_t u;

    if (!(fabs(x) < 9e15 / scale[decimals])) {
        sl_buf_addf(b, "%.17g", x);
        return;
    }
    whole = llround(x * scale[decimals]);
    u = whole < 0 ? -(uint64_t)whole : (uint64_t)whole;
    while (decimals && u % 10 == 0) {
        u /= 10;
        decimals--;
    }
    for (int i = 0; i < decimals; i++, u /= 10)
        *--at = (char)('0' + u % 10);
    if (decimals)
        *--at = '.';
    do
        *--at = (char)('0' + u % 10);
    while (u /= 10);
    if (whole < 0)
        *--at = '-';
    sl_buf_add(b, at, (size_t)(text + sizeof text - at));
}

static void add_real(struct sl_buf *b, const char *key, double x, int decimals)
{
    if (isnan(x))
        return;
    sl_json_member(b, key);
    add_number(b, x, decimals);
}
#define FIELD(name, decimals) add_real(b, #name, r->name, decimals);

static void add_text(struct sl_buf *b, const char *key, const char *s)
{
    if (s && *s)
        sl_json_text(b, key, s);
}

/* Seconds with six digits, exactly. */
static void add_time(struct sl_buf *b, const char *key, int64_t ns)
{
    int64_t us = ns / 1000;

    sl_json_raw(b, key, us < 0 ? "-" : "");
    us = us < 0 ? -us : us;
    sl_buf_add_int(b, us / 1000000);
    us = us % 1000000 + 1000000;
    sl_buf_addc(b, '.');
    for (int64_t unit = 100000; unit; unit /= 10)
        sl_buf_addc(b, (char)('0' + us / unit % 10));
}

/* ---- the first line ---- */

static void add_job(struct sl_buf *b)
{
    bool any = false;

    for (char **e = environ; *e; e++) {
        const char *equals = strchr(*e, '=');
        if (!equals || !sl_job_environment_names(*e))
            continue;
        if (!any)
            sl_json_open(b, "job", '{');
        any = true;
        sl_json_bytes(b, NULL, *e, (size_t)(equals - *e));
        sl_buf_addc(b, ':');
        sl_json_text(b, NULL, equals + 1);
    }
    if (any)
        sl_json_close(b, '}');
}

static void add_cgroup(struct sl_buf *b, const struct sl_cgroup_facts *f)
{
    if (!f->path)
        return;
    sl_json_open(b, "cgroup", '{');
    sl_json_int(b, "version", f->version);
    add_text(b, "path", f->path);
    add_real(b, "cpus", f->cpus, 3);
    add_real(b, "memory_mb", f->memory_mb, 3);
    add_real(b, "swap_mb", f->swap_mb, 3);
    add_real(b, "tasks", f->tasks, 0);
    sl_json_close(b, '}');
}

static void add_gpus(struct sl_buf *b, const struct sl_gpus *gpus)
{
    struct sl_gpu_facts f;

    if (!sl_gpus_count(gpus))
        return;
    sl_json_open(b, "gpus", '[');
    for (size_t i = 0; i < sl_gpus_count(gpus); i++) {
        sl_gpus_facts(gpus, i, &f);
        sl_json_open(b, NULL, '{');
        sl_json_int(b, "index", f.index);
        add_text(b, "uuid", f.uuid);
        add_text(b, "name", f.name);
        add_real(b, "memory_mb", f.memory_mb, 3);
        add_text(b, "driver", f.driver);
        sl_json_close(b, '}');
    }
    sl_json_close(b, ']');
}

static void add_words(struct sl_buf *b, const char *key, const char *s, size_t n)
{
    sl_json_open(b, key, '[');
    for (size_t i = 0; i < n; i += strlen(s + i) + 1)
        sl_json_text(b, NULL, s + i);
    sl_json_close(b, ']');
}

static void add_command(struct sl_buf *b, const struct monitor *m, pid_t target)
{
    static struct shell_process p; /* large */
    struct sl_buf line = {0};
    char path[PATH_MAX], room[4096];
    FILE *f;
    size_t n;

    p = (struct shell_process){0};
    if (!m->no_tree.code) /* else /proc has another process of that number */
        shell_process_read(&p, target);
    if (m->options->argv) {
        for (char *const *a = m->options->argv; *a; a++)
            sl_buf_add(&line, *a, strlen(*a) + 1);
        if (!*p.cwd && !getcwd(p.cwd, sizeof p.cwd))
            *p.cwd = 0;
    } else {
        snprintf(path, sizeof path, "%s/%d/cmdline", m->options->roots.proc ? m->options->roots.proc : "/proc",
                 (int)target);
        if ((f = fopen(path, "re"))) {
            while ((n = fread(room, 1, sizeof room, f)) > 0)
                sl_buf_add(&line, room, n);
            fclose(f);
        }
        sl_buf_addc(&line, 0); /* where one has no NUL at its end */
        line.n -= line.n > 1 && !line.s[line.n - 2];
    }
    if (line.n)
        add_words(b, "command", line.s, line.n);
    sl_buf_free(&line);
    add_text(b, "cwd", p.cwd);
    sl_json_int(b, "target_pid", target);
    if (p.start_ticks)
        add_real(b, "target_start", m->facts.boot_time + (double)p.start_ticks * m->facts.tick_s, 2);
}

void monitor_json_header(struct sl_buf *b, const struct monitor *m, const struct sl_gpus *gpus, pid_t target)
{
    const struct monitor_options *o = m->options;
    const struct sl_node_facts *f = &m->facts;

    sl_json_open(b, NULL, '{');
    sl_json_text(b, "record", "monitor");
    sl_json_int(b, "format", 1);
    sl_json_text(b, "version", SL_VERSION);
    add_text(b, "host", f->host);
    add_text(b, "rank", sl_job_environment_rank());
    sl_json_int(b, "pid", getpid());
    add_time(b, "timestamp", m->last.node.timestamp_ns);
    add_time(b, "uptime_s", m->last.node.uptime_ns);
    add_real(b, "boot_time", f->boot_time, 6);
    add_text(b, "boot_id", f->boot_id);
    sl_json_text(b, "clock", "CLOCK_REALTIME");
    add_real(b, "interval_s", o->interval_s, 6);
    if (o->max_length)
        add_real(b, "max_length", (double)(o->max_length + o->max_length % 2), 0);
    add_real(b, "cpus", f->cpus ? f->cpus : NAN, 0);
    add_real(b, "cpus_allowed", f->cpus_allowed ? f->cpus_allowed : NAN, 0);
    add_real(b, "memory_mb", f->memory_mb, 3);
    add_real(b, "swap_mb", f->swap_mb, 3);
    add_real(b, "tick_s", f->tick_s, 6);
    add_text(b, "mount", o->nmounts ? o->mounts[0] : "/");
    add_text(b, "kernel", f->kernel);
    add_text(b, "machine", f->machine);
    add_text(b, "mode", o->argv ? "command" : o->pid ? "pid" : "node");
    if (target)
        add_command(b, m, target);
    add_job(b);
    add_cgroup(b, &m->cgroup_facts);
    add_gpus(b, gpus);
    sl_buf_adds(b, "}\n");
}

/* ---- a moment ---- */

static void begin(struct sl_buf *b, const char *record, const struct monitor_readings *r)
{
    sl_json_open(b, NULL, '{');
    sl_json_text(b, "record", record);
    if (r->n >= 0)
        add_real(b, "n", (double)r->n, 0);
    add_time(b, "timestamp", r->node.timestamp_ns);
}

static void add_process(struct sl_buf *b, const struct sl_process_report *r)
{
    char state[2] = {r->state, 0};

    sl_json_int(b, "pid", r->pid);
    sl_json_int(b, "ppid", r->ppid);
    add_real(b, "start", r->start, 2);
    add_text(b, "name", r->name);
    add_text(b, "command", r->command);
    add_text(b, "state", state);
    SL_PROCESS_FIELDS(FIELD)
}

static void add_tree(struct sl_buf *b, const struct monitor_readings *all)
{
    const struct sl_tree_report *r = &all->tree;

    for (size_t i = 0; i < r->ntop; i++) {
        begin(b, "process", all);
        add_process(b, &r->processes_top[i]);
        sl_buf_adds(b, "}\n");
    }
    begin(b, "tree", all);
    SL_TREE_FIELDS(FIELD)
    sl_buf_adds(b, "}\n");
}

static void add_cgroup_moment(struct sl_buf *b, const struct monitor_readings *all)
{
    const struct sl_cgroup_report *r = &all->cgroup;

    begin(b, "cgroup", all);
    SL_CGROUP_FIELDS(FIELD)
    sl_buf_adds(b, "}\n");
}

static void add_gpu(struct sl_buf *b, const struct monitor_readings *all, size_t i, const struct sl_gpus *gpus)
{
    const struct sl_gpu_report *r = &all->gpus[i];
    struct sl_gpu_facts facts;

    sl_gpus_facts(gpus, i, &facts);
    begin(b, "gpu", all);
    add_real(b, "index", (double)i, 0);
    add_text(b, "uuid", facts.uuid);
    SL_GPU_FIELDS(FIELD)
    if (r->processes) {
        sl_json_open(b, "processes", '[');
        for (size_t k = 0; k < r->nprocesses; k++) {
            sl_json_open(b, NULL, '{');
            sl_json_int(b, "pid", r->processes[k].pid);
            add_real(b, "memory_mb", r->processes[k].memory_mb, 3);
            sl_json_close(b, '}');
        }
        sl_json_close(b, ']');
    }
    sl_buf_adds(b, "}\n");
}

static void add_cpus(struct sl_buf *b, const struct sl_node_report *r)
{
    bool any = false;

    for (size_t i = 0; i < r->ncpu_pct; i++)
        any |= !isnan(r->cpu_pct[i]);
    if (!any)
        return;
    sl_json_open(b, "cpu_pct", '[');
    for (size_t i = 0; i < r->ncpu_pct; i++) {
        sl_json_member(b, NULL);
        if (isnan(r->cpu_pct[i]))
            sl_buf_adds(b, "null");
        else
            add_number(b, r->cpu_pct[i], 1);
    }
    sl_json_close(b, ']');
}

/* A name as the key of an object, in one that has the key `of`. */
static void open_named(struct sl_buf *b, const char *of, size_t i, const char *name)
{
    if (!i)
        sl_json_open(b, of, '{');
    sl_json_name(b, name);
    sl_json_open(b, NULL, '{');
}

static void close_named(struct sl_buf *b, bool last)
{
    sl_buf_adds(b, last ? "}}" : "}");
}

static void add_named(struct sl_buf *b, const struct sl_node_report *r)
{
    for (size_t i = 0; i < r->ndisks; i++) {
        open_named(b, "disks", i, r->disks[i].name);
        add_real(b, "read_mb", r->disks[i].read_mb, 6);
        add_real(b, "write_mb", r->disks[i].write_mb, 6);
        add_real(b, "busy_s", r->disks[i].busy_s, 3);
        close_named(b, i + 1 == r->ndisks);
    }
    for (size_t i = 0; i < r->nnets; i++) {
        open_named(b, "nets", i, r->nets[i].name);
        add_real(b, "sent_mb", r->nets[i].sent_mb, 6);
        add_real(b, "recv_mb", r->nets[i].recv_mb, 6);
        close_named(b, i + 1 == r->nnets);
    }
    for (size_t i = 0; i < r->nmounts; i++) {
        open_named(b, "mounts", i, r->mounts[i].path);
        add_real(b, "used_mb", r->mounts[i].used_mb, 3);
        add_real(b, "free_mb", r->mounts[i].free_mb, 3);
        add_real(b, "used_percent", r->mounts[i].used_percent, 2);
        close_named(b, i + 1 == r->nmounts);
    }
}

static void add_node(struct sl_buf *b, const struct monitor_readings *all)
{
    const struct sl_node_report *r = &all->node;

    add_time(b, "uptime_s", r->uptime_ns);
    add_real(b, "interval_s", r->interval_s, 6);
    SL_NODE_FIELDS(FIELD)
    add_cpus(b, r);
    add_named(b, r);
    add_real(b, "cost_cpu_s", all->cost_cpu_s, 6);
}

void monitor_json_moment(struct sl_buf *b, const struct monitor_readings *r, const struct sl_gpus *gpus)
{
    if (r->has_tree)
        add_tree(b, r);
    if (r->has_cgroup)
        add_cgroup_moment(b, r);
    for (size_t i = 0; i < r->ngpus; i++)
        if (r->gpu_is_there[i])
            add_gpu(b, r, i, gpus);
    if (r->n < 0)
        return;
    begin(b, "sample", r);
    add_node(b, r);
    sl_buf_adds(b, "}\n");
}

void monitor_json_end(struct sl_buf *b, const struct monitor *m, const struct monitor_readings *r, uint64_t reset,
                      uint64_t wrapped, double interval_now_s)
{
    static const char *const why[] = {"signal", "command", "process", "error"};
    const char *unread_why;
    uint64_t unread = sl_read_failures(&unread_why);
    int sig = m->why == MONITOR_SIGNAL ? m->signal : m->why == MONITOR_COMMAND ? child_signal(&m->child) : 0;

    begin(b, "end", r);
    add_node(b, r);
    add_text(b, "why", why[m->why]);
    if (sig)
        add_real(b, "signal", sig, 0);
    else if (m->why == MONITOR_COMMAND)
        add_real(b, "exit_status", child_code(&m->child), 0);
    add_real(b, "taken", (double)m->taken, 0);
    add_real(b, "kept", (double)m->kept, 0);
    add_real(b, "interval_s_now", interval_now_s, 6);
    if (m->file.lost || m->file.has_dropped) {
        add_real(b, "lost", (double)m->file.lost, 0);
        add_text(b, "lost_why", m->file.lost_why);
    }
    if (unread) {
        add_real(b, "unread", (double)unread, 0);
        add_text(b, "unread_why", unread_why);
    }
    add_real(b, "clock_steps_s", fabs(m->clock_steps_s) > 0 ? m->clock_steps_s : NAN, 6);
    add_real(b, "suspended_s", m->suspended_s > 0 ? m->suspended_s : NAN, 3);
    add_real(b, "counters_reset", reset ? (double)reset : NAN, 0);
    add_real(b, "counters_wrapped", wrapped ? (double)wrapped : NAN, 0);
    add_real(b, "cost_rss_mb", m->cost_rss_mb, 3);
    add_real(b, "command_rss_peak_mb", m->peak_rss_mb, 3);
    sl_buf_adds(b, "}\n");
}
