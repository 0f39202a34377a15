/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this room share: files that stay open, texts of the kernel, counters. */
#ifndef SL_COLLECT_SAMPLER_SAMPLER_INTERNAL_H
#define SL_COLLECT_SAMPLER_SAMPLER_INTERNAL_H

#include "collect/sampler/sampler.h"

#include <string.h>

/* ---- files (kept_file.c) ---- */

struct text { /* what was read last; zero-initialise, free(s) */
    char *s;
    size_t n, cap;
};

/* A file of /proc or /sys that stays open, since opening one costs as much as reading it.  {0} is one that is absent.
 */
struct kept_file {
    char *path;
    int fd;        /* -1: closed; it is opened when it is read */
    bool is_there; /* it could be read the last time */
};
/* root/relative; false: no memory. */
bool kept_file_init(struct kept_file *f, const char *root, const char *relative);
/* All of it from its beginning, as of now; a NUL follows.  False: it cannot be read, or not now. */
bool kept_file_read(struct kept_file *f, struct text *t);
void kept_file_free(struct kept_file *f);
/*
 * Whether errno says that reading failed, so that nothing is known; not: that it is not there, or not for us.  Then it
 * is counted, as of folder/path, for sl_read_failures().
 */
bool read_failed(const char *folder, const char *path);
/* realloc(), which is counted there, too, where there is no memory. */
void *read_realloc(void *p, size_t n);
/* The same of an open file, and of one that is opened for it alone. */
bool text_read_fd(struct text *t, int fd);
bool text_read(struct text *t, const char *path);

/* ---- texts of the kernel ---- */

struct scan {
    const char *at, *end;
};

static inline void scan_blanks(struct scan *s)
{
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\t'))
        s->at++;
}

/* A number behind blanks; what does not fit is the largest one.  False: there is none here. */
static inline bool scan_uint(struct scan *s, uint64_t *x)
{
    uint64_t sum = 0;
    const char *start;

    scan_blanks(s);
    for (start = s->at; s->at < s->end && (unsigned char)(*s->at - '0') <= 9; s->at++)
        if (__builtin_mul_overflow(sum, 10u, &sum) || __builtin_add_overflow(sum, (uint64_t)(*s->at - '0'), &sum))
            sum = UINT64_MAX;
    *x = sum;
    return s->at > start;
}

/* n numbers in a row: how many there are. */
static inline int scan_uints(struct scan *s, uint64_t *x, int n)
{
    int i = 0;

    while (i < n && scan_uint(s, &x[i]))
        i++;
    return i;
}

/* 12.34, not negative; NAN: there is none. */
double scan_decimal(struct scan *s);

/* Passes word if it is what comes next. */
static inline bool scan_word(struct scan *s, const char *word)
{
    size_t n = strlen(word);

    if ((size_t)(s->end - s->at) < n || memcmp(s->at, word, n))
        return false;
    s->at += n;
    return true;
}

/* The line that begins here, without its end; s goes to the next one.  False: there is no more. */
static inline bool scan_line(struct scan *s, struct scan *line)
{
    const char *end;

    if (s->at >= s->end)
        return false;
    end = memchr(s->at, '\n', (size_t)(s->end - s->at));
    *line = (struct scan){s->at, end ? end : s->end};
    s->at = end ? end + 1 : s->end;
    return true;
}

static inline struct scan scan_text(const struct text *t)
{
    return (struct scan){t->s, t->s + t->n};
}

/* ---- counters since the beginning (counter.c) ---- */

struct counter {
    uint64_t last, total;
    bool begun; /* last is there */
};
struct oddities {
    uint64_t reset, wrapped;
};

/* How a counter that is less than it was is to be understood. */
enum when_less {
    LESS_RESET,   /* it began anew at zero, as all of its row did */
    LESS_WRAP_32, /* it has 32 bits */
    LESS_IGNORE   /* it is known to go backwards at times: nothing happened */
};
/* The first value is what counting begins at, unless from_zero. */
void counter_add(struct counter *c, uint64_t now, enum when_less less, struct oddities *odd);
/*
 * Two that are counted together, such as bytes and packets: where both are less than they were the row began anew;
 * where only the first is, it wrapped around at 32 bits.
 */
void counter_add_pair(struct counter *c, uint64_t now, struct counter *with, uint64_t with_now, struct oddities *odd);

/* ---- pressure (pressure.c) ---- */

enum { PRESSURES = 3 };
struct pressure { /* of the node, or of a group: cpu, memory, io */
    struct kept_file file[PRESSURES];
    struct counter some[PRESSURES], full[PRESSURES];
    bool has_some[PRESSURES], has_full[PRESSURES];
};
bool pressure_init(struct pressure *p, const char *dir, const char *suffix);
void pressure_read(struct pressure *p, struct text *t, struct oddities *odd);
void pressure_free(struct pressure *p);
#define PRESSURE_REPORT(p, r)                                                                                          \
    ((r)->pressure_cpu_some_s = pressure_s((p)->has_some[0], &(p)->some[0]),                                           \
     (r)->pressure_memory_some_s = pressure_s((p)->has_some[1], &(p)->some[1]),                                        \
     (r)->pressure_memory_full_s = pressure_s((p)->has_full[1], &(p)->full[1]),                                        \
     (r)->pressure_io_some_s = pressure_s((p)->has_some[2], &(p)->some[2]),                                            \
     (r)->pressure_io_full_s = pressure_s((p)->has_full[2], &(p)->full[2]))
double pressure_s(bool has, const struct counter *c);

/* ---- how full file systems are (mounts.c) ---- */

struct asked;
struct mounts { /* zero-initialise */
    struct mount {
        char *path;
        struct asked *asked; /* the thread that reads it; NULL: none yet, or none is needed */
        int error;           /* errno of the last reading */
    } * v;
    size_t n;
    struct sl_mount_report *reports;
};
/* n 0: the root.  False: no memory. */
bool mounts_init(struct mounts *m, const char *const *paths, size_t n);
/* Into mounts, nmounts, disk_usage_percent.  One that does not answer is absent, and is waited for 20 ms once. */
void mounts_read(struct mounts *m, struct sl_node_report *r);
void mounts_free(struct mounts *m);

/* ---- parts of a node: each is fed with its file's text, so that tests and the fuzzer can ---- */

enum { CPU_USER, CPU_NICE, CPU_SYSTEM, CPU_IDLE, CPU_IOWAIT, CPU_IRQ, CPU_SOFTIRQ, CPU_STEAL, CPU_TIMES };

struct cpus { /* cpu.c */
    struct cpu {
        uint64_t last[CPU_TIMES];
        bool online, seen;  /* in the last text; in this one */
        uint64_t sum, idle; /* ticks since it was measured */
        bool anew;          /* its counters began anew since then */
    } * cpu;                /* by number */
    size_t ncpu, cap;
    struct cpu all;    /* together, as the kernel adds them up */
    int online, times; /* times: how many the kernel tells */
    double avg, min, max;
    uint64_t total[CPU_TIMES]; /* ticks since the beginning */
    struct counter forks, switches;
    uint64_t blocked;
    bool has_blocked, has_forks, has_switches, is_there;
    double *pct; /* as in a report */
};
/* measure: percentages since the text that was last measured, or the first one; else only counters go on. */
void cpus_parse(struct cpus *c, const struct text *t, bool measure, struct oddities *odd);
void cpus_free(struct cpus *c);

struct device { /* devices.c: a disk or an interface */
    char name[48];
    struct counter read, write, reads, writes; /* of an interface: received, sent, and their packets */
    struct counter busy_ms;
    uint64_t seen;         /* the generation that it was last in */
    bool whole;            /* a disk that counts in the sum; an interface that is not loopback */
    bool active, has_busy; /* active: has done anything since the boot */
};
struct devices {
    struct device *v;
    size_t n, cap;
    uint64_t generation;
    uint64_t gone[2][2]; /* whole or not: read, written by those that are forgotten */
    bool any[2], is_there;
};
void disks_parse(struct devices *d, const struct text *t, struct oddities *odd);
void nets_parse(struct devices *d, const struct text *t, struct oddities *odd);
void devices_sum(const struct devices *d, bool whole, uint64_t *read, uint64_t *write);
void devices_free(struct devices *d);

struct memory { /* meminfo.c; kB, -1: absent */
    int64_t total, free, available, buffers, cached, dirty, shared, slab, swap_total, swap_free;
};
void memory_parse(struct memory *m, const struct text *t);

/* ---- processes (process_files.c) ---- */

enum { /* counters of a process that stand for its ended children, too, once they were waited for */
       USED_USER,
       USED_SYSTEM,
       USED_FAULTS,
       USED_READ,
       USED_WRITE,
       USED_DISK_READ,
       USED_DISK_WRITE,
       USED
};
struct process_stat {
    pid_t pid, ppid;
    char state, name[64];
    uint64_t user, system, children_user, children_system; /* ticks */
    uint64_t faults, children_faults, threads, start_ticks, rss_pages;
};
bool process_stat_parse(struct process_stat *p, const struct text *t);
struct process_io {
    uint64_t read, write, disk_read, disk_write; /* bytes */
};
bool process_io_parse(struct process_io *p, const struct text *t);
struct process_status {
    int64_t peak_kb, swap_kb, voluntary, involuntary; /* -1: absent */
};
void process_status_parse(struct process_status *p, const struct text *t);
/* Pss of smaps_rollup, kB; negative: absent. */
int64_t process_pss_parse(const struct text *t);

/* ---- groups (cgroup_find.c) ---- */

struct cgroup_place { /* where a process is, of one controller; of v2: of all */
    char dir[512];    /* below the root of /sys/fs/cgroup as it is mounted here; "": not to be seen */
    char mount[256];
    char path[256]; /* as the kernel names it */
};
enum { CGROUP_V2, CGROUP_CPU, CGROUP_CPUACCT, CGROUP_MEMORY, CGROUP_BLKIO, CGROUP_PIDS, CGROUP_PLACES };
/* From the texts of /proc/PID/cgroup and /proc/PID/mountinfo. */
void cgroup_places_parse(struct cgroup_place place[CGROUP_PLACES], const struct text *cgroup,
                         const struct text *mounts);

#endif
