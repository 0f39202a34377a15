/* SPDX-License-Identifier: Apache-2.0 */
/* A tree of processes, for tree.c (what it used), tree_find.c (who is in it) and tree_member.c (one process). */
#ifndef SL_COLLECT_SAMPLER_TREE_INTERNAL_H
#define SL_COLLECT_SAMPLER_TREE_INTERNAL_H

#include "collect/sampler/sampler_internal.h"

struct member {
    struct process_stat stat;
    int fd; /* of its stat; -1: not kept open */
    bool gone, is_new;
    bool reaped; /* by us: what it used at its end is in t->reaped already */
    /*
     * What it and its ended children used: now, when counting began, and how much came from children since the last
     * reading.  CPU in microseconds.
     */
    uint64_t used[USED], base[USED], from_children[USED];
    bool has_io;
    uint64_t own_us, own_step_us;        /* CPU without children */
    uint64_t switches[2], ended_with[2]; /* its living threads', and those of its ended children that were counted */
    uint64_t final_switches[2];          /* where reaped: its own and of all its ended children */
    struct process_status status;
    int64_t pss_kb;
    char *command, command_of[64]; /* command_of: the name that it had then */
};

struct sl_tree {
    struct sl_tree_options options;
    char *proc;
    int proc_fd;
    struct kept_file loadavg, own_io;
    struct process_io io_before; /* of this process, before it waited for a child */
    bool has_io_before;
    struct text text;
    struct member *v; /* by pid */
    size_t n, cap;
    size_t nfiles;
    pid_t last_pid, *pids;
    size_t npids, pids_cap;
    int64_t last_mono_ns;
    double boot_time, us_per_tick, page_mb;
    /* What is not among living processes any more. */
    int64_t dead[USED];
    uint64_t reaped[USED]; /* by us since the last reading */
    uint64_t switches[2], ended;
    double last[USED];
    bool any_io, denied_io, any_switches; /* of which processes it can be read: of any, not of all */
    struct sl_process_report *reports;
    struct member **order;
    size_t reports_cap;
};

/* tree_find.c: the living ones are read, those that are gone are marked, and those that are new are added. */
void tree_find(struct sl_tree *t, bool first);
struct member *tree_member(const struct sl_tree *t, pid_t pid); /* NULL: it is not in the tree */

/* tree_member.c */
/* False: it is gone.  What of it can be read is. */
bool process_read(struct sl_tree *t, struct member *p);
/* Reads stat of any process, by its path; false: there is none. */
bool process_stat_of(struct sl_tree *t, pid_t pid, struct process_stat *stat);
bool process_io_of(struct sl_tree *t, pid_t pid, struct process_io *io);
void process_read_details(struct sl_tree *t, struct member *p);
const char *process_command(struct sl_tree *t, struct member *p);
void process_close(struct sl_tree *t, struct member *p);
void process_count(const struct sl_tree *t, uint64_t used[USED], const struct process_stat *stat,
                   const struct process_io *io);

#endif
