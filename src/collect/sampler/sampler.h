/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Readings of a node, of a tree of processes, of a control group and of GPUs, from /proc, /sys and NVML.  What they
 * mean, and where each figure comes from, is in docs/monitor.md: names here are the keys there.
 *
 * For other people's processes, too (Python's threads): it needs libc alone, starts nothing, writes nothing, never
 * exits, leaves errno alone but for what libc does, and has no state of its own outside of what `new` returns.  One
 * thread at a time may use such a thing; two things may be used by two threads.  After a fork only the process that
 * made it may.
 *
 *     struct sl_sampler *s = sl_sampler_new(NULL, &err);
 *     struct sl_node_report r;
 *     while (...) {                          // counters begin at zero, CPU percentages at the next reading
 *         sleep(1);
 *         sl_sampler_read(s, &r);
 *         if (!isnan(r.mem_percent)) ...     // NAN: the system does not offer it, or not now
 *     }
 *     sl_sampler_free(s);
 */
#ifndef SL_COLLECT_SAMPLER_SAMPLER_H
#define SL_COLLECT_SAMPLER_SAMPLER_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

/* Where to look: for tests, and for a container that sees its host's /proc elsewhere.  NULL: "/proc", "/sys". */
struct sl_roots {
    const char *proc, *sys;
};

/* ---- the node ---- */

/*
 * Fields of a report, one a line: F(name, decimals).  All are double, NAN where absent; decimals: how many of them
 * mean something.  The first ones are those of a report of Python's PerformanceReportingThread, but for timestamp.
 */
#define SL_NODE_SEED_FIELDS(F)                                                                                         \
    F(cpu_pct_per_cpu_avg, 2)                                                                                          \
    F(cpu_pct_per_cpu_min, 2)                                                                                          \
    F(cpu_pct_per_cpu_max, 2)                                                                                          \
    F(mem_percent, 2)                                                                                                  \
    F(disk_usage_percent, 2)                                                                                           \
    F(disk_io_read_mb, 6)                                                                                              \
    F(disk_io_write_mb, 6)                                                                                             \
    F(net_io_lo_sent_mb, 6)                                                                                            \
    F(net_io_ext_sent_mb, 6)                                                                                           \
    F(net_io_lo_recv_mb, 6)                                                                                            \
    F(net_io_ext_recv_mb, 6)
#define SL_NODE_FIELDS(F)                                                                                              \
    SL_NODE_SEED_FIELDS(F)                                                                                             \
    F(cpus, 0)                                                                                                         \
    F(cpu_busy_s, 3)                                                                                                   \
    F(cpu_user_s, 3)                                                                                                   \
    F(cpu_system_s, 3)                                                                                                 \
    F(cpu_iowait_s, 3)                                                                                                 \
    F(cpu_steal_s, 3)                                                                                                  \
    F(cpu_capacity_s, 3)                                                                                               \
    F(mem_available_mb, 3)                                                                                             \
    F(mem_free_mb, 3)                                                                                                  \
    F(mem_page_cache_mb, 3)                                                                                            \
    F(mem_dirty_mb, 3)                                                                                                 \
    F(mem_shared_mb, 3)                                                                                                \
    F(mem_slab_mb, 3)                                                                                                  \
    F(swap_used_mb, 3)                                                                                                 \
    F(swap_in_mb, 3)                                                                                                   \
    F(swap_out_mb, 3)                                                                                                  \
    F(load_1, 2)                                                                                                       \
    F(load_5, 2)                                                                                                       \
    F(load_15, 2)                                                                                                      \
    F(tasks_running, 0)                                                                                                \
    F(tasks, 0)                                                                                                        \
    F(tasks_blocked, 0)                                                                                                \
    F(forks, 0)                                                                                                        \
    F(context_switches, 0)                                                                                             \
    SL_PRESSURE_FIELDS(F)
#define SL_PRESSURE_FIELDS(F)                                                                                          \
    F(pressure_cpu_some_s, 6)                                                                                          \
    F(pressure_memory_some_s, 6)                                                                                       \
    F(pressure_memory_full_s, 6)                                                                                       \
    F(pressure_io_some_s, 6)                                                                                           \
    F(pressure_io_full_s, 6)

struct sl_disk_report {
    const char *name;
    double read_mb, write_mb, busy_s; /* since the beginning; NAN: absent */
};
struct sl_net_report {
    const char *name;
    double sent_mb, recv_mb;
};
struct sl_mount_report {
    const char *path;
    double used_mb, free_mb, used_percent;
};

struct sl_node_report {
    int64_t timestamp_ns; /* CLOCK_REALTIME */
    int64_t uptime_ns;    /* CLOCK_BOOTTIME */
    double interval_s;    /* CLOCK_MONOTONIC, since the reading before */
#define SL_FIELD(name, decimals) double name;
    SL_NODE_FIELDS(SL_FIELD)
#undef SL_FIELD
    /* Borrowed from the sampler until its next reading. */
    const double *cpu_pct; /* by number of the CPU; NAN: offline, or not known */
    size_t ncpu_pct;
    const struct sl_disk_report *disks; /* those that have done anything */
    size_t ndisks;
    const struct sl_net_report *nets;
    size_t nnets;
    const struct sl_mount_report *mounts; /* as in the options, without those that cannot be read */
    size_t nmounts;
};

struct sl_sampler;
struct sl_sampler_options {
    struct sl_roots roots;
    const char *const *mounts; /* the first is that of disk_usage_percent; NULL: only "/" */
    size_t nmounts;
};

/* The counters of now are zero.  options, copied, may be NULL.  NULL, err filled: no memory, or there is no /proc. */
struct sl_sampler *sl_sampler_new(const struct sl_sampler_options *options, struct sl_err *err);
void sl_sampler_free(struct sl_sampler *s);
/*
 * A reading.  What cannot be read is absent, so it has no errors.  CPU percentages are of the time since the last
 * reading that had any, and absent where that is less than 0.1 s.
 */
void sl_sampler_read(struct sl_sampler *s, struct sl_node_report *r);
/*
 * How often something failed that this thread read of /proc or /sys, in this process so far: the system had no memory,
 * no descriptor, or an error of its own; not what it does not offer, or has no more.  *why: the last one.
 */
uint64_t sl_read_failures(const char **why);
/* How often a counter of the kernel began anew, and how often one wrapped around. */
void sl_sampler_oddities(const struct sl_sampler *s, uint64_t *reset, uint64_t *wrapped);

/* Why the i-th mount of the options is not in the last reading, as errno; ETIMEDOUT: it does not answer.  0: it is. */
int sl_sampler_mount_error(const struct sl_sampler *s, size_t i);

/* What does not change.  Absent: NAN, 0 or "". */
struct sl_node_facts {
    char host[256], kernel[65], machine[65], boot_id[40];
    double boot_time; /* Unix time, s */
    double tick_s;    /* grain of CPU times */
    double memory_mb, swap_mb;
    int cpus, cpus_allowed; /* online; of this thread's affinity */
};
void sl_node_facts(const struct sl_roots *roots, struct sl_node_facts *facts);

/* ---- which reports are kept ---- */

/*
 * At most max_length, which is made even: one more, and every other of those that were there is kept, from the
 * first on; the new one is not, and from then on only every second, fourth ... is.
 *
 *     switch (sl_decimator_add(&d)) {
 *     case SL_DECIMATE_SKIP: break;
 *     case SL_DECIMATE_KEEP: append; break;
 *     case SL_DECIMATE_HALVE: of d.length * 2 that are there keep those at 0, 2, 4 ...; break;
 *     }
 */
struct sl_decimator {
    size_t max_length, length; /* max_length 0: all are kept */
    uint64_t count, every;     /* reports so far; of which every so many-th is kept */
};
enum sl_decimation { SL_DECIMATE_SKIP, SL_DECIMATE_KEEP, SL_DECIMATE_HALVE };
struct sl_decimator sl_decimator(size_t max_length);
enum sl_decimation sl_decimator_add(struct sl_decimator *d);

/* ---- a tree of processes ---- */

enum sl_detail {
    SL_DETAIL_CPU, /* /proc/PID/stat: CPU, resident memory, threads */
    SL_DETAIL_IO,  /* and io, status: I/O, swap, context switches */
    SL_DETAIL_PSS  /* and smaps_rollup, which locks the memory map of the process for a moment */
};

#define SL_PROCESS_FIELDS(F)                                                                                           \
    F(threads, 0)                                                                                                      \
    F(cpu_pct, 2)                                                                                                      \
    F(cpu_user_s, 3)                                                                                                   \
    F(cpu_system_s, 3)                                                                                                 \
    F(cpu_children_s, 3)                                                                                               \
    F(rss_mb, 3)                                                                                                       \
    F(rss_peak_mb, 3)                                                                                                  \
    F(pss_mb, 3)                                                                                                       \
    F(swap_mb, 3)                                                                                                      \
    F(read_mb, 6)                                                                                                      \
    F(write_mb, 6)                                                                                                     \
    F(disk_read_mb, 6)                                                                                                 \
    F(disk_write_mb, 6)                                                                                                \
    F(major_faults, 0)                                                                                                 \
    F(switches_voluntary, 0)                                                                                           \
    F(switches_involuntary, 0)
#define SL_TREE_FIELDS(F)                                                                                              \
    F(processes, 0)                                                                                                    \
    F(threads, 0)                                                                                                      \
    F(cpu_pct, 2)                                                                                                      \
    F(cpu_user_s, 3)                                                                                                   \
    F(cpu_system_s, 3)                                                                                                 \
    F(rss_mb, 3)                                                                                                       \
    F(pss_mb, 3)                                                                                                       \
    F(swap_mb, 3)                                                                                                      \
    F(read_mb, 6)                                                                                                      \
    F(write_mb, 6)                                                                                                     \
    F(disk_read_mb, 6)                                                                                                 \
    F(disk_write_mb, 6)                                                                                                \
    F(major_faults, 0)                                                                                                 \
    F(switches_voluntary, 0)                                                                                           \
    F(switches_involuntary, 0)                                                                                         \
    F(ended, 0)

struct sl_process_report {
    pid_t pid, ppid;
    double start; /* Unix time, s; the same in every report of the process */
    char state, name[64];
    const char *command; /* NULL: it has none, or it cannot be read; borrowed until the next reading */
#define SL_FIELD(name, decimals) double name;
    SL_PROCESS_FIELDS(SL_FIELD)
#undef SL_FIELD
};
struct sl_tree_report {
#define SL_FIELD(name, decimals) double name;
    SL_TREE_FIELDS(SL_FIELD)
#undef SL_FIELD
    const struct sl_process_report *processes_top; /* those that used most CPU since the reading before, then memory */
    size_t ntop;
};

struct sl_tree;
struct sl_tree_options {
    struct sl_roots roots;
    pid_t root; /* that process and all below it, also those whose parents have ended */
    bool ours;  /* the root is a child of this process, which is a subreaper and calls sl_tree_ended() */
    enum sl_detail detail;
    size_t top;   /* at most so many processes are reported one by one */
    size_t files; /* at most so many files are kept open */
};
/* SL_ENOTFOUND: there is no such process.  What runs in it already counts from now on. */
struct sl_tree *sl_tree_new(const struct sl_tree_options *options, struct sl_err *err);
void sl_tree_free(struct sl_tree *t);
/* False: no process of the tree lives any more; the report is the last. */
bool sl_tree_read(struct sl_tree *t, struct sl_tree_report *r);
/*
 * A child of this process has ended and was waited for: what it, and all that it waited for, used.  ending: called
 * just before, while it is a zombie still (waitid() with WNOWAIT); in between nothing is read or written.
 */
void sl_tree_ending(struct sl_tree *t, pid_t pid);
void sl_tree_ended(struct sl_tree *t, pid_t pid, const struct rusage *usage);

/* ---- a control group ---- */

#define SL_CGROUP_FIELDS(F)                                                                                            \
    F(cpu_s, 6)                                                                                                        \
    F(cpu_user_s, 6)                                                                                                   \
    F(cpu_system_s, 6)                                                                                                 \
    F(cpu_throttled_s, 6)                                                                                              \
    F(cpu_throttled, 0)                                                                                                \
    F(memory_mb, 3)                                                                                                    \
    F(memory_peak_mb, 3)                                                                                               \
    F(memory_anon_mb, 3)                                                                                               \
    F(memory_file_mb, 3)                                                                                               \
    F(swap_mb, 3)                                                                                                      \
    F(oom_kills, 0)                                                                                                    \
    F(read_mb, 6)                                                                                                      \
    F(write_mb, 6)                                                                                                     \
    F(tasks, 0)                                                                                                        \
    SL_PRESSURE_FIELDS(F)
struct sl_cgroup_report {
#define SL_FIELD(name, decimals) double name;
    SL_CGROUP_FIELDS(SL_FIELD)
#undef SL_FIELD
};
struct sl_cgroup_facts {
    int version;      /* 2, or 1 where any controller is of v1 */
    const char *path; /* as /proc/PID/cgroup has it; of v1 that of memory, or else of CPU; borrowed from the group */
    double cpus, memory_mb, swap_mb, tasks; /* limits, the least of it and those above; NAN: none */
};

struct sl_cgroup;
/* Of a process; 0: of this one.  SL_ENOTFOUND: in none but that of the whole machine, or none can be seen from
 * here. */
struct sl_cgroup *sl_cgroup_new(const struct sl_roots *roots, pid_t pid, struct sl_err *err);
void sl_cgroup_free(struct sl_cgroup *c);
void sl_cgroup_facts(const struct sl_cgroup *c, struct sl_cgroup_facts *facts);
/* False: the group is gone. */
bool sl_cgroup_read(struct sl_cgroup *c, struct sl_cgroup_report *r);

/* ---- GPUs ---- */

#define SL_GPU_FIELDS(F)                                                                                               \
    F(gpu_pct, 0)                                                                                                      \
    F(memory_pct, 0)                                                                                                   \
    F(memory_mb, 3)                                                                                                    \
    F(power_w, 3)                                                                                                      \
    F(temperature_c, 0)                                                                                                \
    F(sm_mhz, 0)                                                                                                       \
    F(energy_j, 3)
struct sl_gpu_facts {
    unsigned index;
    char uuid[96], name[96], driver[96]; /* "": absent */
    double memory_mb;
};
struct sl_gpu_process {
    unsigned pid;
    double memory_mb; /* NAN: the driver does not tell */
};
struct sl_gpu_report {
#define SL_FIELD(name, decimals) double name;
    SL_GPU_FIELDS(SL_FIELD)
#undef SL_FIELD
    const struct sl_gpu_process *processes; /* borrowed until the next reading; NULL: not known */
    size_t nprocesses;
};

struct sl_gpus;
/* By NVML, loaded now (libnvidia-ml.so.1).  SL_ENOTFOUND: there is none, or no GPU; the err says which. */
struct sl_gpus *sl_gpus_new(struct sl_err *err);
void sl_gpus_free(struct sl_gpus *g);
size_t sl_gpus_count(const struct sl_gpus *g);
void sl_gpus_facts(const struct sl_gpus *g, size_t i, struct sl_gpu_facts *facts);
/* False: it does not answer (it fell off the bus); it may come back. */
bool sl_gpus_read(struct sl_gpus *g, size_t i, struct sl_gpu_report *r);

#endif
