/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A monitor of a node: readings of the sampler at even times, into a file (docs/monitor.md), until a signal ends it,
 * the process that is watched ends, or the command that it runs.
 */
#ifndef SL_COLLECT_MONITOR_H
#define SL_COLLECT_MONITOR_H

#include "base/err.h"
#include "collect/child_process.h"
#include "collect/monitor_file.h"
#include "collect/sampler/sampler.h"

#include <stdbool.h>

struct monitor_readings { /* of one moment; what is not there is NULL, or none */
    int64_t n;            /* negative: at the end */
    struct sl_node_report node;
    struct sl_tree_report tree;
    struct sl_cgroup_report cgroup;
    struct sl_gpu_report *gpus; /* gpu_is_there says of which */
    bool *gpu_is_there;
    size_t ngpus;
    bool has_tree, has_cgroup;
    double cost_cpu_s; /* of this process until now */
};

struct monitor;
struct monitor_options {
    double interval_s;
    size_t max_length;  /* 0: all are kept */
    const char *output; /* as monitor_file_open() has it */
    pid_t pid;          /* the process to be watched; 0: none */
    char *const *argv;  /* the command to be run; NULL: none */
    const char *const *mounts;
    size_t nmounts;
    enum sl_detail detail;
    size_t top;
    struct sl_roots roots;
    bool no_gpu;
    /* Called at each reading. */
    void (*show)(void *arg, const struct monitor *m, const struct monitor_readings *r);
    void *arg;
};

enum monitor_end { MONITOR_SIGNAL, MONITOR_COMMAND, MONITOR_PROCESS, MONITOR_ERROR };

struct monitor_sums { /* over all readings, also those that are not kept */
    double most_cpu_pct, most_mem_percent, most_disk_percent, most_rss_mb, most_processes, most_gpu_mb;
};

struct monitor {
    const struct monitor_options *options;
    struct monitor_file file;
    struct sl_node_facts facts;
    struct sl_cgroup_facts cgroup_facts;
    double start_s; /* when it began, on CLOCK_BOOTTIME */
    enum monitor_end why;
    int signal;         /* that ended it */
    struct child child; /* of a command */
    bool has_file;      /* it began, and ended; whatever failed meanwhile */
    uint64_t taken, kept;
    double clock_steps_s, suspended_s;
    double cost_rss_mb;
    double peak_rss_mb; /* the most that one process of a command ever had, as wait4() tells; NAN: it tells nothing */
    struct sl_err no_tree;   /* why the processes of a command are not watched; code 0: they are */
    struct sl_err unwatched; /* SL_EIO: why something could not be watched that is there */
    struct sl_err no_mount;  /* which mount is not in the last reading, and why; code 0: all are */
    struct monitor_sums sums;
    struct monitor_readings last;
    struct monitor_inside *inside;
};

/*
 * Runs it to its end.  0; negative, err filled: it could not begin (SL_ENOTFOUND: there is no such process), and no
 * file is left; or, with has_file, something could not be written or read meanwhile.  monitor_free() in any case.
 */
int monitor_run(struct monitor *m, const struct monitor_options *options, struct sl_err *err);
void monitor_free(struct monitor *m);

/* ---- monitor_json.c: the lines ---- */

void monitor_json_header(struct sl_buf *b, const struct monitor *m, const struct sl_gpus *gpus, pid_t target);
/* Of r->n < 0 without the line of the node, which is that of the end. */
void monitor_json_moment(struct sl_buf *b, const struct monitor_readings *r, const struct sl_gpus *gpus);
void monitor_json_end(struct sl_buf *b, const struct monitor *m, const struct monitor_readings *r, uint64_t reset,
                      uint64_t wrapped, double interval_now_s);

#endif
